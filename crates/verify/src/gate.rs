//! Compares a normal filter pass over a page with a thorough pass, which skips no token, judges
//! every place twice, and asks the tokenizer to confirm each start tag.
//!
//! The tokens, directives and notes of the normal and the thorough pass must be equal. Any
//! difference is reported as a leak, since a shortcut that changes a reading cannot be trusted.

use std::ops::Range;

use crate::oracle::Surroundings;
use heedful::{Directive, Filter, Judged, Note, PageEnd, Sink, Use, VerdictId};
use heedful_base::bot::BotSet;
use heedful_base::error::Result;

use super::difference::Mismatch;
use super::stream::read_stream;

/// Sink of a filter pass that records all tokens of a page with their verdicts.
#[derive(Debug, Default)]
struct SeenTokens(Vec<SeenTile<VerdictId>>);

/// A recorded token, with its start in the page and its verdict. `breaks` has the bots for which a
/// phrase ends before the token. `is_mark` is true if the token begins or ends a region.
#[derive(Debug, PartialEq, Eq)]
struct SeenTile<V> {
    start: u64,
    verdict: V,
    breaks: BotSet,
    is_mark: bool,
}

impl Sink for SeenTokens {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.push(SeenTile {
            start: judged.token().start(),
            verdict: judged.id(),
            breaks: judged.breaks(),
            is_mark: judged.is_region_mark(),
        });
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// Results of one pass over a page. They are compared with the results of another pass.
#[derive(PartialEq, Eq)]
struct GateReading {
    tokens: Vec<SeenTile<[BotSet; Use::COUNT]>>,
    directives: Vec<(Directive, Option<Range<u64>>)>,
    notes: Vec<Note>,
}

impl GateReading {
    fn new(tokens: SeenTokens, outcome: &PageEnd) -> Self {
        let mut reading = Self {
            tokens: Vec::new(),
            directives: Vec::new(),
            notes: outcome.notes().to_vec(),
        };
        for token in tokens.0 {
            let verdict = outcome.verdict(token.verdict);
            reading.tokens.push(SeenTile {
                start: token.start,
                verdict: Use::ALL.map(|usage| verdict.denied(usage)),
                breaks: token.breaks,
                is_mark: token.is_mark,
            });
        }
        for (id, directive) in outcome.numbered_directives() {
            let reach = outcome.reach(id);
            reading.directives.push((directive.clone(), reach));
        }
        reading
    }

    fn read(filter: &Filter, url: &str, page: &[u8], around: &Surroundings<'_>) -> Result<Self> {
        let (tokens, outcome) = read_stream(filter, SeenTokens::default(), url, page, around)?;
        Ok(Self::new(tokens, &outcome))
    }
}

/// Compares the normal pass over a page with the thorough pass, which takes no shortcuts. Returns a
/// difference, or `None` if both have the same results.
pub(super) fn difference(
    filter: &Filter,
    url: &str,
    page: &[u8],
    around: &Surroundings<'_>,
) -> Result<Option<Mismatch>> {
    let gated = GateReading::read(filter, url, page, around)?;
    let thorough = match GateReading::read(&filter.clone().thorough(), url, page, around) {
        Ok(thorough) => thorough,
        Err(error) => {
            let text = format!("a thorough reading refuses the page: {error}");
            return Ok(Some(Mismatch::of_reading(text)));
        }
    };
    if gated == thorough {
        return Ok(None);
    }
    let mut text = "a thorough reading differs".to_owned();
    for (token, other) in gated.tokens.iter().zip(&thorough.tokens) {
        if token != other {
            text.push_str(&format!(" from byte {} on", token.start));
            break;
        }
    }
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
