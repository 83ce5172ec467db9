//! A pass may go from thread to thread, and be held over an `.await`: it is `Send`, and so is all that a page leaves. No
//! page depends on the threads that read it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "support/soup.rs"]
#[allow(dead_code, reason = "each user takes a part")]
mod soup;

use std::thread;
use std::time::SystemTime;

use heedful::{
    Bot, CutMark, Explanation, Filter, Limits, Page, PagePolicies, Pass, PolicyPass, Result, RobotsTxt, Snapshot,
    Witness,
};
use proptest::prelude::*;

const URL: &str = "https://site.example/dir/page";
/// Each page begins with marks, so that its tree is followed, and with formatting that is opened again.
const MARKED: &str = "<b class=robots-noarchive><p class=robots-noindex>a<p>b";

fn is_send<T: Send>() {}
fn is_send_and_sync<T: Send + Sync>() {}

#[test]
fn pass_is_send() {
    is_send::<Pass>();
    is_send::<Pass<Snapshot<Vec<u8>>>>();
    is_send::<Pass<Snapshot<Box<dyn std::io::Write + Send>>>>();
    is_send::<Pass<Witness>>();
    is_send::<PolicyPass>();
    is_send_and_sync::<Filter>();
    is_send_and_sync::<RobotsTxt>();
    is_send_and_sync::<Page>();
    is_send_and_sync::<PagePolicies>();
    is_send_and_sync::<Explanation>();
}

/// Gives a pass its page in pieces, each on a thread of its own.
fn on_threads<P: Send>(
    pass: P,
    page: &[u8],
    piece: usize,
    write: impl Fn(&mut P, &[u8]) -> Result<()> + Sync,
) -> Result<P> {
    page.chunks(piece).try_fold(pass, |mut pass, piece| {
        let write = &write;
        thread::scope(|scope| scope.spawn(move || write(&mut pass, piece).map(|()| pass)).join().unwrap())
    })
}

/// All that is known of a page, or its error.
fn read(filter: &Filter, page: &[u8], piece: Option<usize>) -> String {
    let piece = piece.unwrap_or(page.len()).max(1);
    let snapshot = Snapshot::new(Vec::new(), CutMark::new("[...]"));
    let ended = on_threads(filter.open(URL).unwrap(), page, piece, Pass::write).and_then(|pass| pass.end());
    let copied = on_threads(filter.open_with(URL, snapshot).unwrap(), page, piece, Pass::write);
    let copied = copied.and_then(Pass::into_sink).map(Snapshot::into_inner);
    let policies = on_threads(filter.open_policies(URL).unwrap(), page, piece, PolicyPass::write);
    let why = on_threads(filter.explain(URL).unwrap(), page, piece, Pass::write);
    let why = why.and_then(|pass| pass.end());
    format!("{ended:?}\n{copied:?}\n{:?}\n{why:?}", policies.and_then(PolicyPass::end))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_page_does_not_depend_on_the_threads(choices in prop::collection::vec(any::<u32>(), 40..400), piece in 1_usize..90) {
        let mut next = choices.iter().cycle();
        let mut choose = |below: usize| *next.next().unwrap() as usize % below.max(1);
        let soup = MARKED.to_owned() + &soup::page(40, &mut choose);
        let filter = Filter::for_bots(vec![Bot::new("FooBot").unwrap(), Bot::new("googlebot").unwrap()]).unwrap();
        let filter = filter.now(SystemTime::UNIX_EPOCH);
        for filter in [filter.clone(), filter.limits(Limits::default().kept_bytes(0))] {
            prop_assert_eq!(read(&filter, soup.as_bytes(), Some(piece)), read(&filter, soup.as_bytes(), None), "{}", soup);
        }
    }
}
