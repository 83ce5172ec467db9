//! Records of a robots.txt about the use of pages that the file lets a bot fetch
//! (docs/semantics.md, section 6.1).
//!
//! The crate `heedful-robots` decides which robots.txt records are for a bot and a path, and this
//! file reads their values. If several records answer the same question, the record with the
//! longest path decides. If the longest paths are equally long, a denial wins. Words that do not
//! parse decide nothing, and are noted.

use crate::policy::{Extent, Use};
use heedful_base::lenient::Shape;

use super::answer::UseAnswer;
use super::collector::StatementCollector;
use super::{aipref, signal, tdm};

/// A robots.txt record that matches a page and states how the page may be used. The fields are the
/// record's key in the usual spelling, its value, and the length of its path. If two records
/// disagree, the one with the longer path decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordUse<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) length: usize,
}

/// Reads the robots.txt records that match a page. Returns one collector with the statements of
/// each record, in the order of `records`. The callback `collector` creates an empty collector.
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

/// Returns the deciding answer to each question (see [`UseAnswer`]), paired with the length of its
/// record's path. The answer with the longest path decides. If paths are equally long, a denial
/// decides. `answers` has a list of answers for each record in `uses`.
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
        // In a group for training alone, the rules are about that use and not about fetching.
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

/// Returns the answer of a robots.txt record that consists only of a name and a path, such as
/// `Noindex: /private`.
fn path_answer(convention: &'static str, usage: Use, denies: bool) -> Vec<UseAnswer> {
    vec![UseAnswer {
        convention,
        key: "",
        usage,
        denies,
    }]
}

/// Returns the answers in a robots.txt record's value. The exact form of the value gives all its
/// answers. Each lenient form, which the author may have meant, gives only its denials. `shape` is
/// the syntax of the value, and decides which lenient forms the value has.
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
