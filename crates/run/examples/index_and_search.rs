//! Indexes the pages of archives and other inputs, and searches the index.
//!
//! The example is for builders of search engines. The inputs are WARC, ARC, WACZ, JSON Lines,
//! folders and pipes. No search finds what the publishers of the pages withhold, and no phrase
//! matches across a withheld part.
//!
//! `cargo run -p heedful-run --example index_and_search -- INDEX QUERY INPUT...`
//!
//! If an input is a folder, the URLs of its pages begin with `https://site.example/`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::path::Path;
use std::time::SystemTime;

use heedful::{Bot, Filter, Url};
use heedful_index::{Index, Query};
use heedful_input::Inputs;
use heedful_run::{Gate, Run, apply_outcome};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, query, paths @ ..] = &arguments[..] else {
        return Err("give INDEX QUERY INPUT...".into());
    };

    let filter = Filter::new(Bot::new("FooBot")?).now(SystemTime::now());
    let inputs = Inputs::default()
        .url("https://site.example/".parse::<Url>()?)
        .open(paths)?;
    // The robots.txt files in all inputs decide which of their pages enter.
    let gate = Gate::from_inputs(&inputs)?;
    let index = Index::create(Path::new(folder), &filter)?;
    let mut writer = index.writer(2)?;
    Run::new(&inputs, &gate, 2).filter(&filter, |outcome, _| {
        apply_outcome(&mut writer, &outcome)?;
        Ok(())
    })?;
    writer.commit()?;

    let found = index
        .search()?
        .find(&Query::new(query).now(SystemTime::now()))?;
    println!("{} pages", found.total());
    for hit in found.hits() {
        println!("{}\n  {}\n  {}", hit.url(), hit.title(), hit.excerpt());
    }
    Ok(())
}
