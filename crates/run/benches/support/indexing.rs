//! Indexes a file of pages as the program does, with a log of decisions beside the index or without
//! one.

use std::path::Path;

use heedful::{Bot, Filter};
use heedful_evidence::IndexEvidence;
use heedful_index::Index;
use heedful_input::{Input, Inputs};
use heedful_run::{Run, apply_outcome, survey, survey_for_evidence};

/// Opens a file of pages as the inputs of a run.
pub(crate) fn inputs(path: &Path) -> Vec<Input> {
    Inputs::default().open(&[path]).unwrap()
}

/// Creates an index of a file of pages in the folder `place`. The log of decisions is in the folder
/// `log`. No log is written if `log` is `None`.
pub(crate) fn index(pages: &Path, place: &Path, log: Option<&Path>) {
    let (inputs, filter) = (inputs(pages), Filter::new(Bot::new("heedful").unwrap()));
    let index = Index::create(place, &filter).unwrap();
    let (index, (gate, filter)) = match log {
        Some(log) => (
            index.evidence(log),
            survey_for_evidence(&inputs, filter).unwrap(),
        ),
        None => (index, survey(&inputs, filter).unwrap()),
    };
    let mut writer = index.writer(1).unwrap();
    Run::new(&inputs, &gate, 1)
        .filter(&filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(drop)
        })
        .unwrap();
    writer.commit().unwrap();
}
