//! Removes from an index the pages that are no longer allowed in it.
//!
//! The example is for operators of an index. It removes expired pages, and pages that the current
//! robots.txt disallows.
//!
//! `cargo run -p heedful-run --example purge -- INDEX SITE ROBOTS.TXT`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use heedful::RobotsTxt;
use heedful_index::Index;
use heedful_run::{Gate, Purge};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, site, robots] = &arguments[..] else {
        return Err("give INDEX SITE ROBOTS.TXT".into());
    };

    let index = Index::open(Path::new(folder))?;
    let gate = Gate::default().for_site(&site.parse()?, RobotsTxt::parse(&fs::read(robots)?));
    let purged = Purge::default()
        .expired(SystemTime::now())
        .robots(gate)
        .run(&index, 2)?;
    println!("pages checked: {}", purged.pages);
    for dropped in &purged.removed_pages {
        println!("out: {} ({})", dropped.url(), dropped.why());
    }
    Ok(())
}
