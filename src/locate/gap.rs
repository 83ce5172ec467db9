//! What a token puts between the texts before and after it.

/// What separates the texts before and after a token, as in the algorithm for `innerText`: a number
/// of line breaks that are required, then a sign, then a number of line breaks again.
///
/// All of it is in one byte, since most tokens separate nothing and each is asked: two bits for the
/// line breaks before the sign, two for those after it, two for the sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gap(u8);

impl Gap {
    pub(super) const NEWLINE: u8 = 1 << 4;
    pub(super) const TAB: u8 = 2 << 4;

    pub(crate) fn is_none(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn before(self) -> u8 {
        self.0 & 3
    }

    pub(crate) fn after(self) -> u8 {
        self.0 >> 2 & 3
    }

    pub(crate) fn sign(self) -> Option<char> {
        match self.0 & (Self::NEWLINE | Self::TAB) {
            0 => None,
            Self::TAB => Some('\t'),
            _ => Some('\n'),
        }
    }

    pub(super) fn require(&mut self, breaks: u8) {
        let has_sign = self.0 >= Self::NEWLINE;
        let known = if has_sign {
            self.after()
        } else {
            self.before()
        };
        if breaks > known {
            let shift = if has_sign { 2 } else { 0 };
            self.0 = self.0 & !(3 << shift) | breaks << shift;
        }
    }

    pub(super) fn put(&mut self, sign: u8) {
        self.0 = self.0 & 0b1111 | sign;
    }
}
