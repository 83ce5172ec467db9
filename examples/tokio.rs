//! Example that filters several pages at once while they arrive, in tasks of tokio.
//!
//! This example is for crawlers and services. A task waits for more bytes of its page, and may
//! continue on another thread afterwards.
//!
//! `cargo run -p heedful --example tokio -- PAGE...`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::io::Cursor;

use heedful::{Bot, Filter, Page};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinSet;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

async fn read(filter: Filter, mut body: impl AsyncRead + Unpin) -> Outcome<Page> {
    let mut pass = filter.open("https://site.example/")?;
    let mut piece = [0; 4096];
    loop {
        match body.read(&mut piece).await? {
            0 => return Ok(pass.end()?),
            length => pass.write(&piece[..length])?,
        }
    }
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let (filter, mut tasks) = (Filter::new(Bot::new("FooBot")?), JoinSet::new());
    for path in std::env::args().skip(1) {
        let body = Cursor::new(std::fs::read(path)?); // in place of a connection
        tasks.spawn(read(filter.clone(), body));
    }
    while let Some(page) = tasks.join_next().await {
        println!("{:?}", page??.phrases());
    }
    Ok(())
}
