//! Your own receiver for the judged tiles of a page.
//!
//! For indexers that want something that a `Page` does not have, here an outline: each heading with the words below it. A sink
//! sees every tile with what is known of it by then. The last tag of a page may still deny any part, so each text is kept
//! with its verdict and read at the end.
//!
//! `cargo run --example own_sink`

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{Bot, BotId, Facet, Field, Filter, Judged, PageEnd, Result, Sink, Target, TileKind, VerdictId};

/// A text, and the verdict that it stands under.
type Piece = (String, VerdictId);

/// What is met of a page, and the outline that it makes.
#[derive(Default)]
struct Outline {
    title: Vec<Piece>,
    sections: Vec<Section>,
    links: Vec<Target<'static>>,
    lines: Vec<String>,
}

#[derive(Default)]
struct Section {
    heading: Vec<Piece>,
    body: Vec<Piece>,
}

impl Sink for Outline {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let tile = judged.tile();
        self.links.extend(Target::of(judged).map(Target::into_owned));
        if tile.kind() == TileKind::Start && matches!(tile.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6") {
            self.sections.push(Section::default());
        }
        if tile.kind() == TileKind::Text {
            let pieces = match (judged.field(), self.sections.last_mut()) {
                (Field::Title, _) => &mut self.title,
                (Field::Body, Some(section)) if judged.heading().is_some() => &mut section.heading,
                (Field::Body, Some(section)) => &mut section.body,
                _ => return Ok(()),
            };
            pieces.push((tile.text().into_owned(), judged.id()));
        }
        Ok(())
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        let is_page_denied = end.denied(Facet::Index).contains(BotId::FIRST);
        let text = |pieces: &[Piece]| -> String {
            let is_denied = |id| is_page_denied || end.verdict(id).denied(Facet::Index).contains(BotId::FIRST);
            pieces.iter().filter(|(_, id)| !is_denied(*id)).map(|(text, _)| text.as_str()).collect()
        };
        self.lines.push(text(&self.title));
        for section in &self.sections {
            let words = text(&section.body).split_whitespace().count();
            self.lines.push(format!("{}: {words} words", text(&section.heading)));
        }
        let may_follow = |link: &&Target<'_>| !link.no_follow(end).contains(BotId::FIRST);
        let urls = self.links.iter().filter(may_follow).filter_map(|link| link.url(end));
        self.lines.extend(urls.map(|url| format!("follow {url}")));
        Ok(())
    }
}

fn main() -> Result<()> {
    let filter = Filter::new(Bot::new("FooBot")?);
    let mut pass = filter.open_with("https://bakery.example/", Outline::default())?;
    pass.write(
        b"<title>A bakery</title><h1>Bread</h1><p>Dark and light.<h2>Prices</h2><div class=robots-noindex>From 3.20.</div>\
        <p>Ask <a href=/us>us</a>, not <a href=/them rel=nofollow>them</a>.",
    )?;
    for line in pass.into_sink()?.lines {
        println!("{line}");
    }
    Ok(())
}
