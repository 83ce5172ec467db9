//! Tests of an index over many recrawls: its snapshot files stay small and few, and it answers as a
//! fresh index of the same pages.

use std::fs;

use heedful_index::{Compaction, Gone, Index, Query};

use crate::common::{
    Random, add, anchors, at, create, filter, folder, gone, index, setting, snapshots,
};

fn url(number: usize) -> String {
    format!("https://h{}.example/p{number}", number % 7)
}

fn html(random: &mut Random, pages: usize) -> String {
    let mut text = format!("<title>w{}</title><p>", random.below(90));
    for _ in 0..60 + random.below(60) {
        text.push_str(&format!("w{} ", random.below(90) * random.below(90) / 90));
    }
    for _ in 0..3 {
        let (to, name) = (url(random.below(pages)), random.below(20));
        text.push_str(&format!("<a href='{to}'>n{name}</a> "));
    }
    text
}

/// Returns the number of snapshot files of an index, and their bytes.
fn files(index: &Index, folder: &std::path::Path) -> (usize, u64) {
    let files = fs::read_dir(folder.join("snapshots")).unwrap();
    let files = files.filter(|file| file.as_ref().unwrap().path().extension().unwrap() == "gz");
    (files.count(), index.stats().unwrap().snapshot_bytes())
}

/// Returns the URL and the score of each hit, in order.
fn hits(index: &Index, query: &str) -> Vec<(String, f32)> {
    let search = index.search().unwrap();
    let found = search.find(&Query::new(query).most(10_000)).unwrap();
    let hits = found.hits().iter();
    hits.map(|hit| (hit.url().to_owned(), hit.score()))
        .collect()
}

/// Recrawls a twentieth of an index's pages in each round, of which some are gone. Then compares
/// the index with a fresh one.
fn recrawl(pages: usize, rounds: usize) {
    let mut random = Random(5);
    let mut now: Vec<_> = (0..pages).map(|_| Some(html(&mut random, pages))).collect();
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    for (number, html) in now.iter().enumerate() {
        add(&mut writer, &url(number), html.as_ref().unwrap());
    }
    writer.commit().unwrap();
    let (_, first) = files(&index, folder.path());
    let mut most = 0;
    for round in 0..rounds {
        for _ in 0..pages / 20 {
            let number = random.below(pages);
            now[number] = (random.below(5) > 0).then(|| html(&mut random, pages));
            match &now[number] {
                Some(html) => add(&mut writer, &url(number), html),
                None => writer.remove(&url(number), Gone::Status(404), "").unwrap(),
            }
        }
        if random.below(3) == 0 {
            // Replaced twice between two commits.
            let number = random.below(pages);
            if now[number].is_some() {
                add(&mut writer, &url(number), "<p>in between");
                let html = now[number].insert(html(&mut random, pages));
                add(&mut writer, &url(number), html);
            }
        }
        writer.commit().unwrap();
        let (count, bytes) = files(&index, folder.path());
        // Seven at most of each size class, and the file of this commit.
        assert!(count <= 15, "round {round}: {count} files");
        most = most.max(bytes);
    }
    drop(writer);
    assert_eq!(index.check().unwrap(), [""; 0]);
    let other = crate::common::folder();
    let fresh = create(other.path());
    let mut writer = fresh.writer(1).unwrap();
    for (number, html) in now.iter().enumerate() {
        if let Some(html) = html {
            add(&mut writer, &url(number), html);
        }
    }
    writer.commit().unwrap();
    let (old, new) = (index.search().unwrap(), fresh.search().unwrap());
    assert_eq!(old.urls().unwrap(), new.urls().unwrap());
    assert!(snapshots(&old) == snapshots(&new));
    assert_eq!(anchors(&old), anchors(&new));
    for query in ["w1", "w30 w7", "anchor:n3", "\"w2 w5\"~9", "title:w40"] {
        assert_eq!(hits(&index, query), hits(&fresh, query), "{query}");
    }
    assert!(
        most * 2 <= first * 3,
        "{most} bytes of snapshots, {first} at first"
    );
    let (_, grown) = files(&index, folder.path());
    let (_, least) = files(&fresh, other.path());
    assert!(
        grown * 2 <= least * 3,
        "{grown} bytes of snapshots, {least} in a fresh index"
    );
}

#[test]
fn snapshots_stay_small_over_many_recrawls() {
    recrawl(200, 30);
}

#[test]
#[ignore = "takes minutes; YEARS_PAGES and YEARS_ROUNDS set its size"]
fn snapshots_stay_small_over_years() {
    recrawl(setting("YEARS_PAGES", 3000), setting("YEARS_ROUNDS", 60));
}

/// Each commit writes a file of its own, and eight of them become one.
#[test]
fn small_files_are_joined() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    for number in 0..30 {
        add(&mut writer, &url(number), &format!("<p>page {number}"));
        writer.commit().unwrap();
        assert!(files(&index, folder.path()).0 <= 8);
    }
    drop(writer);
    assert_eq!(snapshots(&index.search().unwrap()).len(), 30);
    assert_eq!(index.check().unwrap(), [""; 0]);
}

