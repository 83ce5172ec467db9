//! Input from a pipe gives the same pages as a file. An archive from a pipe never shows a page that
//! its later robots.txt disallows.

#![cfg(unix)]

use std::io::Write;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use heedful_index::Index;
use tempfile::TempDir;

use crate::support::made::{
    Chance, arc, arc_start, folder, gz, http, line, packed_each, page, robots, write, zst,
};

const SITE: &str = "https://site.example";
/// Number of bytes of a pipe that the program buffers, so that it can read these bytes again.
const WINDOW: usize = 4 << 20;

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    command
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs the program with the bytes `stdin` as its standard input.
fn run(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut child = command(arguments).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The program may end before it has read everything.
        scope.spawn(move || drop(pipe.write_all(stdin)));
        child.wait_with_output().unwrap()
    })
}

/// Indexes an input. Returns the pages of the index, each with its snapshot, and the messages of
/// the program.
fn indexed(input: &str, stdin: &[u8]) -> (Vec<(String, String)>, String) {
    let folder = folder();
    let index = folder.path().join("index");
    let output = run(
        &[
            "index",
            "--snapshot",
            input,
            "-o",
            &index.display().to_string(),
        ],
        stdin,
    );
    let told = String::from_utf8(output.stderr).unwrap();
    // If a part of a file is given up, the status is 2, and the pages before it are indexed.
    let is_given_up = output.status.code() == Some(2) && told.contains("not read");
    assert!(output.status.success() || is_given_up, "{told}");
    (pages(&index), told)
}

fn pages(index: &Path) -> Vec<(String, String)> {
    let index = Index::open(index).unwrap();
    assert_eq!(index.check().unwrap(), [""; 0]);
    let search = index.search().unwrap();
    let page = |url: String| (url.clone(), search.snapshot(&url, None).unwrap().unwrap());
    search.urls().unwrap().into_iter().map(page).collect()
}

fn html(number: usize, chance: &mut Chance) -> String {
    let words = [5, 50, 500, 5000][number % 4];
    format!(
        "<!doctype html><p>page {number}\n<p>{}",
        chance.words(words)
    )
}

fn records(count: usize) -> Vec<Vec<u8>> {
    let mut chance = Chance(1);
    let mut records: Vec<_> = (0..count)
        .map(|number| page(&format!("{SITE}/n{number}"), &html(number, &mut chance)))
        .collect();
    records.push(robots(SITE, "User-agent: *\nDisallow: /n3"));
    records
}

fn kinds() -> Vec<(&'static str, Vec<u8>)> {
    let mut chance = Chance(1);
    let warcs = records(24);
    let mut lines: Vec<_> = (0..24)
        .map(|n| line(&format!("{SITE}/n{n}"), &html(n, &mut chance)))
        .collect();
    lines.push(line(
        &format!("{SITE}/robots.txt"),
        "User-agent: *\nDisallow: /n3",
    ));
    let response = |html: &str| http("200 OK\r\nContent-Type: text/html", html.as_bytes());
    let mut arcs = vec![arc_start(1)];
    arcs.extend((0..24).map(|n| arc(&format!("{SITE}/n{n}"), &response(&html(n, &mut chance)))));
    arcs.push(arc(
        &format!("{SITE}/robots.txt"),
        &http("200 OK", b"User-agent: *\nDisallow: /n3"),
    ));
    vec![
        ("a plain WARC", warcs.concat()),
        ("a WARC in gzip", packed_each(&warcs, gz)),
        ("a WARC in one member", gz(&warcs.concat())),
        ("a WARC in zstd", packed_each(&warcs, zst)),
        ("an ARC", arcs.concat()),
        ("an ARC in gzip", packed_each(&arcs, gz)),
        ("JSON Lines", lines.concat()),
        ("JSON Lines in gzip", gz(&lines.concat())),
        ("JSON Lines in zstd", packed_each(&lines, zst)),
    ]
}

#[test]
fn a_pipe_gives_what_a_file_gives() {
    let folder = folder();
    for (kind, bytes) in kinds() {
        let path = write(folder.path(), "input", &bytes).display().to_string();
        let (from_file, _) = indexed(&path, b"");
        assert_eq!(from_file.len(), 23, "{kind}");
        let (from_pipe, told) = indexed("-", &bytes);
        assert_eq!(from_pipe, from_file, "{kind}: {told}");
        let (file, pipe) = (run(&["filter", &path], b""), run(&["filter", "-"], &bytes));
        if !kind.starts_with("JSON") {
            assert!(file.stdout == pipe.stdout, "{kind}");
        }
        assert_eq!(
            file.stdout.iter().filter(|b| **b == b'\n').count(),
            24,
            "{kind}"
        );
    }
}

