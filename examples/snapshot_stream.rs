//! Example that writes a cached copy of a page while the page arrives.
//!
//! This example is for programs that make snapshots. Content that may not be archived is replaced
//! by a visible mark, and only the open elements are in memory. A page may forbid any copy at its
//! very end. The copy must then be deleted.
//!
//! `cargo run -p heedful --example snapshot_stream -- URL < PAGE > COPY`

use std::io::{self, Read, Write};

use heedful::{Bot, CutMark, Filter, Snapshot};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).ok_or("give the URL of the page")?;
    let filter = Filter::new(Bot::new("FooBot")?);
    // The copy must not be published before the end.
    let copy = Snapshot::new(Vec::new(), CutMark::new("[...]"));
    let mut pass = filter.open_with(&url, copy)?;
    let mut piece = [0; 16 << 10];
    loop {
        let read = io::stdin().read(&mut piece)?;
        if read == 0 {
            break;
        }
        pass.write(&piece[..read])?;
    }
    let copy = pass
        .into_sink()?
        .into_inner()
        .ok_or("the page may not be kept")?;
    io::stdout().write_all(&copy)?;
    Ok(())
}
