//! Searches do not find expired pages, the links of these pages give no anchor texts, and their
//! snapshots are not shown. A purge removes them.

use std::time::Duration;

use heedful_index::{Gone, Index, UrlState};
use heedful_run::Purge;

use crate::common::{anchors, at, filter, found_at, index};

/// The time 2030-01-02T00:00:00Z, in seconds since 1970.
const TIME: u64 = 1_893_542_400;
const FAIR: &str = "https://site.example/fair";
const STALL: &str = "https://site.example/stall";
const PAGES: [(&str, &str); 2] = [
    (
        FAIR,
        "<meta name=robots content='unavailable_after: 2030-01-02T00:00:00Z'><p>market <a href=/stall>the very best</a>",
    ),
    (STALL, "<p>market <a href=/fair>near the fair</a>"),
];

/// Checks which pages are found at a time, which have anchor texts, and which snapshots are shown.
/// `is_there` is true if the expiring page must be found at that time.
fn assert_at(index: &Index, seconds: Option<u64>, is_there: bool) {
    let search = index.search().unwrap();
    let now = seconds.map(at);
    let both: &[&str] = if is_there { &[FAIR, STALL] } else { &[STALL] };
    assert_eq!(found_at(&search, "market", now), both, "at {now:?}");
    let called: &[&str] = if is_there { &[STALL] } else { &[] };
    assert_eq!(found_at(&search, "anchor:best", now), called, "at {now:?}");
    assert_eq!(
        found_at(&search, "anchor:\"the very best\"", now),
        called,
        "at {now:?}"
    );
    assert_eq!(
        found_at(&search, "market best", now),
        if is_there { both } else { &[] },
        "at {now:?}"
    );
    assert_eq!(
        found_at(&search, "anchor:fair", now),
        if is_there { &[FAIR][..] } else { &[] },
        "at {now:?}"
    );
    assert_eq!(
        search.snapshot(FAIR, now).unwrap().is_some(),
        is_there,
        "at {now:?}"
    );
    assert!(search.snapshot(STALL, now).unwrap().is_some(), "at {now:?}");
}

#[test]
fn what_has_expired_is_hidden_and_then_purged() {
    for is_compacted in [false, true] {
        let (_folder, index) = index(&PAGES);
        if is_compacted {
            index.compact().unwrap();
        }
        for (seconds, is_there) in [
            (None, true),
            (Some(0), true),
            (Some(TIME), true),
            (Some(TIME + 1), false),
        ] {
            assert_at(&index, seconds, is_there);
        }
        assert_eq!(index.search().unwrap().expired(at(TIME)).unwrap(), [""; 0]);
        assert_eq!(
            index.search().unwrap().expired(at(TIME + 1)).unwrap(),
            [FAIR]
        );
        let purged = Purge::default().expired(at(TIME)).run(&index, 1).unwrap();
        assert_eq!((purged.pages, purged.removed_pages.len()), (2, 0));
        let purged = Purge::default()
            .expired(at(TIME + 1))
            .run(&index, 1)
            .unwrap();
        let dropped: Vec<_> = purged
            .removed_pages
            .iter()
            .map(|page| (page.url(), page.reason()))
            .collect();
        assert_eq!(dropped, [(FAIR, Gone::Expired)]);
        assert_gone(&index);
        index.compact().unwrap();
        assert_gone(&index);
    }
}

fn assert_gone(index: &Index) {
    for seconds in [None, Some(0), Some(TIME + 1)] {
        let (search, now) = (index.search().unwrap(), seconds.map(at));
        assert_eq!(found_at(&search, "market", now), [STALL]);
        assert_eq!(found_at(&search, "best", now), [""; 0]);
        assert_eq!(search.snapshot(FAIR, now).unwrap(), None);
        assert_eq!(anchors(&search), [[STALL, FAIR, "near the fair"]]);
        assert_eq!(
            search.known(FAIR, None).unwrap(),
            Some(UrlState::Gone {
                reason: Gone::Expired,
                why: String::new()
            })
        );
    }
    assert_eq!(index.check().unwrap(), [""; 0]);
}

/// A page has expired if the clock is a fraction of a second later than its expiry date. A filter
/// and a search agree about that.
#[test]
fn what_a_filter_takes_for_expired_a_search_does_too() {
    let now = at(TIME) + Duration::from_millis(500);
    let page = filter()
        .now(now)
        .page(FAIR, &[], PAGES[0].1.as_bytes())
        .unwrap();
    assert!(!page.policy().allows(heedful::Use::Index));
    let (_folder, index) = index(&PAGES);
    let search = index.search().unwrap();
    assert_eq!(found_at(&search, "market", Some(now)), [STALL]);
    assert_eq!(search.snapshot(FAIR, Some(now)).unwrap(), None);
    assert_eq!(search.expired(now).unwrap(), [FAIR]);
}

/// A page that has expired when it is added to the index is not indexed. An older version of the
/// page is removed.
#[test]
fn a_clock_at_the_door_says_the_same() {
    let (_folder, index) = index(&PAGES);
    let page = filter()
        .now(at(TIME + 1))
        .page(FAIR, &[], PAGES[0].1.as_bytes())
        .unwrap();
    let mut writer = index.writer(1).unwrap();
    writer.add(&page).unwrap();
    writer.commit().unwrap();
    drop(writer);
    let known = index.search().unwrap().known(FAIR, None).unwrap();
    assert!(
        matches!(&known, Some(UrlState::Gone { reason: Gone::Expired, why }) if why.contains("unavailable_after")),
        "{known:?}"
    );
    assert_eq!(found_at(&index.search().unwrap(), "best", None), [""; 0]);
    assert_eq!(index.check().unwrap(), [""; 0]);
}
