//! Replays the changes of the site in site.txt with the library. The index is never compacted,
//! compacted after every step, or compacted after some steps.

use std::path::PathBuf;

use heedful_input::Inputs;
use heedful_run::{Gate, Run, apply_outcome};

use crate::common::{Random, create, filter, folder};
use crate::site::live;

fn live_compacting(compacts: impl FnMut() -> bool) {
    let folder = folder();
    let index = create(folder.path());
    let filter = filter();
    let feed = |paths: &[PathBuf]| {
        let inputs = Inputs::default().open(paths).unwrap();
        let (mut writer, gate) = (index.writer(1).unwrap(), Gate::default());
        let settled = Run::new(&inputs, &gate, 2).filter(&filter, |outcome, _| {
            apply_outcome(&mut writer, &outcome).map(|_| ())
        });
        settled.unwrap();
        writer.commit().unwrap();
    };
    live(
        || index.clone(),
        feed,
        || assert!(index.compact().is_ok()),
        compacts,
    );
}

#[test]
fn a_site_changes() {
    live_compacting(|| false);
}

#[test]
fn a_site_changes_and_the_index_is_compacted_each_time() {
    live_compacting(|| true);
}

#[test]
fn a_site_changes_and_the_index_is_compacted_now_and_then() {
    let mut random = Random(1);
    live_compacting(|| random.below(3) == 0);
}
