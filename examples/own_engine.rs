//! Example that writes rows for your own search engine: words with positions.
//!
//! This example is for indexers that write their own postings. The positions of `words_of` jump
//! between two phrases, so that no phrase query matches across withheld text. The document's flags
//! state which uses of the page are allowed.
//!
//! `cargo run -p heedful --example own_engine`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;

use heedful::{Bot, Filter, Use, words_of};

fn main() -> heedful::Result<()> {
    let filter = Filter::new(Bot::new("FooBot")?);
    let html =
        b"<title>Rye</title><p>Dark rye <!--noindex-->for 3.20<!--/noindex--> bread, and more rye.";
    let page = filter.page("https://bakery.example/rye", &[], html)?;
    if !page.policy().allows(Use::Index) {
        return Ok(());
    }
    let mut postings: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for word in words_of(page.title().iter().chain(page.phrases())) {
        postings
            .entry(word.folded().to_owned())
            .or_default()
            .push(word.position());
    }
    for (word, positions) in postings {
        println!("{word}: {positions:?}");
    }
    println!("excerpt: {}", page.excerpt());
    println!("for an answer: {}", page.input());
    println!("may be kept: {}", page.policy().allows(Use::Archive));
    Ok(())
}
