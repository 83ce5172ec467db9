//! Records of a robots.txt about the use of pages that it lets a bot fetch (docs/semantics.md,
//! section 6.1).
//!
//! `robots_txt` decides which records are for a bot and a path; this file reads their values. For
//! each question the longest path decides, and a denial wins a tie. Unreadable words decide
//! nothing, with a note.

use crate::policy::{Extent, Use};
use heedful_base::lenient::Shape;

use super::answer::UseAnswer;
use super::collector::StatementCollector;
use super::{aipref, signal, tdm};

/// One record that matches a page: its key in the usual spelling, its value, the length of its
/// path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordUse<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) length: usize,
}

/// Hears each of the records; `collector` makes a listener for one.
pub(crate) fn read_records<'a>(
    uses: &[RecordUse<'_>],
    collector: impl Fn() -> StatementCollector<'a>,
) -> Vec<StatementCollector<'a>> {
    let mut collectors: Vec<_> = uses.iter().map(|_| collector()).collect();
    let answers: Vec<_> = uses
        .iter()
        .zip(&mut collectors)
        .map(|(one, collector)| read_answers(one, collector))
        .collect();
    let deciding = deciding(uses, &answers);
    for ((one, answers), collector) in uses.iter().zip(&answers).zip(&mut collectors) {
        for answer in answers
            .iter()
            .filter(|answer| deciding.contains(&(one.length, **answer)))
        {
            answer.report(answers, Extent::Response, collector);
        }
    }
    collectors
}

/// For each question, the answer of the longest path. There are few answers, however many records
/// repeat them.
fn deciding(uses: &[RecordUse<'_>], answers: &[Vec<UseAnswer>]) -> Vec<(usize, UseAnswer)> {
    let mut deciding: Vec<(usize, UseAnswer)> = Vec::new();
    for (one, answers) in uses.iter().zip(answers) {
        for answer in answers {
            match deciding
                .iter_mut()
                .find(|(_, rival)| rival.is_rival(answer))
            {
                Some((length, best)) if (*length, best.denies) < (one.length, answer.denies) => {
                    (*length, *best) = (one.length, *answer);
                }
                Some(_) => {}
                None => deciding.push((one.length, *answer)),
            }
        }
    }
    deciding
}

fn read_answers(one: &RecordUse<'_>, collector: &mut StatementCollector<'_>) -> Vec<UseAnswer> {
    let path = |convention, usage, denies| {
        vec![UseAnswer {
            convention,
            key: "",
            usage,
            denies,
        }]
    };
    let answers = match one.key {
        "Noindex" => path("noindex-record", Use::Index, true),
        // In a group for training alone, rules are about use.
        "DisallowAITraining" | "Disallow" => path("ai-training", Use::Train, true),
        "AllowAITraining" | "Allow" => path("ai-training", Use::Train, false),
        "TDM-Reservation" if collector.conventions.has("tdm") => {
            tdm::read_reservation(one.value, collector)
        }
        "Content-Signal" if collector.conventions.has(signal::CONVENTION) => {
            read_both_answers(one.value, signal::SHAPE, collector, signal::answers)
        }
        "Content-Usage" if collector.conventions.has(aipref::CONVENTION) => read_both_answers(
            one.value,
            aipref::SHAPE,
            collector,
            aipref::read_preferences,
        ),
        _ => Vec::new(),
    };
    answers
        .into_iter()
        .filter(|answer| collector.conventions.has(answer.convention))
        .collect()
}

/// The answers of a value as it is written, and the denials of its lenient forms. The shapes are
/// those of the headers.
fn read_both_answers(
    said: &str,
    shape: Shape,
    collector: &mut StatementCollector<'_>,
    parse: impl Fn(&str, &mut StatementCollector<'_>) -> Vec<UseAnswer>,
) -> Vec<UseAnswer> {
    let mut answers: Option<Vec<UseAnswer>> = None;
    collector.read_text(said, shape, "", |text, collector| {
        let found = parse(text, collector);
        match &mut answers {
            None => answers = Some(found),
            Some(exact) => {
                let more: Vec<_> = found
                    .into_iter()
                    .filter(|one| one.denies && !exact.contains(one))
                    .collect();
                exact.extend(more);
            }
        }
    });
    answers.unwrap_or_default()
}
