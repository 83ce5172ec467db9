//! Fuzzes settings with any text: a file of conventions, a list of them, a selector, a comment, a
//! pattern, words of META, a bot's name. Nothing panics.

use heedful::{Bot, Conventions, Filter, Uses};

const PAGE: &[u8] = b"<p class=a id=b>one <b hidden data-x=y>two</b><!--c-->three<!--/c--> four";

pub(super) fn run(data: &[u8]) {
    let (first, rest) = super::halves(data);
    let text = String::from_utf8_lossy(rest);
    let denies = Uses::parse(&first).unwrap_or(Uses::parse("noindex").expect("a word"));
    let _ = Bot::parse(&first);
    let _ = Conventions::parse(&first);
    let web = Conventions::default();
    let made = [
        web.clone().toml(&text),
        web.clone().element(&first, denies),
        web.clone().region(&first, text.trim(), denies),
    ];
    let filter = || Filter::new(Bot::new("Foo Bot").expect("a name"));
    let words = |filter: &Filter| {
        filter
            .page("https://site.example/a/b?c", &[], PAGE)
            .expect("a page")
            .phrases()
            .concat()
            .len()
    };
    let plain = words(&filter());
    for conventions in made.into_iter().flatten() {
        assert!(
            words(&filter().conventions(conventions)) <= plain,
            "{first} {text}"
        );
    }
    if let Ok(filter) = filter().deny(denies, &first) {
        assert!(words(&filter) <= plain, "{first}");
    }
}
