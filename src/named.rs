//! `Display` for types with a name, and `FromStr` for types with a parser.

/// Implements `Display` for types that have a `name`. Widths are kept, as for a text.
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
macro_rules! from_str {
    ($($type:ty),+) => {$(
        impl std::str::FromStr for $type {
            type Err = crate::error::Error;

            fn from_str(text: &str) -> crate::error::Result<Self> {
                Self::parse(text)
            }
        }
    )+};
}

pub(crate) use {display, from_str};

#[cfg(test)]
mod tests {
    use crate::{Bot, Dialects, Facet, Facets, Mode};

    #[test]
    fn names_are_written_and_read() {
        assert_eq!(format!("{}|{:>7}|{:<7}|", Facet::Index, Facet::Index, Facet::Index), "index|  index|index  |");
        assert!("FooBot/1.0".parse::<Bot>().is_ok_and(|bot| bot.name() == "FooBot"));
        assert!("web,-rel".parse::<Dialects>().is_ok_and(|dialects| !dialects.has("rel")));
        assert!("noindex".parse::<Facets>().is_ok() && "google".parse::<Mode>().is_ok());
        assert!("".parse::<Bot>().is_err() && "x".parse::<Mode>().is_err());
    }
}
