//! Tests of anchor texts of links to a page: the pages that have the links, and the weight of the
//! texts in scores.

use heedful_index::{Index, Query};

use crate::common::{add, create, filter, folder, found, index};

const SITE: &str = "https://site.example/";
const TARGET: (&str, &str) = ("https://t.example/t", "<p>plain");
const T: &str = "https://t.example/t";

/// Creates an index of these pages, each on its own host, and of the page [`TARGET`] that they link
/// to.
fn calling(pages: &[&str]) -> (tempfile::TempDir, Index) {
    let urls: Vec<_> = (0..pages.len())
        .map(|number| format!("https://h{number}.example/"))
        .collect();
    let mut all: Vec<_> = urls
        .iter()
        .map(String::as_str)
        .zip(pages.iter().copied())
        .collect();
    all.push(TARGET);
    index(&all)
}

/// Runs `check` on an index, compacts the index, and runs `check` again.
fn assert_both(index: &Index, check: impl Fn(&Index)) {
    check(index);
    index.compact().unwrap();
    check(index);
}

#[test]
fn no_phrase_crosses_two_anchors_nor_what_is_withheld_in_one() {
    const LINK: &str = "<a href=https://t.example/t>";
    let region = |link: &str| {
        format!("{link}dark <!-- robots content=\"noindex\" -->x<!-- /robots --> rye</a>")
    };
    let empty = format!("{LINK}dark <!--noindex--><!--/noindex--> rye</a>");
    let element = format!("{LINK}dark <b class=robots-noindex>x</b> rye</a>");
    let one_page = format!("{LINK}dark</a> {LINK}rye</a>");
    let (dark, rye) = (format!("{LINK}dark</a>"), format!("{LINK}rye</a>"));
    let relative = region("<a href=//t.example/t>");
    for pages in [
        &[region(LINK).as_str()][..],
        &[&relative],
        &[&empty],
        &[&element],
        &[&dark, &rye],
    ] {
        let (_folder, index) = calling(pages);
        assert_both(&index, |index| {
            for slop in ["", "~1", "~2", "~255", "~1000000", "*"] {
                assert_eq!(
                    found(index, &format!("\"dark rye\"{slop}")),
                    [""; 0],
                    "{pages:?} {slop}"
                );
                assert_eq!(
                    found(index, &format!("anchor:\"dark rye\"{slop}")),
                    [""; 0],
                    "{pages:?} {slop}"
                );
                assert_eq!(
                    found(index, &format!("\"rye dark\"{slop}")),
                    [""; 0],
                    "{pages:?} {slop}"
                );
            }
            assert_eq!(found(index, "anchor:dark anchor:rye"), [T], "{pages:?}");
            assert_eq!(found(index, "anchor:x"), [""; 0], "{pages:?}");
        });
    }
    // A page that contains both words matches as a phrase itself, but the target does not.
    let (_folder, index) = calling(&[&one_page]);
    assert_both(&index, |index| {
        assert_eq!(found(index, "\"dark rye\"~255"), ["https://h0.example/"]);
        assert_eq!(found(index, "anchor:\"dark rye\"~255"), [""; 0]);
        assert_eq!(found(index, "anchor:dark anchor:rye"), [T]);
    });
    let (_folder, index) = calling(&[&format!("{LINK}dark rye</a>")]);
    assert_both(&index, |index| {
        assert_eq!(found(index, "anchor:\"dark rye\""), [T]);
    });
}

#[test]
fn who_may_not_lends_nothing() {
    const PROFILE: &str = "<head profile='http://example.org/xmdp/robots-profile#'></head>";
    let link = "<p>own <a href=https://t.example/t>market</a>";
    let pages = [
        link.replace("<a ", "<a rel=nofollow "),
        link.replace("<a ", "<a rel='noopener UGC' "),
        link.replace("<a ", "<a rel=sponsored "),
        format!("<!--googleoff: anchor-->{link}<!--googleon: anchor-->"),
        format!("<!-- robots content=\"nofollow\" -->{link}<!-- /robots -->"),
        format!("<!--noindex-->{link}<!--/noindex-->"),
        format!("{PROFILE}<div class=robots-noanchortext>{link}</div>"),
        format!("<div class=robots-nofollow>{link}</div>"),
        format!("<noindex>{link}</noindex>"),
        format!("<meta name=robots content=nofollow>{link}"),
        format!("<meta name=foobot content='none'>{link}"),
        format!("<meta name=robots content=noindex>{link}"),
        format!("{link}<meta http-equiv=X-Robots-Tag content=nofollow>"),
        link.replace("market", "<img alt='' src=x>"),
        format!("<template>{link}</template>"),
    ];
    for page in &pages {
        let (_folder, index) = calling(&[page]);
        assert_eq!(index.search().unwrap().anchors().unwrap(), [], "{page}");
        assert_eq!(found(&index, "anchor:market"), [""; 0], "{page}");
        assert!(!found(&index, "market").contains(&T.to_owned()), "{page}");
    }
    for page in [
        link,
        &link.replace("<a ", "<a rel=noopener "),
        "<a href=https://t.example/t><img alt=market src=x></a>",
    ] {
        let (_folder, index) = calling(&[page]);
        assert_eq!(found(&index, "anchor:market"), [T], "{page}");
    }
}

