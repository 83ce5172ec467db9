//! The settings for the additions to copies of pages. All verbs and routes that return copies share
//! them.

use heedful::{CutMark, Dressing, Page};

/// The settings for additions to a copy of a page: marks at cuts, a base URL, a banner, and a
/// policy against scripts.
#[derive(Clone, Debug)]
pub(crate) struct Dress {
    pub(crate) mark: String,
    pub(crate) class: Option<String>,
    pub(crate) base: bool,
    pub(crate) banner: bool,
    pub(crate) no_scripts: bool,
}

impl Dress {
    /// Returns the library's form of these settings for the copy of a page. `date` is the date of
    /// the page's fetch, for the banner.
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
