//! Example that implements a sink of your own for the judged tokens of a page.
//!
//! This example is for indexers that need data which a `Page` does not have. Here this is an
//! outline: each heading with the words below it. A sink gets every token with its verdict so far.
//! `Judged::text` returns the text that a person sees and the bot may index. The last tag of a page
//! may still deny any part. So a text is stored, and used at the end of the page.
//!
//! `cargo run -p heedful --example own_sink`

#![allow(clippy::print_stdout, reason = "an example prints")]

use heedful::{
    Bot, BotId, Field, Filter, HeldText, Judged, LinkTarget, PageEnd, Result, Sink, TokenKind, Use,
};

/// Text of a page that is stored until the page ends, because a later tag may still deny it.
type Piece = HeldText<'static>;

/// Headings and texts of a page, and the outline that is made from them.
#[derive(Default)]
struct Outline {
    title: Vec<Piece>,
    sections: Vec<Section>,
    links: Vec<LinkTarget<'static>>,
    lines: Vec<String>,
}

#[derive(Default)]
struct Section {
    heading: Vec<Piece>,
    body: Vec<Piece>,
}

impl Sink for Outline {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        self.links
            .extend(LinkTarget::from_token(judged).map(LinkTarget::into_owned));
        if token.kind() == TokenKind::Start
            && matches!(token.name(), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
        {
            self.sections.push(Section::default());
        }
        let title = judged.text_of(Field::Title, Use::Index, BotId::FIRST);
        self.title.extend(title.map(HeldText::into_owned));
        if let (Some(text), Some(section)) = (
            judged.text(Use::Index, BotId::FIRST),
            self.sections.last_mut(),
        ) {
            let pieces = if judged.heading().is_some() {
                &mut section.heading
            } else {
                &mut section.body
            };
            pieces.push(text.into_owned());
        }
        Ok(())
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        let text = |pieces: &[Piece]| {
            pieces
                .iter()
                .filter_map(|piece| piece.read(end))
                .collect::<String>()
        };
        self.lines.push(text(&self.title));
        for section in &self.sections {
            let words = text(&section.body).split_whitespace().count();
            self.lines
                .push(format!("{}: {words} words", text(&section.heading)));
        }
        let may_follow = |link: &&LinkTarget<'_>| !link.no_follow(end).contains(BotId::FIRST);
        let urls = self
            .links
            .iter()
            .filter(may_follow)
            .filter_map(|link| link.url(end));
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
