//! Filters pages and writes the results as JSON, one object per line.
//!
//! The example is for pipelines in which every stage is a process. It writes the same stable
//! objects as `heedful filter --format json`.
//!
//! `cargo run -p heedful-run --example json_lines -- INPUT...`; `-` is standard input.

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{Bot, Filter, Url};
use heedful_input::Inputs;
use heedful_json::{PageJson, line};
use heedful_run::{Gate, Run};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let bot = Bot::new("FooBot")?;
    let name = bot.name().to_owned();
    let filter = Filter::new(bot);
    let inputs = Inputs::default()
        .url("https://site.example/".parse::<Url>()?)
        .open(&paths)?;
    let gate = Gate::from_inputs(&inputs)?;
    Run::new(&inputs, &gate, 2).filter(&filter, |outcome, _| {
        match outcome.answer() {
            Some((_, Ok(pages))) => {
                for page in &pages {
                    println!("{}", line(&PageJson::page(page)));
                }
            }
            Some((url, Err(error))) => println!("{}", line(&PageJson::failed(&url, &name, &error))),
            None => {}
        }
        Ok(())
    })?;
    Ok(())
}