/// A reader of an older commit reads snapshots whose file was rewritten since.
#[test]
fn a_reader_keeps_the_files_of_its_commit() {
    let pages: Vec<_> = (0..6)
        .map(|number| (url(number), format!("<p>old {number}")))
        .collect();
    let pages: Vec<_> = pages.iter().map(|(url, html)| (&**url, &**html)).collect();
    let (folder, index) = index(&pages);
    let reader = index.search().unwrap();
    let before = snapshots(&reader);
    let mut writer = index.writer(1).unwrap();
    for number in 0..4 {
        add(&mut writer, &url(number), "<p>new");
    }
    writer.commit().unwrap();
    assert!(!folder.path().join("snapshots/00000001.warc.gz").exists());
    assert_eq!(snapshots(&reader), before);
    let now = snapshots(&index.search().unwrap());
    assert_eq!((now.len(), &now[5]), (6, &before[5]));
}

/// What a page loses by a header or by the user leaves its file too.
#[test]
fn a_snapshot_that_is_taken_back_is_no_longer_counted() {
    let (folder, index) = index(&[
        ("https://a.example/1", "<p>one"),
        ("https://a.example/2", "<p>two"),
    ]);
    let mut writer = index.writer(1).unwrap();
    let header = [("X-Robots-Tag", "noarchive")];
    let unchanged = filter().page("https://a.example/1", &header, b"").unwrap();
    writer.confirm(&unchanged, Some(at(10))).unwrap();
    writer.remove_snapshot("https://a.example/1").unwrap();
    writer.commit().unwrap();
    assert_eq!(index.check().unwrap(), [""; 0]);
    writer.remove_snapshot("https://a.example/2").unwrap();
    add(&mut writer, "https://a.example/2", "<p>two");
    writer.remove_snapshot("https://a.example/2").unwrap();
    writer.commit().unwrap();
    assert_eq!(files(&index, folder.path()), (0, 0));
    assert_eq!(index.check().unwrap(), [""; 0]);
    assert_eq!(index.stats().unwrap().pages(), 2);
}

#[test]
fn only_what_is_gone_for_long_is_forgotten() {
    let folder = folder();
    let index = create(folder.path());
    let mut writer = index.writer(1).unwrap();
    let page = |url: &str| {
        filter()
            .page(url, &[], b"<p>Rye <a href=/x>dark</a>")
            .unwrap()
    };
    let (old, new) = (Some(at(1_000)), Some(at(9_000)));
    writer
        .add_captured(&page("https://a.example/page"), old)
        .unwrap();
    for (name, time) in [
        ("old", old),
        ("new", new),
        ("undated", None),
        ("heard", old),
    ] {
        let url = format!("https://a.example/{name}");
        writer
            .remove_captured(&url, Gone::Status(404), "", time)
            .unwrap();
    }
    writer.commit().unwrap();
    let unchanged = filter().page("https://a.example/heard", &[], b"").unwrap();
    writer.confirm(&unchanged, new).unwrap();
    assert!(
        !writer
            .retire("https://a.example/other", Gone::Status(404), "", old)
            .unwrap()
    );
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(index.compact().unwrap().forgotten, 0);
    let settings = Compaction::default().keep_gone_since(at(5_000));
    let before = anchors(&index.search().unwrap());
    assert_eq!(index.compact_with(&settings).unwrap().forgotten, 2);
    assert_eq!(index.check().unwrap(), [""; 0]);
    let search = index.search().unwrap();
    let names: Vec<_> = gone(&search).into_iter().map(|[url, ..]| url).collect();
    let names: Vec<_> = names
        .iter()
        .map(|url| &url["https://a.example/".len()..])
        .collect();
    assert_eq!(names, ["heard", "new", "undated"]);
    assert_eq!(search.urls().unwrap(), ["https://a.example/page"]);
    assert_eq!(anchors(&search), before);
    let mut writer = index.writer(1).unwrap();
    let older = Some(at(500));
    for (name, is_added) in [
        ("old", true),
        ("other", true),
        ("new", false),
        ("heard", false),
    ] {
        let url = format!("https://a.example/{name}");
        let added = writer.add_captured(&page(&url), older).unwrap();
        assert_eq!(added == heedful_index::Added::Indexed, is_added, "{name}");
    }
}

/// A page that is removed after a compaction lends no name. It does not lend one again when it is
/// forgotten.
#[test]
fn a_forgotten_page_lends_no_name() {
    let (_folder, index) = index(&[
        ("https://a.example/1", "<a href=/x>dark</a>"),
        ("https://a.example/2", "<a href=/x>dark</a>"),
    ]);
    index.compact().unwrap();
    let mut writer = index.writer(1).unwrap();
    writer
        .remove_captured("https://a.example/1", Gone::Status(404), "", Some(at(1)))
        .unwrap();
    writer.commit().unwrap();
    drop(writer);
    let before = anchors(&index.search().unwrap());
    assert_eq!(before.len(), 1);
    let settings = Compaction::default().keep_gone_since(at(5));
    assert_eq!(index.compact_with(&settings).unwrap().forgotten, 1);
    assert_eq!(anchors(&index.search().unwrap()), before);
    assert_eq!(index.check().unwrap(), [""; 0]);
}
