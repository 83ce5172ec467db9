//! Tests of the program in a failing environment: full streams and disks, folders that are missing
//! or may not be accessed, too little of every resource. The program prints the reason and ends
//! with 2, and committed data survives. It never panics, and no signal ends it.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use heedful_index::Index;
use tempfile::TempDir;

use crate::support::made::{Chance, folder, line};

const PROGRAM: &str = env!("CARGO_BIN_EXE_heedful");

/// Writes a folder of `count` pages and a robots.txt. The pages link to each other, and snapshots
/// of them may be stored.
fn pages(count: usize) -> TempDir {
    let mut chance = Chance(1);
    let html = |n: usize, words: String| {
        format!(
            "<!doctype html><title>page {n}</title><p>{words} <a href=/n{}>page {n}</a>",
            n + 1
        )
    };
    let lines: Vec<u8> = (0..count)
        .flat_map(|n| {
            line(
                &format!("https://site.example/n{n}"),
                &html(n, chance.words(150)),
            )
        })
        .collect();
    let folder = folder();
    std::fs::write(folder.path().join("pages.jsonl"), lines).unwrap();
    std::fs::write(
        folder.path().join("page.html"),
        "<!doctype html><title>t</title><p>word <a href=/a>link</a>",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("robots.txt"),
        "User-agent: *\nDisallow: /x",
    )
    .unwrap();
    folder
}

fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(PROGRAM);
    command.args(arguments.split(' ')).current_dir(folder);
    command
}

/// Runs the shell command `before`, such as `ulimit`, then the program in the same shell.
fn after(folder: &Path, before: &str, arguments: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("{before}; exec {PROGRAM} {arguments}")])
        .current_dir(folder)
        .output()
        .unwrap()
}

fn error_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Fails unless the program ended with status 2 and its messages contain `why`. `what` names the
/// case in the failure.
fn refused(output: &Output, why: &str, what: &str) {
    assert_eq!(
        output.status.code(),
        Some(2),
        "{what}: {}",
        error_text(output)
    );
    assert!(
        error_text(output).contains(why),
        "{what}: {}",
        error_text(output)
    );
}

