//! The ways in which a robots.txt has been read since 1994 (docs/semantics.md, section 6).
//!
//! One parsed file has different readers. Each selects lines (`selection`) and compares them
//! (`asking`) in its own way. RFC 9309 is the one to obey. The others tell what another program, or
//! a program of another time, would do.

use heedful_base::error::{Error, Result};

/// A way of reading a robots.txt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// RFC 9309: groups naming one bot are merged, the longest pattern wins, Allow wins ties.
    #[default]
    Rfc9309,
    /// Google's matcher. Tokens end at the first character that is no letter, `_` or `-`. An Allow
    /// of `/index.htm` allows its folder. Patterns are compared as written, except for bytes
    /// outside of ASCII, and URLs as they are.
    Google,
    /// The text of 1994: the first record naming us or `*` counts, and any prefix that matches
    /// denies.
    Text1994,
    /// The draft of 1996: the first match in the record counts.
    Draft1996,
    /// Spiderline: the last match counts.
    Spiderline,
    /// Lycos: the first agent line in the file that names us or `*` counts, with several paths on a
    /// line.
    Lycos,
}

heedful_base::display!(Mode);

heedful_base::from_str!(Mode);

impl Mode {
    /// All modes.
    pub const ALL: [Self; 6] = [
        Self::Rfc9309,
        Self::Google,
        Self::Text1994,
        Self::Draft1996,
        Self::Spiderline,
        Self::Lycos,
    ];

    /// The name of the mode: `rfc9309`, `google`, `1994`, `1996`, `spiderline`, `lycos`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rfc9309 => "rfc9309",
            Self::Google => "google",
            Self::Text1994 => "1994",
            Self::Draft1996 => "1996",
            Self::Spiderline => "spiderline",
            Self::Lycos => "lycos",
        }
    }

    /// The mode of this name.
    ///
    /// # Errors
    /// Fails if no mode has this name. The message lists the names.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|mode| mode.name() == name);
        found.ok_or_else(|| {
            Error::setting(format!(
                "`{name}` is no way to read a robots.txt; there are {}",
                Self::ALL.map(Self::name).join(", ")
            ))
        })
    }
}
