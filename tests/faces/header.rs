//! Fuzzes a header line with any bytes. A page with the header must never allow more than the same
//! page without the header. The first line of the bytes is the name of the header, the rest its
//! value. Each value is also tested with every header that states how a page may be used.

use std::sync::LazyLock;

use heedful::{Bot, Conventions, Filter, Page, Use};

/// Two filters with different conventions. Each is paired with the page that it returns if there is
/// no fuzzed header.
static FILTERS: LazyLock<[(Filter, Page); 2]> = LazyLock::new(|| {
    ["web", "all"].map(|name| {
        let filter = Filter::new(Bot::new("Foo Bot").expect("a name"));
        let filter = filter.conventions(Conventions::parse(name).expect("a preset"));
        let plain = read(&filter, None).expect("a page");
        (filter, plain)
    })
});

const PAGE: &[u8] = b"<title>t</title><p>one <b class=robots-noindex>two</b> <a href=/x>three</a>";

fn read(filter: &Filter, header: Option<(&str, &str)>) -> Option<Page> {
    let mut pass = filter.open("https://site.example/dir/page").expect("a URL");
    pass.header("Content-Type", "text/html; charset=utf-8");
    if let Some((name, value)) = header {
        pass.header(name, value);
    }
    pass.write(PAGE).ok()?;
    pass.end().ok()
}

/// Names of the headers that state how a page may be used.
const SPEAKING: [&str; 5] = [
    "X-Robots-Tag",
    "Robots-Tag",
    "Content-Signal",
    "Content-Usage",
    "tdm-reservation",
];

pub(super) fn run(data: &[u8]) {
    let (name, value) = super::halves(data);
    let value = String::from_utf8_lossy(value);
    // A different character set makes a different page.
    if !name.trim().eq_ignore_ascii_case("content-type") {
        never_adds(&name, &value);
    }
    for line in value.lines().take(4) {
        let said = line.split_once(':').map_or(line, |(_, said)| said);
        for name in SPEAKING {
            never_adds(name, said.trim());
        }
    }
}

fn never_adds(name: &str, value: &str) {
    for (filter, plain) in &*FILTERS {
        let Some(page) = read(filter, Some((name, value))) else {
            continue;
        };
        assert!(
            page.phrases()
                .iter()
                .all(|phrase| plain.phrases().contains(phrase)),
            "{name}: {value}"
        );
        for usage in Use::ALL {
            assert!(
                plain.policy().allows(usage) || !page.policy().allows(usage),
                "{name}: {value}"
            );
        }
    }
}
