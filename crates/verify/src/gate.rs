//! Compares the stream with a thorough one, which hears every tile and judges every place twice.
//! The result must be the same.
//!
//! All that a pass leaves is compared: tiles, directives and notes. Any difference is reported as a
//! leak, since no shortcut can be trusted if the two read differently.

use std::ops::Range;

use crate::oracle::Surroundings;
use heedful::{Directive, Filter, Judged, Note, PageEnd, Sink, Use, VerdictId};
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

use super::difference::Mismatch;
use super::stream::streamed;

/// All tiles, as they were judged.
#[derive(Debug, Default)]
struct Tiles(Vec<SeenTile<VerdictId>>);

/// A tile: its start, its verdict, the bots for which a phrase ends at it, and whether it is a
/// region mark.
#[derive(Debug, PartialEq, Eq)]
struct SeenTile<V> {
    start: u64,
    verdict: V,
    breaks: BotSet,
    is_mark: bool,
}

impl Sink for Tiles {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        let (start, breaks) = (judged.tile().start(), judged.breaks());
        self.0.push(SeenTile {
            start,
            verdict: judged.id(),
            breaks,
            is_mark: judged.is_region_mark(),
        });
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// The results that a pass leaves.
#[derive(PartialEq, Eq)]
struct Left {
    tiles: Vec<SeenTile<[BotSet; Use::COUNT]>>,
    directives: Vec<(Directive, Option<Range<u64>>)>,
    notes: Vec<Note>,
}

impl Left {
    fn of(tiles: Tiles, outcome: &PageEnd) -> Self {
        let denied = |id: VerdictId| Use::ALL.map(|facet| outcome.verdict(id).denied(facet));
        let tile = |SeenTile {
                        start,
                        verdict,
                        breaks,
                        is_mark,
                    }| SeenTile {
            start,
            verdict: denied(verdict),
            breaks,
            is_mark,
        };
        let directives = outcome
            .heard()
            .map(|(id, directive)| (directive.clone(), outcome.reach(id)));
        Self {
            tiles: tiles.0.into_iter().map(tile).collect(),
            directives: directives.collect(),
            notes: outcome.notes().to_vec(),
        }
    }
}

/// The difference that a thorough reading of a page makes, if there is one.
pub(super) fn difference(
    filter: &Filter,
    url: &str,
    page: &[u8],
    around: &Surroundings<'_>,
) -> Result<Option<Mismatch>> {
    let left = |filter: &Filter| {
        let (tiles, outcome) = streamed(filter, Tiles::default(), url, page, around)?;
        Ok::<_, Error>(Left::of(tiles, &outcome))
    };
    let (gated, heard) = (left(filter)?, left(&filter.clone().thorough())?);
    if gated == heard {
        return Ok(None);
    }
    let first = gated
        .tiles
        .iter()
        .zip(&heard.tiles)
        .find(|(gated, heard)| gated != heard);
    let place = first.map(|(tile, _)| format!(" from byte {} on", tile.start));
    let text = format!("a thorough reading differs{}", place.unwrap_or_default());
    Ok(Some(Mismatch::of_reading(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heedful::Conventions;
    use heedful_base::bot::Bot;

    #[test]
    fn nothing_comes_of_a_thorough_reading() {
        let page = "<!doctype html><html><head><title>t</title><base href=/x><meta name=robots content=noarchive>\
             <body class=wide><p>one <b class=robots-noindex>two</b> <!--noindex-->three<!--/noindex--> <img alt=a>\
             <noscript><meta name=robots content=noindex></noscript><a href=/ rel=nofollow>four</a></html> ";
        for dialects in ["web", "all", "none"] {
            let dialects = Conventions::parse(dialects).unwrap_or_default();
            let filter = Bot::new("FooBot").map(|bot| Filter::new(bot).dialects(dialects));
            let filter = filter.unwrap_or_else(|_| unreachable!());
            let found = difference(
                &filter,
                "https://site.example/",
                page.as_bytes(),
                &Surroundings::default(),
            );
            assert!(found.is_ok_and(|found| found.is_none()));
        }
    }
}
