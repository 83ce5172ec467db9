//! Numbers that a seed repeats.

#[derive(Clone, Debug)]
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn of(seed: u64, number: usize) -> Self {
        let mut chance =
            Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ (number as u64).wrapping_mul(0xD134_2543_DE82_EF95));
        chance.below(2);
        chance
    }

    /// A number below `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) >> 33).unwrap_or(0) % most.max(1)
    }

    pub(crate) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}
