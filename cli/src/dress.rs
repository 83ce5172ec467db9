//! How copies of pages are dressed, by whichever verb or route gives them out.

use heedful::{CutMark, Dressing, Page};

/// What a copy is given besides its content.
#[derive(Clone, Debug)]
pub(crate) struct Dress {
    pub(crate) mark: String,
    pub(crate) class: Option<String>,
    pub(crate) base: bool,
    pub(crate) banner: bool,
    pub(crate) no_scripts: bool,
}

impl Dress {
    /// The dressing of a page that was fetched on this date.
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
