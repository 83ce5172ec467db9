//! The settings for the additions to copies of pages (marks, base URL, banner, policy). All verbs
//! and routes that return copies use these settings.

use heedful::{CutMark, Dressing, Page};

/// The settings for additions to a copy of a page. The additions are marks where parts were cut
/// out, a base URL, a banner, and a policy against scripts.
#[derive(Clone, Debug)]
pub(crate) struct Dress {
    pub(crate) mark: String,
    pub(crate) class: Option<String>,
    pub(crate) base: bool,
    pub(crate) banner: bool,
    pub(crate) no_scripts: bool,
}

impl Dress {
    /// Converts these settings to the library's type for the copy of `page`. `date` is the date on
    /// which the page was fetched; the banner shows it.
    pub(crate) fn dressing(&self, page: &Page, date: Option<&str>) -> Dressing {
        let mark = CutMark::new(&self.mark);
        let mark = match &self.class {
            Some(class) => mark.class(class),
            None => mark,
        };
        let mut dressing = Dressing::default().mark(mark);
        if self.base {
            dressing = dressing.base();
        }
        if self.no_scripts {
            dressing = dressing.no_scripts();
        }
        if self.banner {
            let when = date
                .map(|date| format!(", as it was on {date}"))
                .unwrap_or_default();
            dressing = dressing.banner(&format!("A copy of {}{when}", page.url()));
        }
        dressing
    }
}
