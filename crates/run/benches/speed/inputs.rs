//! The pages of the benchmark `speed`. The real pages, or synthetic ones if there are none, are
//! divided into two sets. The pages of one set have a marked element: an element to which a
//! directive applies. The small pages of the corpus are a third set.

#[path = "../../../../benches/support/pages.rs"]
mod real_or_made;

use heedful::{Bot, Extent, Filter};

use crate::table::Amount;

pub(crate) const URL: &str = "https://site.example/dir/page";

const LEAST_AT_ONCE: usize = 50_000;

/// A named set of pages for the benchmark.
pub(crate) struct Pages {
    pub(crate) name: &'static str,
    pub(crate) pages: Vec<Vec<u8>>,
}

impl Pages {
    pub(crate) fn bytes(&self) -> usize {
        self.pages.iter().map(Vec::len).sum()
    }

    /// Returns the number of pages in one piece of a measured task. A smaller piece would be too
    /// short to measure.
    fn at_once(&self) -> usize {
        (LEAST_AT_ONCE * self.pages.len()).div_ceil(self.bytes())
    }

    pub(crate) fn amount(&self) -> Amount<'static> {
        Amount::bytes(
            self.name,
            self.bytes(),
            self.pages.len().div_ceil(self.at_once()),
        )
    }

    /// Returns a function for measuring. Its argument is the number of a piece of the task. It
    /// calls `read` for each page of that piece.
    pub(crate) fn each<'a>(&'a self, read: impl Fn(&[u8]) + 'a) -> impl Fn(usize) + 'a {
        let at_once = self.at_once();
        move |piece| {
            for page in self.pages.iter().skip(piece * at_once).take(at_once) {
                read(page);
            }
        }
    }
}

/// All sets of pages of the benchmark `speed`.
pub(crate) struct Inputs {
    /// Pages without elements to which a directive applies. A filter pass need not build a tree for
    /// them.
    pub(crate) plain: Pages,
    pub(crate) marked: Pages,
    pub(crate) corpus: Pages,
}

impl Inputs {
    pub(crate) fn read() -> Self {
        let (names, pages) = real_or_made::pages();
        let filter = filter();
        let pages = pages
            .into_iter()
            .filter_map(|page| Some((is_marked(&filter, &page)?, page)));
        let (marked, plain): (Vec<_>, Vec<_>) = pages.partition(|(is_marked, _)| *is_marked);
        let pages = |name, pages: Vec<(bool, Vec<u8>)>| Pages {
            name,
            pages: pages.into_iter().map(|page| page.1).collect(),
        };
        let corpus = Pages {
            name: "corpus",
            pages: corpus(&filter),
        };
        Self {
            plain: pages(names[0], plain),
            marked: pages(names[1], marked),
            corpus,
        }
    }
}

/// Creates the filter for all measurements of the benchmark, with one bot and the preset `web` of
/// conventions.
pub(crate) fn filter() -> Filter {
    Filter::new(Bot::new("FooBot").unwrap())
}

/// True if a directive of the page applies to the content of an element. Returns `None` if the
/// filter refuses the page.
fn is_marked(filter: &Filter, page: &[u8]) -> Option<bool> {
    let page = filter.page(URL, &[], page).ok()?;
    Some(
        page.directives()
            .any(|directive| directive.extent() == Extent::Subtree),
    )
}

/// Returns the small pages of the corpus: those of its site, and those in its cases.
fn corpus(filter: &Filter) -> Vec<Vec<u8>> {
    let mut pages = Vec::new();
    for path in files(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/**/*")) {
        match path.extension().and_then(|end| end.to_str()) {
            Some("html") => pages.push(std::fs::read(path).unwrap()),
            Some("md") => pages.extend(cases(&std::fs::read_to_string(path).unwrap())),
            _ => {}
        }
    }
    pages.retain(|page| filter.page(URL, &[], page).is_ok());
    pages
}

fn files(pattern: &str) -> Vec<std::path::PathBuf> {
    glob::glob(pattern)
        .unwrap()
        .map(Result::unwrap)
        .filter(|path| path.is_file())
        .collect()
}

fn cases(text: &str) -> Vec<Vec<u8>> {
    let blocks = text.split("\n```html\n").skip(1);
    blocks
        .filter_map(|block| block.split("\n```").next())
        .map(|page| page.as_bytes().to_vec())
        .collect()
}
