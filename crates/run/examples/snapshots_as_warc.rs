//! Writes the snapshots of all pages of a crawl to one WARC file. A snapshot is a copy of a page
//! without the parts that may not be archived.
//!
//! The example is for archives and caches that replay with pywb or serve from WARC. The file has a
//! record for each page that may be archived, without scripts and without the parts that may not be
//! archived.
//!
//! `cargo run -p heedful-run --example snapshots_as_warc -- OUT.warc.gz INPUT...`
//!
//! If an input is a folder, the URLs of its pages begin with `https://site.example/`.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::fs::File;
use std::io::BufWriter;
use std::time::SystemTime;

use heedful::{Bot, CutMark, Dressing, Filter, Url};
use heedful_export::warc::WarcWriter;
use heedful_input::Inputs;
use heedful_run::{Gate, Outcome, Run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, paths @ ..] = &arguments[..] else {
        return Err("give OUT.warc.gz INPUT...".into());
    };

    let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    let dressing = Dressing::default()
        .mark(CutMark::new("[...]"))
        .no_scripts()
        .base();
    let inputs = Inputs::default()
        .url("https://site.example/".parse::<Url>()?)
        .open(paths)?;
    let gate = Gate::from_inputs(&inputs)?;
    let mut writer = WarcWriter::new(BufWriter::new(File::create(out)?), true, SystemTime::now())?;
    let (mut kept, mut withheld) = (0, 0);
    Run::new(&inputs, &gate, 2).filter(&filter, |outcome, _| {
        let Outcome::Pages(filtered) = outcome else {
            return Ok(());
        };
        for page in &filtered.pages {
            match page.snapshot(&dressing) {
                Some(copy) => {
                    writer.snapshot(page.url(), &copy)?;
                    kept += 1;
                }
                None => withheld += 1,
            }
        }
        Ok(())
    })?;
    writer.finish()?;
    println!("{kept} copies; {withheld} pages may not be kept");
    Ok(())
}
