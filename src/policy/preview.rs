//! How large a preview of an image may be.

/// The sizes of `max-image-preview`, smallest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ImagePreview {
    /// No preview.
    None,
    /// A small preview.
    Standard,
    /// A large preview.
    Large,
}

heedful_base::display!(ImagePreview);

impl ImagePreview {
    /// The word of the directive.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }
}
