//! Your own receiver for the judged tiles of a page.
//!
//! For indexers that want something that a `Page` does not have, here an outline: each heading with the words below it.
//! A sink sees every tile with the verdict known so far. What the last tag of a page denies is known only at the end.
//!
//! `cargo run --example own_sink`

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{Bot, BotId, Facet, Filter, Judged, Outcome, Result, Sink, TileKind, VerdictId};

/// Headings, each with the words below it.
#[derive(Default)]
struct Outline {
    sections: Vec<Section>,
    in_heading: bool,
}

#[derive(Default)]
struct Section {
    heading: String,
    /// The words, with the verdict on each.
    words: Vec<(usize, VerdictId)>,
}

impl Sink for Outline {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        let is_heading = matches!(tile.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
        match tile.kind() {
            TileKind::Start if is_heading => {
                self.sections.push(Section::default());
                self.in_heading = true;
            }
            TileKind::End if is_heading => self.in_heading = false,
            TileKind::Text if judged.is_visible_text() && !judged.denied(Facet::Index).contains(BotId::FIRST) => {
                let text = tile.text();
                let Some(section) = self.sections.last_mut() else { return Ok(()) };
                match self.in_heading {
                    true => section.heading.push_str(&text),
                    false => section.words.push((text.split_whitespace().count(), judged.id())),
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Words that were let through may be denied by now: only here verdicts are final.
    fn finish(&mut self, outcome: &Outcome) -> Result<()> {
        let is_denied = |verdict| outcome.verdict(verdict).denied(Facet::Index).contains(BotId::FIRST);
        if outcome.denied(Facet::Index).contains(BotId::FIRST) {
            self.sections.clear();
        }
        for section in &mut self.sections {
            section.words.retain(|(_, verdict)| !is_denied(*verdict));
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let filter = Filter::new(Bot::new("FooBot")?);
    let mut pass = filter.open_with("https://bakery.example/", Outline::default())?;
    pass.write(
        b"<h1>Bread</h1><p>Dark and light.<h2>Prices</h2><div class=robots-noindex>From 3.20 on.</div><p>Ask us.",
    )?;
    for section in pass.into_sink()?.sections {
        println!("{}: {} words", section.heading, section.words.iter().map(|(count, _)| count).sum::<usize>());
    }
    Ok(())
}
