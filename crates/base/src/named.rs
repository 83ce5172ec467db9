//! Macros that implement `Display` for types with a method `name`, and `FromStr` for types with a
//! function `parse`.

/// Implements `Display` for types that have a method `name`. A width in the format string pads the
/// name, as it pads a `str`.
///
/// # Examples
///
/// ```
/// struct Colour;
///
/// impl Colour {
///     fn name(&self) -> &'static str {
///         "red"
///     }
/// }
///
/// heedful_base::display!(Colour);
/// assert_eq!(format!("{Colour:>5}"), "  red");
/// ```
#[macro_export]
macro_rules! display {
    ($($type:ty),+) => {$(
        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    )+};
}

/// Implements `FromStr` for types with a function `parse` that returns this crate's
/// [`Result`](crate::error::Result).
///
/// # Examples
///
/// ```
/// use heedful_base::error::{Error, Result};
///
/// struct Percent(u8);
///
/// impl Percent {
///     fn parse(text: &str) -> Result<Self> {
///         let number = text.trim_end_matches('%').parse();
///         number.map(Self).map_err(|_| Error::setting("no percentage"))
///     }
/// }
///
/// heedful_base::from_str!(Percent);
/// assert_eq!("20%".parse::<Percent>()?.0, 20);
/// assert!("much".parse::<Percent>().is_err());
/// # Ok::<(), Error>(())
/// ```
#[macro_export]
macro_rules! from_str {
    ($($type:ty),+) => {$(
        impl std::str::FromStr for $type {
            type Err = $crate::error::Error;

            fn from_str(text: &str) -> $crate::error::Result<Self> {
                Self::parse(text)
            }
        }
    )+};
}
