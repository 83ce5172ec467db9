//! The stream beside a thorough one, which hears every tile and judges every place twice: nothing may come of that.
//!
//! All is compared that a pass leaves of its tiles, its directives and its notes. A difference either way is told as a leak: where
//! both do not read the same, no shortcut can be trusted.

use std::ops::Range;

use crate::bot::BotSet;
use crate::error::Result;
use crate::filter::Filter;
use crate::ledger::{Outcome, VerdictId};
use crate::note::Note;
use crate::policy::{Directive, Facet};
use crate::sink::Sink;
use crate::walk::Judged;

use super::{Around, Difference, streamed};

/// All tiles, as they were judged.
#[derive(Debug, Default)]
struct Tiles {
    tiles: Vec<(VerdictId, BotSet, bool)>,
    starts: Vec<u64>,
}

impl Sink for Tiles {
    fn tile(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.tiles.push((judged.id(), judged.breaks(), judged.is_region_mark()));
        self.starts.push(judged.tile().start());
        Ok(())
    }

    fn finish(&mut self, _: &Outcome) -> Result<()> {
        Ok(())
    }
}

/// What a pass leaves.
#[derive(PartialEq, Eq)]
struct Left {
    tiles: Vec<([BotSet; Facet::COUNT], BotSet, bool)>,
    directives: Vec<(Directive, Option<Range<u64>>)>,
    notes: Vec<Note>,
}

impl Left {
    fn of(tiles: &Tiles, outcome: &Outcome) -> Self {
        let denied = |id: VerdictId| Facet::ALL.map(|facet| outcome.verdict(id).denied(facet));
        let directives = outcome.heard().map(|(id, directive)| (directive.clone(), outcome.reach(id)));
        Self {
            tiles: tiles.tiles.iter().map(|(id, breaks, is_mark)| (denied(*id), *breaks, *is_mark)).collect(),
            directives: directives.collect(),
            notes: outcome.notes().to_vec(),
        }
    }
}

/// What comes of a thorough reading of a page, if anything does.
pub(super) fn difference(filter: &Filter, url: &str, page: &[u8], around: &Around<'_>) -> Result<Option<Difference>> {
    let (tiles, outcome) = streamed(filter, Tiles::default(), url, page, around)?;
    let (all_tiles, all) = streamed(&filter.clone().thorough(), Tiles::default(), url, page, around)?;
    let (gated, heard) = (Left::of(&tiles, &outcome), Left::of(&all_tiles, &all));
    if gated == heard {
        return Ok(None);
    }
    let first = gated.tiles.iter().zip(&heard.tiles).position(|(gated, heard)| gated != heard);
    let place = first.and_then(|at| tiles.starts.get(at)).map(|start| format!(" from byte {start} on"));
    let text = format!("a thorough reading differs{}", place.unwrap_or_default());
    Ok(Some(Difference::of_reading(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::Bot;
    use crate::dialect::Dialects;

    #[test]
    fn nothing_comes_of_a_thorough_reading() {
        let page = "<!doctype html><html><head><title>t</title><base href=/x><meta name=robots content=noarchive>\
             <body class=wide><p>one <b class=robots-noindex>two</b> <!--noindex-->three<!--/noindex--> <img alt=a>\
             <noscript><meta name=robots content=noindex></noscript><a href=/ rel=nofollow>four</a></html> ";
        for dialects in ["web", "all", "none"] {
            let dialects = Dialects::parse(dialects).unwrap_or_default();
            let filter = Bot::new("FooBot").map(|bot| Filter::new(bot).dialects(dialects));
            let filter = filter.unwrap_or_else(|_| unreachable!());
            let found = difference(&filter, "https://site.example/", page.as_bytes(), &Around::default());
            assert!(found.is_ok_and(|found| found.is_none()));
        }
    }
}
