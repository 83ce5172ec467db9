//! Fuzzes a tdmrep.json and an RSL document with any bytes: nothing panics. One more rule at the
//! end of the tdmrep.json must never revoke a reservation.

use std::sync::LazyLock;

use heedful::{Bot, Licence, RobotsTxt};
use url::Url;

static PAGES: LazyLock<[Url; 2]> = LazyLock::new(|| {
    ["https://site.example/dir/page?a=b", "https://site.example/"]
        .map(|url| Url::parse(url).expect("a URL"))
});
static BOT: LazyLock<Bot> = LazyLock::new(|| Bot::new("FooBot").expect("a name"));

fn reserves(file: &RobotsTxt, page: &Url) -> bool {
    file.usages(&BOT, page.as_str())
        .first()
        .is_some_and(|usage| usage.value().starts_with('1'))
}

pub(super) fn run(data: &[u8]) {
    let (licence, file) = (Licence::read(data), RobotsTxt::tdmrep(data));
    for page in &*PAGES {
        let _ = (licence.denies(page), licence.trouble());
        assert!(
            file.ruling(&BOT, page.as_str()).allowed(),
            "{data:?} keeps a page out"
        );
        let Some(array) = data
            .trim_ascii_end()
            .strip_suffix(b"]")
            .filter(|_| reserves(&file, page))
        else {
            continue;
        };
        let more = [array, br#",{"location":"/","tdm-reservation":0}]"#].concat();
        assert!(
            reserves(&RobotsTxt::tdmrep(&more), page),
            "{data:?} loses a reservation"
        );
    }
}
