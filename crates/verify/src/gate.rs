//! Compares the stream with a thorough one, which hears every token and judges every place twice.
//! The result must be the same.
//!
//! All that a pass leaves is compared: tokens, directives and notes. Any difference is reported as a
//! leak, since no shortcut can be trusted if the two read differently.

use std::ops::Range;

use crate::oracle::Surroundings;
use heedful::{Directive, Filter, Judged, Note, PageEnd, Sink, Use, VerdictId};
use heedful_base::bot::BotSet;
use heedful_base::error::{Error, Result};

use super::difference::Mismatch;
use super::stream::streamed;

/// All tokens, as they were judged.
#[derive(Debug, Default)]
struct Tokens(Vec<SeenTile<VerdictId>>);

/// A token: its start, its verdict, the bots for which a phrase ends at it, and whether it is a
/// region mark.
#[derive(Debug, PartialEq, Eq)]
struct SeenTile<V> {
    start: u64,
    verdict: V,
    breaks: BotSet,
    is_mark: bool,
}

impl Sink for Tokens {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let (start, breaks) = (judged.token().start(), judged.breaks());
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
    tokens: Vec<SeenTile<[BotSet; Use::COUNT]>>,
    directives: Vec<(Directive, Option<Range<u64>>)>,
    notes: Vec<Note>,
}

impl Left {
    fn of(tokens: Tokens, outcome: &PageEnd) -> Self {
        let denied = |id: VerdictId| Use::ALL.map(|usage| outcome.verdict(id).denied(usage));
        let token = |SeenTile {
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
            .numbered_directives()
            .map(|(id, directive)| (directive.clone(), outcome.reach(id)));
        Self {
            tokens: tokens.0.into_iter().map(token).collect(),
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
        let (tokens, outcome) = streamed(filter, Tokens::default(), url, page, around)?;
        Ok::<_, Error>(Left::of(tokens, &outcome))
    };
    let (gated, heard) = (left(filter)?, left(&filter.clone().thorough())?);
    if gated == heard {
        return Ok(None);
    }
    let first = gated
        .tokens
        .iter()
        .zip(&heard.tokens)
        .find(|(gated, heard)| gated != heard);
    let place = first.map(|(token, _)| format!(" from byte {} on", token.start));
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
        for conventions in ["web", "all", "none"] {
            let conventions = Conventions::parse(conventions).unwrap_or_default();
            let filter = Bot::new("FooBot").map(|bot| Filter::new(bot).conventions(conventions));
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
