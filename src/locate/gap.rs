//! Separators that a token puts between the texts before and after it.

/// Separator that a token puts between the text before it and the text after it. The separator
/// follows the algorithm of the HTML standard for `innerText`. It has three parts: required line
/// breaks, then a sign (line end or tab), then again required line breaks. Each part may be
/// missing.
///
/// All three parts are packed into one byte, since every token has a separator. Two bits hold each
/// number of line breaks, and two bits hold the sign.
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