/// Fails if the program panicked or was killed. Returns true if the program succeeded. If it did
/// not, it must have printed an error.
fn ended(output: &Output, what: &str) -> bool {
    let told = error_text(output);
    assert!(
        !told.contains("panicked") && !told.contains("memory allocation"),
        "{what}: {told}"
    );
    match output.status.code() {
        Some(0 | 1) => true,
        Some(2) => {
            assert!(
                told.contains("error: ") || told.contains("failed") || told.contains("note: "),
                "{what}: {told}"
            );
            false
        }
        other => panic!("{what}: {other:?}: {told}"),
    }
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

/// Returns everything that can be read from an index, as lines.
fn contents(index: &Path) -> Vec<String> {
    let index = Index::open(index).unwrap();
    assert_eq!(index.check().unwrap(), [""; 0]);
    let search = index.search().unwrap();
    let query = |text: &str| {
        search
            .find(&heedful_index::Query::new(text).most(1000))
            .unwrap()
    };
    let hits = ["karo", "page", "telsuna OR melu", "\"page 7\""].map(query);
    let hits = hits
        .iter()
        .flat_map(|found| found.hits().iter().map(heedful_json::line));
    let pages = search
        .urls()
        .unwrap()
        .into_iter()
        .map(|url| format!("{url} {:?}", search.snapshot(&url, None).unwrap()));
    pages
        .chain(search.tombstone_urls().unwrap())
        .chain(hits)
        .chain(search.anchors().unwrap().iter().map(heedful_json::line))
        .collect()
}

#[test]
fn a_log_on_a_full_disk_costs_no_page() {
    let folder = pages(40);
    for arguments in [
        "index -v --commit-every 10 -o i pages.jsonl nothing.jsonl",
        "index -v --commit-every 10 -o i pages.jsonl",
        "compact i",
        "purge i --robots robots.txt",
    ] {
        let status = command(folder.path(), arguments)
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(
            status.code(),
            Some(if arguments.contains("nothing") { 2 } else { 0 }),
            "{arguments}"
        );
    }
    assert_eq!(
        Index::open(folder.path().join("i"))
            .unwrap()
            .stats()
            .unwrap()
            .pages(),
        40
    );
    let status = command(folder.path(), "filter --format text -v pages.jsonl")
        .stdout(Stdio::null())
        .stderr(full())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
}

const SAYING: [&str; 24] = [
    "--help",
    "--version",
    "help index",
    "search --help",
    "generate completions bash",
    "filter page.html",
    "filter page.html --format text",
    "filter page.html --to wet",
    "filter page.html --to solr",
    "text page.html",
    "links page.html",
    "snapshot page.html",
    "explain page.html",
    "explain page.html --format json",
    "check -r robots.txt /a",
    "check -r robots.txt /a --format json",
    "conventions",
    "conventions --count page.html",
    "limits",
    "lint --rules",
    "verify page.html",
    "search i page",
    "stats i",
    "stats i --format json",
];

#[test]
fn standard_output_on_a_full_disk_is_trouble() {
    let folder = pages(3);
    assert!(
        command(folder.path(), "index -q -o i pages.jsonl")
            .status()
            .unwrap()
            .success()
    );
    for arguments in SAYING {
        let output = command(folder.path(), arguments)
            .stdout(full())
            .output()
            .unwrap();
        refused(&output, "error: standard output: No space left", arguments);
        let status = command(folder.path(), arguments)
            .stdout(full())
            .stderr(full())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(2), "{arguments}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_trouble() {
    let folder = pages(300);
    assert!(
        command(folder.path(), "index -q -o i pages.jsonl")
            .status()
            .unwrap()
            .success()
    );
    for arguments in SAYING
        .into_iter()
        .chain(["filter -q pages.jsonl", "search i page -n 300"])
    {
        let mut child = command(folder.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            output.status.code(),
            Some(0),
            "{arguments}: {}",
            error_text(&output)
        );
        assert!(
            !error_text(&output).contains("error"),
            "{arguments}: {}",
            error_text(&output)
        );
    }
}

/// Runs the program as a user who may not write other users' files. The tests may run as root, who
/// may write everywhere.
fn as_nobody(folder: &Path, arguments: &str) -> Output {
    let is_root = std::fs::metadata("/proc/self").unwrap().uid() == 0;
    let before = if is_root {
        vec![
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ]
    } else {
        Vec::new()
    };
    let words: Vec<_> = before
        .into_iter()
        .chain([PROGRAM])
        .chain(arguments.split(' '))
        .collect();
    Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .output()
        .unwrap()
}

#[test]
fn an_index_that_cannot_be_written_says_why() {
    let folder = pages(3);
    let index = folder.path().join("i");
    assert!(
        command(folder.path(), "index -q -o i pages.jsonl")
            .status()
            .unwrap()
            .success()
    );
    let shut = |mode| {
        for place in [folder.path(), &index, &index.join("snapshots")] {
            std::fs::set_permissions(place, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    shut(0o555);
    for arguments in [
        "index -q -o i page.html -u https://site.example/",
        "compact i",
        "purge i --robots robots.txt",
        "purge i --expired",
        "purge i --url https://site.example/*",
        "index -q --whole --yes -o i pages.jsonl -u https://site.example/",
    ] {
        refused(
            &as_nobody(folder.path(), arguments),
            "this user may not write there",
            arguments,
        );
    }
    let output = as_nobody(folder.path(), "search i page");
    assert!(output.status.success(), "{}", error_text(&output));
    for arguments in [
        "index -q -o new page.html",
        "export --to wet page.html -o new",
        "snapshot page.html -o new.warc",
        "merge i -o new",
    ] {
        refused(
            &as_nobody(folder.path(), arguments),
            "ermission denied",
            arguments,
        );
    }
    shut(0o755);
    let open = Index::open(&index).unwrap();
    let writer = open.writer(1).unwrap();
    let output = command(folder.path(), "index -q -o i page.html")
        .output()
        .unwrap();
    refused(&output, "another program is writing to i", "one");
    drop(writer);
    std::fs::remove_dir_all(&index).unwrap();
    let error = open.writer(1).unwrap_err().to_string();
    assert!(error.contains("its folder is gone"), "{error}");
}

/// A run that fails at a full disk and is resumed has the same result as a run without failure. The
/// test sets a limit on file sizes in place of a full disk; each limit makes another write fail.
#[test]
fn a_run_resumed_after_a_full_disk_equals_a_clean_one() {
    let folder = pages(200);
    let index = "index -q --snapshot --commit-every 20";
    assert!(
        command(folder.path(), &format!("{index} -o clean pages.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    let clean = contents(&folder.path().join("clean"));
    let mut failed = 0;
    for blocks in [1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32] {
        let name = format!("full{blocks}");
        let output = after(
            folder.path(),
            &format!("trap '' XFSZ; ulimit -f {blocks}"),
            &format!("{index} -o {name} pages.jsonl"),
        );
        if !ended(&output, &name) {
            failed += 1;
            assert!(
                error_text(&output).contains("File too large"),
                "{name}: {}",
                error_text(&output)
            );
        }
        let output = command(
            folder.path(),
            &format!("{index} --resume -o {name} pages.jsonl"),
        )
        .output()
        .unwrap();
        assert!(output.status.success(), "{name}: {}", error_text(&output));
        assert_eq!(contents(&folder.path().join(&name)), clean, "{name}");
    }
    assert!(failed > 4, "only {failed} runs met the full disk");
}

#[test]
fn a_full_disk_is_told_by_each_verb_that_writes() {
    let folder = pages(200);
    assert!(
        command(folder.path(), "index -q --snapshot -o i pages.jsonl")
            .status()
            .unwrap()
            .success()
    );
    let before = contents(&folder.path().join("i"));
    for arguments in [
        "compact i",
        "merge i -o merged",
        "export -q --to wet pages.jsonl -o texts",
        "export -q --to solr pages.jsonl -o solr",
        "snapshot -q pages.jsonl -o copies.warc",
        "snapshot -q --from i -o given",
        "explain -q pages.jsonl --html report.html",
        "generate man pages",
    ] {
        let output = after(folder.path(), "trap '' XFSZ; ulimit -f 4", arguments);
        refused(&output, "File too large", arguments);
    }
    assert_eq!(contents(&folder.path().join("i")), before);
    assert!(!folder.path().join("merged").exists());
}

#[test]
fn few_descriptors_are_enough_or_it_is_told() {
    let folder = pages(60);
    for arguments in [
        "index -q --snapshot --commit-every 9 -o i pages.jsonl",
        "search i page",
        "stats i --check",
        "index -q --snapshot --commit-every 9 -o j pages.jsonl",
        "merge i j -o both",
        "compact i",
        "purge i --robots robots.txt",
        "filter -q pages.jsonl",
        "export -q --to wet pages.jsonl -o texts",
        "verify page.html",
    ] {
        let output = after(folder.path(), "ulimit -n 16", arguments);
        ended(&output, arguments);
    }
    assert!(
        command(
            folder.path(),
            "index -q --snapshot --resume -o i pages.jsonl"
        )
        .status()
        .unwrap()
        .success()
    );
    assert_eq!(
        Index::open(folder.path().join("i"))
            .unwrap()
            .check()
            .unwrap(),
        [""; 0]
    );
    assert!(
        after(folder.path(), "ulimit -n 64", "compact i")
            .status
            .success()
    );
    let output = after(
        folder.path(),
        "ulimit -n 8",
        "index -q --snapshot -o few pages.jsonl",
    );
    refused(&output, "Too many open files", "one");
}

#[test]
fn a_missing_folder_for_temporary_files_is_named() {
    let folder = pages(3);
    for arguments in [
        "index -q - --input html -u https://site.example/ -o i",
        "filter -q -",
        "export -q --to wet - -o texts",
    ] {
        let mut child = command(folder.path(), arguments)
            .env("TMPDIR", "/nowhere/at/all")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child
            .stdin
            .take()
            .unwrap()
            .write_all(b"<!doctype html><p>word");
        let output = child.wait_with_output().unwrap();
        refused(&output, "/nowhere/at/all", arguments);
    }
}

#[test]
fn a_working_folder_that_is_gone_is_no_panic() {
    let folder = pages(3);
    let gone = "mkdir gone; cd gone; rmdir ../gone";
    assert!(ended(
        &after(
            folder.path(),
            gone,
            &format!("index -q {0}/pages.jsonl -o {0}/i", folder.path().display())
        ),
        "whole paths"
    ));
    for arguments in [
        "index -q page.html -o i",
        "filter page.html",
        "search i x",
        "export --to wet page.html -o x",
        "merge i -o j",
        "snapshot page.html -o x",
        "filter *.html",
        "compact i",
    ] {
        let output = after(folder.path(), gone, arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments}: {}",
            error_text(&output)
        );
        ended(&output, arguments);
    }
}

#[test]
fn little_memory_is_enough_or_it_is_told() {
    let folder = pages(2000);
    let index = |memory: &str, name: &str| {
        format!("index -q -j 2 --snapshot {memory} -o {name} pages.jsonl")
    };
    for (number, (memory, kib)) in [
        ("", 307_200),
        ("--memory 64M", 200_000),
        ("--memory 100M", 450_000),
        ("", 600_000),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("i{number}");
        let output = after(
            folder.path(),
            &format!("ulimit -v {kib}"),
            &index(memory, &name),
        );
        assert!(
            ended(
                &output,
                &format!("{memory} of {kib}: {}", error_text(&output))
            ),
            "{memory} {kib}: {}",
            error_text(&output)
        );
        assert_eq!(
            Index::open(folder.path().join(name))
                .unwrap()
                .stats()
                .unwrap()
                .pages(),
            2000
        );
    }
    for arguments in [
        "compact i0 --memory 64M",
        "merge i1 i2 -o both --memory 64M",
    ] {
        let output = after(folder.path(), "ulimit -v 307200", arguments);
        assert!(
            ended(&output, arguments),
            "{arguments}: {}",
            error_text(&output)
        );
        refused(
            &command(folder.path(), &arguments.replace("64M", "1M"))
                .output()
                .unwrap(),
            "64 MiB",
            arguments,
        );
    }
    for name in ["i0", "both"] {
        assert_eq!(
            Index::open(folder.path().join(name))
                .unwrap()
                .stats()
                .unwrap()
                .pages(),
            2000,
            "{name}"
        );
    }
    for (memory, why) in [
        ("--memory 400M", "does not give 400 MiB"),
        ("--memory 1M", "64 MiB"),
        ("--memory 9999999G", "does not give"),
    ] {
        let output = after(folder.path(), "ulimit -v 307200", &index(memory, "none"));
        assert_eq!(output.status.code(), Some(2), "{memory}");
        assert!(
            error_text(&output).contains(why),
            "{memory}: {}",
            error_text(&output)
        );
        assert!(!folder.path().join("none").exists());
    }
}

/// Copies the folder `from` and everything below it to a temporary folder, which it returns.
fn copied(from: &Path) -> TempDir {
    let to = folder();
    let status = Command::new("cp")
        .arg("-r")
        .arg(from.join("."))
        .arg(to.path())
        .status()
        .unwrap();
    assert!(status.success());
    to
}

/// Returns the output that a verb wrote to `at`: everything that can be read from an index, or the
/// names and bytes of files.
fn written(at: &Path) -> Vec<String> {
    if at.join("meta.json").exists() {
        return contents(at);
    }
    let mut files: Vec<_> = if at.is_dir() {
        std::fs::read_dir(at)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect()
    } else {
        vec![at.to_owned()]
    };
    files.sort();
    let text = |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
    files
        .iter()
        .map(|path| format!("{} {}", path.file_name().unwrap().display(), text(path)))
        .collect()
}

/// A verb that fails at a full disk has the same result when it is run again. The test sets limits
/// on file sizes in place of a full disk; each limit makes another write fail.
#[test]
fn a_verb_done_again_after_a_full_disk_equals_a_clean_one() {
    let base = pages(120);
    std::fs::write(base.path().join("shut.txt"), "User-agent: *\nDisallow: /n1").unwrap();
    let index = "index -q --snapshot --commit-every 30";
    assert!(
        command(base.path(), &format!("{index} -o i pages.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    assert!(
        command(
            base.path(),
            "index -q -o j page.html -u https://other.example/"
        )
        .status()
        .unwrap()
        .success()
    );
    for (arguments, wrote) in [
        ("compact i", "i"),
        ("purge i --robots shut.txt", "i"),
        ("merge i j -o new", "new"),
        (
            "export -q --at 2026-11-21 --to wet pages.jsonl -o new",
            "new",
        ),
        (
            "export -q --at 2026-11-21 --to solr pages.jsonl -o new",
            "new",
        ),
        ("filter -q --at 2026-11-21 pages.jsonl > new", "new"),
        (
            "explain -q --at 2026-11-21 page.html -u https://site.example/ --html new",
            "new",
        ),
    ] {
        let clean = copied(base.path());
        assert!(
            after(clean.path(), ":", arguments).status.success(),
            "{arguments}"
        );
        let (clean, mut failed) = (written(&clean.path().join(wrote)), 0);
        for blocks in [1, 2, 4, 8, 16, 24, 32, 64] {
            let again = copied(base.path());
            let what = format!("{arguments}, {blocks} blocks");
            let output = after(
                again.path(),
                &format!("trap '' XFSZ; ulimit -f {blocks}"),
                arguments,
            );
            failed += usize::from(!ended(&output, &what));
            let output = after(again.path(), ":", arguments);
            assert!(output.status.success(), "{what}: {}", error_text(&output));
            assert_eq!(written(&again.path().join(wrote)), clean, "{what}");
        }
        assert!(
            failed > 1,
            "{arguments}: only {failed} runs met the full disk"
        );
    }
}

/// Runs the program in a folder that is mounted read-only. Returns None if the test may not mount
/// anything.
fn mounted_read_only(folder: &Path, arguments: &str) -> Option<Output> {
    let mount = |then: &str| {
        let script =
            format!("mount --bind . . && mount -o remount,ro,bind . && cd \"$PWD\" && {then}");
        Command::new("unshare")
            .args(["-m", "sh", "-c", &script])
            .current_dir(folder)
            .output()
    };
    if mount("true").is_ok_and(|output| output.status.success()) {
        return Some(mount(&format!("exec {PROGRAM} {arguments}")).unwrap());
    }
    eprintln!("SKIPPED: no read-only mount can be made here");
    None
}

/// Output to a read-only mount is an error. Unlike other folders without write permission, such a
/// mount cannot be written even by root.
#[test]
fn a_disk_that_can_only_be_read_is_told() {
    let folder = pages(3);
    assert!(
        command(folder.path(), "index -q --snapshot -o i pages.jsonl")
            .status()
            .unwrap()
            .success()
    );
    let before = contents(&folder.path().join("i"));
    for (arguments, why) in [
        (
            "index -q -o i page.html -u https://site.example/",
            "a disk that can only be read",
        ),
        (
            "index -q --resume -o i page.html -u https://site.example/",
            "a disk that can only be read",
        ),
        ("compact i", "a disk that can only be read"),
        ("purge i --expired", "a disk that can only be read"),
        ("index -q -o new page.html", "Read-only file system"),
        ("merge i -o new", "Read-only file system"),
        (
            "export -q --to wet pages.jsonl -o new",
            "Read-only file system",
        ),
        (
            "snapshot -q pages.jsonl -o new.warc",
            "Read-only file system",
        ),
        (
            "explain -q page.html --html new.html",
            "Read-only file system",
        ),
    ] {
        let Some(output) = mounted_read_only(folder.path(), arguments) else {
            return;
        };
        refused(&output, why, arguments);
    }
    for arguments in [
        "search i page",
        "stats i --check",
        "filter -q pages.jsonl",
        "limits",
    ] {
        let output = mounted_read_only(folder.path(), arguments).unwrap();
        assert!(
            output.status.success(),
            "{arguments}: {}",
            error_text(&output)
        );
    }
    assert_eq!(contents(&folder.path().join("i")), before);
    assert!(!folder.path().join("new").exists());
}

/// A wrong system clock does not disturb a run. It decides only which pages have expired and which
/// dates are plausible.
#[test]
fn a_clock_that_was_moved_is_no_trouble() {
    let folder = pages(20);
    let index = "index -q --snapshot --commit-every 7";
    assert!(
        command(folder.path(), &format!("{index} -o clean pages.jsonl"))
            .status()
            .unwrap()
            .success()
    );
    let clean = contents(&folder.path().join("clean"));
    for (number, at) in [
        "0001-01-01",
        "1969-12-31",
        "1970-01-01",
        "2038-01-20",
        "9999-12-30",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("i{number}");
        for arguments in [
            format!("{index} --at {at} -o {name} pages.jsonl"),
            format!("{index} --resume --at 2026-11-21 -o {name} pages.jsonl"),
            format!("search {name} page --at {at}"),
            format!("stats {name} --list --at {at}"),
            format!("stats {name} --check"),
            format!("purge {name} --expired --at {at}"),
            format!("filter -q pages.jsonl --at {at}"),
            format!("export -q --to wet pages.jsonl -o texts{number} --at {at}"),
            format!("check -r robots.txt https://site.example/a --at {at}"),
        ] {
            let output = command(folder.path(), &arguments).output().unwrap();
            assert!(
                ended(&output, &arguments) && output.status.success(),
                "{arguments}: {}",
                error_text(&output)
            );
        }
        assert_eq!(contents(&folder.path().join(&name)), clean, "{at}");
    }
}

/// Files may have a modification time in the future, for example after a clock was corrected. A run
/// over such files can be resumed. If the files have changed, the run starts from the beginning.
#[test]
fn files_from_the_future_are_read_and_resumed() {
    let (folder, epoch) = (pages(20), std::time::SystemTime::UNIX_EPOCH);
    let century = std::time::Duration::from_secs(100 * 365 * 24 * 3600);
    for (name, time) in [("past", epoch - century / 2), ("future", epoch + century)] {
        let file = File::options()
            .write(true)
            .open(folder.path().join("pages.jsonl"))
            .unwrap();
        file.set_modified(time).unwrap();
        let index = format!("index --snapshot --commit-every 7 --resume -o {name} pages.jsonl");
        let output = command(folder.path(), &index).output().unwrap();
        assert!(output.status.success(), "{name}: {}", error_text(&output));
        let output = command(folder.path(), &index).output().unwrap();
        assert!(
            output.status.success() && error_text(&output).contains("nothing to resume"),
            "{name}: {}",
            error_text(&output)
        );
        assert_eq!(
            Index::open(folder.path().join(name))
                .unwrap()
                .stats()
                .unwrap()
                .pages(),
            20
        );
    }
}
