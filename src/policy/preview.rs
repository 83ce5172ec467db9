//! The permitted sizes of an image preview.

/// Largest permitted size of an image preview, as `max-image-preview` states it. Variants are in
/// the order of size, smallest first.
///
/// ```
/// use heedful::{Bot, Filter, ImagePreview};
///
/// let html = b"<meta name=robots content='max-image-preview:none'>";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
/// let width = match page.policy().max_image_preview() {
///     Some(ImagePreview::None) => 0,
///     Some(ImagePreview::Standard) => 160,
///     _ => 1200,
/// };
/// assert_eq!(width, 0);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ImagePreview {
    /// No preview may be shown.
    None,
    /// A small preview may be shown, but no large one.
    Standard,
    /// Even a large preview may be shown.
    Large,
}

heedful_base::display!(ImagePreview);

impl ImagePreview {
    /// Returns the value of `max-image-preview` for this size, such as `standard`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }
}
