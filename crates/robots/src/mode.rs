//! Modes: the rules by which programs have interpreted robots.txt files since 1994
//! (docs/semantics.md, section 6).
//!
//! Each mode selects lines of a robots.txt for a bot (`selection`) and compares them with paths
//! (`query`). RFC 9309 is the mode to obey. The other modes show how another program, or a program
//! of another time, would decide.

use heedful_base::error::{Error, Result};

/// Rules by which a robots.txt is interpreted.
///
/// # Examples
///
/// ```
/// use heedful_robots::{Bot, Mode, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /\nAllow: /open");
/// let bot = Bot::new("FooBot")?;
/// assert!(robots.ruling(&bot, "/open").allowed());
/// // In 1994, the first matching prefix denied.
/// assert!(!robots.mode(Mode::Text1994).ruling(&bot, "/open").allowed());
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// RFC 9309. All groups that name the bot are merged. The longest pattern that matches decides.
    /// An Allow wins over a Disallow of the same length.
    #[default]
    Rfc9309,
    /// Google's matcher. The name of an agent ends at the first character that is no letter, `_` or
    /// `-`. An Allow of `/index.htm` also allows its folder. URLs and patterns are not normalised,
    /// but bytes outside of ASCII are encoded in patterns.
    Google,
    /// The original text of 1994. Only one group applies: the first that names the bot, or
    /// otherwise the first for `*`. Each `Disallow` whose value is a prefix of the path denies.
    Text1994,
    /// The Internet-Draft of 1996. Only one group applies: the first that names the bot, or
    /// otherwise the first for `*`. The first rule that matches decides.
    Draft1996,
    /// The program Spiderline. Only one group applies: the first that names the bot, or otherwise
    /// the first for `*`. The last rule that matches decides.
    Spiderline,
    /// The crawler of Lycos. Only one agent line counts: the first in the file that names the bot
    /// or `*`. Only the `Disallow` lines directly after it apply. A `Disallow` line may have
    /// several paths.
    Lycos,
}

heedful_base::display!(Mode);

heedful_base::from_str!(Mode);

impl Mode {
    /// All modes for interpreting a robots.txt.
    pub const ALL: [Self; 6] = [
        Self::Rfc9309,
        Self::Google,
        Self::Text1994,
        Self::Draft1996,
        Self::Spiderline,
        Self::Lycos,
    ];

    /// Name of the mode: `rfc9309`, `google`, `1994`, `1996`, `spiderline`, `lycos`.
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

    /// Returns the mode that has the name `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Setting`](heedful_base::error::ErrorKind::Setting) if no mode has the name
    /// `name`. The message lists all names.
    ///
    /// # Examples
    ///
    /// ```
    /// use heedful_robots::Mode;
    ///
    /// assert_eq!(Mode::parse("1994")?, Mode::Text1994);
    /// assert!(Mode::parse("1995").unwrap_err().to_string().contains("spiderline"));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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
