//! `Display` for types with a name, and `FromStr` for types with a parser.

/// Implements `Display` for types that have a `name`. Widths are kept, as for a text.
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

/// Implements `FromStr` for types that have a `parse`.
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