#[test]
fn a_header_and_a_robots_txt_take_back_what_was_lent() {
    let link = "<p>own <a href=https://t.example/t>market</a>";
    let (_folder, index) = calling(&[link]);
    let read = |header: &str, robots: &[u8]| {
        let mut pass = filter().open("https://h0.example/").unwrap();
        pass.robots_txt(&heedful::RobotsTxt::parse(robots));
        pass.header("X-Robots-Tag", header);
        pass.write(link.as_bytes()).unwrap();
        pass.end().unwrap()
    };
    for (header, robots) in [
        ("nofollow", &b""[..]),
        ("noindex", b""),
        ("", b"User-agent: *\nDisallow: /"),
    ] {
        let (open, shut) = (read("", b""), read(header, robots));
        for (page, expected) in [(open, &[T][..]), (shut, &[])] {
            let mut writer = index.writer(1).unwrap();
            writer.add(&page).unwrap();
            writer.commit().unwrap();
            drop(writer);
            assert_both(&index, |index| {
                assert_eq!(found(index, "anchor:market"), expected, "{header}");
            });
        }
    }
}

#[test]
fn a_page_does_not_name_itself() {
    let html = "<p><a href='#part'>alfa</a> <a href=//SITE.example:443/x/../>bravo</a> <a href=>charlie</a>";
    let (_folder, index) = index(&[(SITE, html)]);
    assert_eq!(index.search().unwrap().anchors().unwrap(), []);
    assert_eq!(
        found(&index, "anchor:alfa OR anchor:bravo OR anchor:charlie"),
        [""; 0]
    );
}

/// Returns the score of the page [`TARGET`] in an index. The index has several hosts with `pages`
/// pages each. A page links to [`TARGET`] only if `callers` returns true for the page's host and
/// number.
fn score(
    hosts: &[usize],
    pages: usize,
    callers: impl Fn(usize, usize) -> bool,
    query: &str,
) -> f32 {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    add(&mut writer, TARGET.0, TARGET.1);
    for host in hosts {
        for page in 0..pages {
            let text = if callers(*host, page) {
                "<a href=https://t.example/t>market</a>"
            } else {
                "other"
            };
            add(
                &mut writer,
                &format!("https://h{host}.example/{page}"),
                text,
            );
        }
    }
    writer.commit().unwrap();
    drop(writer);
    let score = || {
        let found = index
            .search()
            .unwrap()
            .find(&Query::new(query).most(1000))
            .unwrap();
        found
            .hits()
            .iter()
            .find(|hit| hit.url() == T)
            .unwrap()
            .score()
    };
    let before = score();
    index.compact().unwrap();
    assert_eq!(score(), before);
    before
}

#[test]
fn a_menu_on_each_page_of_a_host_is_one_vote() {
    for query in ["anchor:market", "market", "plain market"] {
        let menu = score(&[0], 200, |_, _| true, query);
        assert_eq!(
            menu,
            score(&[0], 200, |_, page| page == 77, query),
            "{query}"
        );
        let [one, two, all] = [1, 2, 20].map(|hosts| {
            score(
                &(0..20).collect::<Vec<_>>(),
                10,
                |host, _| host < hosts,
                query,
            )
        });
        assert!(one < two && two < all, "{query}: {one} {two} {all}");
    }
}

#[test]
fn of_many_votes_two_hundred_count() {
    let hosts: Vec<_> = (0..220).collect();
    let [fewer, most, more] =
        [150, 200, 220].map(|votes| score(&hosts, 1, |host, _| host < votes, "anchor:market"));
    assert!(fewer < most, "{fewer} {most}");
    assert_eq!(most, more);
}
