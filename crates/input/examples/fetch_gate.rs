//! Answers a crawler's question: may I fetch this URL?
//!
//! This example is for crawlers without an archive. It fetches each site's robots.txt over HTTP and
//! keeps copies for a day. For each URL it prints the line that decides, and the delay between two
//! requests.
//!
//! `cargo run -p heedful-input --example fetch_gate -- COPIES URL...`. COPIES is a folder for the
//! copies. The flag `--private` before COPIES allows private addresses.

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::SystemTime;

use heedful::Bot;
use heedful_input::fetch::Fetcher;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_private = arguments.first().is_some_and(|first| first == "--private");
    arguments.drain(..usize::from(is_private));
    let [copies, urls @ ..] = &arguments[..] else {
        return Err("give COPIES URL...".into());
    };

    let bot = Bot::new("FooBot")?;
    let fetcher = Fetcher::new("FooBot/1.0 (+https://foobot.example/)")?.cache(copies);
    let fetcher = if is_private {
        fetcher.allow_private()
    } else {
        fetcher
    };
    for url in urls {
        let fetched = fetcher.robots(&url.parse()?, SystemTime::now());
        let ruling = fetched.robots.ruling(&bot, url);
        let answer = if ruling.allowed() { "may" } else { "must not" };
        println!("{answer} be fetched: {url}");
        match (ruling.line(), ruling.rule(), &fetched.trouble) {
            (Some(line), Some(rule), _) => println!("  line {line}: {rule}"),
            (_, _, Some(trouble)) => println!("  {trouble}"),
            _ => println!("  no line speaks of it"),
        }
        if let Some(delay) = fetched.robots.crawl_delay(&bot) {
            println!("  one request each {} s", delay.as_secs_f64());
        }
    }
    Ok(())
}