/// Damage in a pipe loses the same records as in a file, if the damage is within the buffer.
#[test]
fn damage_in_a_pipe_costs_what_it_costs_in_a_file() {
    let folder = folder();
    let mut chance = Chance(2);
    for (kind, bytes) in kinds() {
        let mut flipped = bytes.clone();
        let at = 20 + chance.below(bytes.len() - 20);
        flipped[at] ^= 0x41;
        let at = chance.below(bytes.len());
        let junk = [&bytes[..at], b"\n", &chance.bytes(100), b"\n", &bytes[at..]].concat();
        let cut = bytes[..bytes.len() / 2].to_vec();
        let lying = String::from_utf8(bytes.clone()).map_or_else(
            |_| bytes.clone(),
            |text| {
                text.replacen("Content-Length: 1", "Content-Length: 9", 2)
                    .into_bytes()
            },
        );
        for (what, damaged) in [
            ("a flipped byte", flipped),
            ("junk", junk),
            ("a cut", cut),
            ("a length", lying),
        ] {
            let path = write(folder.path(), "input", &damaged)
                .display()
                .to_string();
            let ((from_file, told), (from_pipe, piped)) =
                (indexed(&path, b""), indexed("-", &damaged));
            let urls = |pages: &[(String, String)]| {
                pages.iter().map(|(url, _)| url.clone()).collect::<Vec<_>>()
            };
            assert_eq!(
                urls(&from_pipe),
                urls(&from_file),
                "{kind}, {what}\nfile: {told}\npipe: {piped}"
            );
            assert!(from_pipe == from_file, "{kind}, {what}");
        }
    }
}

/// If a record in a pipe claims a length that is too large by more than the size of the buffer,
/// only the records that have already left the buffer are lost.
#[test]
fn a_pipe_is_taken_up_again_as_far_back_as_its_window_goes() {
    let words = Chance(3).words(20_000);
    let mut records: Vec<_> = (0..100)
        .map(|n| {
            page(
                &format!("{SITE}/n{n}"),
                &format!("<!doctype html><p>{n} {words}"),
            )
        })
        .collect();
    let text = String::from_utf8(records[10].clone()).unwrap();
    let old = text
        .lines()
        .find(|line| line.starts_with("Content-Length: "))
        .unwrap()
        .to_owned();
    records[10] = text
        .replacen(&old, "Content-Length: 99999999", 1)
        .into_bytes();
    let (from_pipe, told) = indexed("-", &records.concat());
    let whole = WINDOW / records[99].len();
    let expected = (0..10).chain(100 - whole..100);
    for number in expected {
        let url = format!("{SITE}/n{number}");
        assert!(
            from_pipe.iter().any(|(page, _)| *page == url),
            "{url} is not there: {told}"
        );
    }
    assert!(told.contains("1 damaged"), "{told}");
    let folder = folder();
    let path = write(folder.path(), "input", &records.concat())
        .display()
        .to_string();
    assert_eq!(indexed(&path, b"").0.len(), 99, "a file loses one");
}

/// A run of `heedful index` to which the test sends input through an open pipe.
struct Fed {
    folder: TempDir,
    child: Child,
    pipe: ChildStdin,
}

