//! Conventions of the user's own, from a TOML file (docs/semantics.md, section 4.6).

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::policy::Facets;

use super::Dialects;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    region: Vec<Region>,
    #[serde(default)]
    element: Vec<Element>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Region {
    open: String,
    close: String,
    deny: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Element {
    select: String,
    deny: Vec<String>,
}

impl Dialects {
    /// Adds the regions and elements of a TOML text.
    ///
    /// # Errors
    /// When it is no such text; as for [`Dialects::region`], [`Dialects::element`] and [`Facets::parse`].
    pub fn file(mut self, text: &str) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| Error::setting(error.to_string()))?;
        for Region { open, close, deny } in file.region {
            self = self.region(&open, &close, Facets::parse(&deny.join(","))?)?;
        }
        for Element { select, deny } in file.element {
            self = self.element(&select, Facets::parse(&deny.join(","))?)?;
        }
        Ok(self)
    }
}
