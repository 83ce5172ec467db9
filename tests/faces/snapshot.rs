//! Fuzzes snapshots of pages: a snapshot is filtered again, and the snapshot of that must equal the
//! first one. The first byte decides what the following bytes are, as in `oracle`.

use std::sync::LazyLock;

use heedful::{Bot, Conventions, Dressing, Filter};

use super::soup;

static FILTER: LazyLock<Filter> = LazyLock::new(|| {
    let conventions = Conventions::parse("all").expect("a preset");
    Filter::new(Bot::new("Foo Bot").expect("a name"))
        .conventions(conventions)
        .snapshots()
});

fn copy(page: &[u8]) -> Option<String> {
    FILTER
        .page("https://site.example/dir/page", &[], page)
        .ok()?
        .snapshot(&Dressing::default())
}

pub(super) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let mut bytes = rest.iter();
    let page = match first % 4 {
        0 => rest.to_vec(),
        _ => soup::page(rest.len() / 3, &mut |n| {
            usize::from(*bytes.next().unwrap_or(&0)) % n
        })
        .into_bytes(),
    };
    let Some(first) = copy(&page) else { return };
    // The rest of a page may be too little to be kept. A page with one reading may then have two.
    if let Some(second) = copy(first.as_bytes()) {
        assert_eq!(first, second, "{:?}", String::from_utf8_lossy(&page));
    }
}
