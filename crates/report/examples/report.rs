//! Writes a report on a page for the publisher of the page: which parts are withheld, and why.
//!
//! The example is for people who maintain a site. The report is one HTML file: the source of the
//! page in colours, and all directives with their outcomes.
//!
//! `cargo run -p heedful-report --example report -- URL PAGE OUT.html`

#![allow(clippy::print_stdout, reason = "an example prints")]

use std::fs;

use heedful::{Bot, BotId, Filter, Use};
use heedful_report::Report;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, page, out] = &arguments[..] else {
        return Err("give URL PAGE OUT.html".into());
    };

    let mut pass = Filter::new(Bot::new("FooBot")?).explain(url)?;
    pass.write(&fs::read(page)?)?;
    let explanation = pass.end()?;
    let totals = explanation.totals(BotId::FIRST);
    println!(
        "{} of {} words may be indexed",
        totals.allowed_words(Use::Index),
        totals.words()
    );
    for (heard, effects) in explanation
        .directives()
        .iter()
        .zip(explanation.effects(BotId::FIRST))
    {
        let outcomes: Vec<_> = effects
            .iter()
            .map(|effect| effect.outcome().name())
            .collect();
        println!("  {}: {}", heard.directive().text(), outcomes.join(", "));
    }
    fs::write(out, Report::new(&explanation).html())?;
    Ok(())
}