impl Fed {
    fn new(more: &[&str]) -> Self {
        let folder = folder();
        let index = folder.path().join("index").display().to_string();
        let mut child = command(
            &[
                &[
                    "index",
                    "-",
                    "--snapshot",
                    "--commit-every",
                    "3",
                    "-o",
                    &index,
                ],
                more,
            ]
            .concat(),
        )
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
        let pipe = child.stdin.take().unwrap();
        Self {
            folder,
            child,
            pipe,
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.pipe.write_all(bytes).unwrap();
        self.pipe.flush().unwrap();
    }

    fn holds(&self, word: &str) -> bool {
        let Ok(index) = Index::open(self.folder.path().join("index")) else {
            return false;
        };
        let search = index.search().unwrap();
        search.urls().unwrap().iter().any(|url| url.contains(word))
    }

    /// Reads the index again and again for half a second. Fails if a search for the word finds a
    /// page.
    fn assert_never_holds(&self, word: &str) {
        for _ in 0..20 {
            assert!(!self.holds(word), "{word} is seen");
            sleep(Duration::from_millis(25));
        }
    }

    fn end(self) -> (TempDir, Option<i32>, String) {
        drop(self.pipe);
        let output = self.child.wait_with_output().unwrap();
        (
            self.folder,
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }
}

fn some(count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|n| {
            let path = if n % 2 == 0 { "shut" } else { "open" };
            page(
                &format!("{SITE}/{path}/{n}"),
                &format!("<!doctype html><p>{path} {}", Chance(n as u64).words(300)),
            )
        })
        .collect()
}

const RULES: &str = "User-agent: *\nDisallow: /shut/";

#[test]
fn what_a_late_robots_txt_forbids_is_never_seen() {
    for pack in [(|bytes| bytes.to_vec()) as fn(&[u8]) -> Vec<u8>, gz, zst] {
        let mut fed = Fed::new(&[]);
        fed.feed(&packed_each(&some(400), pack));
        fed.assert_never_holds("shut");
        fed.feed(&pack(&robots(SITE, RULES)));
        fed.feed(&packed_each(&some(402)[400..], pack));
        fed.assert_never_holds("shut");
        let (folder, status, told) = fed.end();
        assert_eq!(status, Some(0), "{told}");
        let pages = pages(&folder.path().join("index"));
        assert_eq!(pages.len(), 201, "{told}");
        assert!(
            pages
                .iter()
                .all(|(url, html)| url.contains("/open/") && html.contains("<p>open")),
            "{pages:?}"
        );
        assert!(told.contains("200 pages removed again"), "{told}");
    }
}

/// If a run is interrupted before a robots.txt in the pipe, the index must not show pages that this
/// robots.txt might disallow.
#[test]
fn a_pipe_that_is_broken_off_shows_nothing_that_may_be_forbidden() {
    let mut fed = Fed::new(&[]);
    fed.feed(&packed_each(&some(400), gz));
    sleep(Duration::from_millis(1000));
    let sent = Command::new("kill")
        .args(["-INT", &fed.child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    sleep(Duration::from_millis(200));
    // The interruption is noticed when the next record comes.
    drop(fed.pipe.write_all(&packed_each(&some(100), gz)));
    let (folder, status, told) = fed.end();
    assert_eq!(status, Some(130), "{told}");
    assert!(told.contains("nothing was kept"), "{told}");
    let index = folder.path().join("index");
    let seen = Index::open(&index)
        .ok()
        .map(|index| index.search().unwrap().urls().unwrap())
        .unwrap_or_default();
    assert!(
        seen.iter().all(|url| !url.contains("shut")),
        "{seen:?}\n{told}"
    );
    // The same input again, complete.
    let whole = [packed_each(&some(60), gz), gz(&robots(SITE, RULES))].concat();
    let output = run(
        &[
            "index",
            "-",
            "--snapshot",
            "--resume",
            "-o",
            &index.display().to_string(),
        ],
        &whole,
    );
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let pages = pages(&index);
    assert_eq!(pages.len(), 30);
    assert!(
        pages.iter().all(|(url, _)| url.contains("/open/")),
        "{pages:?}"
    );
}

/// A run over a pipe that is killed shows no page, since a robots.txt may be in the missing part of
/// the archive.
#[test]
fn a_killed_run_over_a_pipe_shows_nothing() {
    let mut fed = Fed::new(&[]);
    fed.feed(&some(400).concat());
    sleep(Duration::from_millis(1000));
    fed.child.kill().unwrap();
    let (folder, status, _) = fed.end();
    assert_eq!(status, None);
    let seen = Index::open(folder.path().join("index"))
        .and_then(|index| index.stats())
        .map_or(0, |stats| stats.pages());
    assert_eq!(seen, 0);
}

/// Pages in JSON Lines from a pipe can be found after each commit, even before their robots.txt is
/// read. A later robots.txt removes the pages that it disallows.
#[test]
fn a_late_robots_txt_among_lines_takes_out_what_was_seen() {
    let mut lines: Vec<u8> = (0..30)
        .flat_map(|n| line(&format!("{SITE}/shut/{n}"), "<p>shut"))
        .collect();
    lines.extend(line(&format!("{SITE}/robots.txt"), RULES));
    lines.extend(line(&format!("{SITE}/open/1"), "<p>open"));
    let folder = folder();
    let index = folder.path().join("index").display().to_string();
    let output = run(
        &[
            "index",
            "-",
            "--snapshot",
            "--commit-every",
            "5",
            "-o",
            &index,
        ],
        &lines,
    );
    assert!(output.status.success());
    assert_eq!(
        pages(Path::new(&index)),
        [(format!("{SITE}/open/1"), "<p>open".to_owned())]
    );
}

/// A late robots.txt in a pipe is also obeyed if it is the target of another site's redirect. Pages
/// of the pipe also obey a robots.txt in a file that the same run reads before or after the pipe.
#[test]
fn a_late_redirect_and_a_file_beside_the_pipe_count() {
    let moved = http(&format!("301 Moved\r\nLocation: {SITE}/robots.txt"), b"");
    let moved =
        crate::support::made::warc("response", "https://old.example/robots.txt", "", &moved);
    let old = page("https://old.example/shut/a", "<p>shut");
    let all = [
        old,
        page("https://old.example/open", "<p>open"),
        moved,
        robots(SITE, RULES),
    ]
    .concat();
    assert_eq!(
        indexed("-", &all).0,
        [("https://old.example/open".to_owned(), "<p>open".to_owned())]
    );
    let folder = folder();
    let beside = write(folder.path(), "robots.warc", &robots(SITE, RULES))
        .display()
        .to_string();
    let index = folder.path().join("index").display().to_string();
    for inputs in [[beside.as_str(), "-"], ["-", beside.as_str()]] {
        let output = run(
            &[&["index", "--snapshot", "-o", &index], &inputs[..]].concat(),
            &some(4).concat(),
        );
        assert!(output.status.success());
        assert_eq!(pages(Path::new(&index)).len(), 2);
    }
}
