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

/// Reads each of the records; `collector` makes a collector for one.
pub(crate) fn read_records<'a>(
    records: &[RecordUse<'_>],
    collector: impl Fn() -> StatementCollector<'a>,
) -> Vec<StatementCollector<'a>> {
    let mut collectors = Vec::new();
    let mut answers = Vec::new();
    for record in records {
        let mut collector = collector();
        answers.push(read_answers(record, &mut collector));
        collectors.push(collector);
    }
    let deciding = deciding(records, &answers);
    for ((record, answers), collector) in records.iter().zip(&answers).zip(&mut collectors) {
        for answer in answers {
            if deciding.contains(&(record.length, *answer)) {
                answer.report(answers, Extent::Response, collector);
            }
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

fn read_answers(record: &RecordUse<'_>, collector: &mut StatementCollector<'_>) -> Vec<UseAnswer> {
    let mut answers = match record.key {
        "Noindex" => path_answer("noindex-record", Use::Index, true),
        // In a group for training alone, rules are about use.
        "DisallowAITraining" | "Disallow" => path_answer("ai-training", Use::Train, true),
        "AllowAITraining" | "Allow" => path_answer("ai-training", Use::Train, false),
        "TDM-Reservation" if collector.conventions.has("tdm") => {
            tdm::read_reservation(record.value, collector)
        }
        "Content-Signal" if collector.conventions.has(signal::CONVENTION) => {
            read_both_answers(record.value, signal::SHAPE, collector, signal::answers)
        }
        "Content-Usage" if collector.conventions.has(aipref::CONVENTION) => read_both_answers(
            record.value,
            aipref::SHAPE,
            collector,
            aipref::read_preferences,
        ),
        _ => Vec::new(),
    };
    answers.retain(|answer| collector.conventions.has(answer.convention));
    answers
}

/// The answer of a record that has a path and no value.
fn path_answer(convention: &'static str, usage: Use, denies: bool) -> Vec<UseAnswer> {
    vec![UseAnswer {
        convention,
        key: "",
        usage,
        denies,
    }]
}

/// The answers of a value as it is written, and the denials of its lenient forms. The shapes are
/// those of the headers.
fn read_both_answers(
    value: &str,
    shape: Shape,
    collector: &mut StatementCollector<'_>,
    parse: impl Fn(&str, &mut StatementCollector<'_>) -> Vec<UseAnswer>,
) -> Vec<UseAnswer> {
    let mut answers: Option<Vec<UseAnswer>> = None;
    collector.read_text(value, shape, "", |text, collector| {
        let found = parse(text, collector);
        let Some(known) = &mut answers else {
            answers = Some(found);
            return;
        };
        for answer in found {
            if answer.denies && !known.contains(&answer) {
                known.push(answer);
            }
        }
    });
    answers.unwrap_or_default()
}
