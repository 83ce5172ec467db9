//! Tests of the files that the program writes under a folder of the user's. Each is whole or as it
//! was, and nothing that somebody else put there leads it to another place, or makes it wait.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::command::{ended, path, run, write};

/// Each option by which a verb writes a file: the arguments, and the file that is written. `INDEX` is
/// an index with copies of the pages, `PACKED` a compact mask, `CENSUS` a census.
const OUTPUTS: [(&str, &str); 28] = [
    ("filter pages.jsonl -o OUT", "OUT"),
    ("filter pages.jsonl --format text -o OUT", "OUT"),
    ("filter pages.jsonl --to solr -o OUT", "OUT"),
    ("filter pages.jsonl --summary OUT", "OUT"),
    ("text pages.jsonl -o OUT", "OUT"),
    ("links pages.jsonl -o OUT", "OUT"),
    ("explain pages.jsonl -o OUT", "OUT"),
    ("explain pages.jsonl --html OUT.html", "OUT.html"),
    ("explain pages.jsonl --html OUT.html", "OUT-pages/0001.html"),
    ("explain pages.jsonl --html OUT.html", "OUT-pages"),
    ("lint pages.jsonl -o OUT", "OUT"),
    ("lint --rules -o OUT", "OUT"),
    (
        "snapshot page.html -u https://a.example/ -o OUT.html",
        "OUT.html",
    ),
    ("snapshot pages.jsonl -o OUT", "OUT/a.example/1.html"),
    ("snapshot pages.jsonl -o OUT", "OUT/a.example"),
    ("snapshot pages.jsonl -o OUT", "OUT.copies.jsonl"),
    ("snapshot pages.jsonl -o OUT.warc.gz", "OUT.warc.gz"),
    (
        "snapshot pages.jsonl -o OUT.warc.gz",
        "OUT.warc.gz.copies.jsonl",
    ),
    ("snapshot pages.jsonl -o OUT --map MAP", "MAP"),
    ("snapshot --from INDEX -o OUT", "OUT/a.example/1.html"),
    ("mask pages.jsonl -o OUT", "OUT"),
    ("mask pages.jsonl -o OUT", "OUT.part"),
    ("mask pages.jsonl -o OUT --group 1", "OUT.state"),
    ("mask --unpack PACKED -o OUT", "OUT"),
    ("mask --feed pages.mask.jsonl shut.mask.jsonl -o OUT", "OUT"),
    ("census pages.jsonl -o OUT", "OUT"),
    ("census --merge CENSUS --html OUT", "OUT"),
    ("generate man OUT", "OUT/heedful.1"),
];

/// Makes a folder with what the outputs are made of.
fn workplace() -> TempDir {
    let folder = TempDir::new().unwrap();
    let page = |n: u32| format!("{{\"url\":\"https://a.example/{n}\",\"html\":\"<p>rye {n}\"}}\n");
    let pages = write(&folder, "pages.jsonl", &(page(1) + &page(2)));
    write(&folder, "page.html", "<p>rye");
    let shut = write(&folder, "shut.txt", "User-agent: *\nDisallow: /2\n");
    let at = |name: &str| path(&folder, name);
    for arguments in [
        &["index", "-q", "--snapshot", "-o", &at("INDEX"), &pages][..],
        &[
            "mask",
            "-q",
            &pages,
            "-o",
            &at("PACKED"),
            "--format",
            "compact",
        ],
        &["mask", "-q", &pages, "-o", &at("pages.mask.jsonl")],
        &[
            "mask",
            "-q",
            &pages,
            "--robots",
            &shut,
            "-o",
            &at("shut.mask.jsonl"),
        ],
        &["census", "-q", &pages, "-o", &at("CENSUS")],
    ] {
        let (status, _, told) = run(arguments, "");
        assert!(status < 2, "{arguments:?} {told}");
    }
    folder
}

/// Runs the program in a folder, at most for a minute.
fn outcome(folder: &Path, arguments: &str) -> (i32, String) {
    let mut command = Command::cargo_bin("heedful").unwrap();
    command.timeout(std::time::Duration::from_secs(60));
    command.current_dir(folder).args(arguments.split(' '));
    let (status, _, told) = ended(&mut command);
    (status, told)
}

/// Removes what a run wrote.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("OUT") || name == "MAP" {
            let is_folder = entry.file_type().unwrap().is_dir();
            let remove = if is_folder {
                fs::remove_dir_all(entry.path())
            } else {
                fs::remove_file(entry.path())
            };
            remove.unwrap();
        }
    }
}

/// A link, a broken link or a FIFO that stands where a verb writes is never followed, and the run
/// ends. What they lead to stays as it is.
#[test]
fn no_output_is_led_elsewhere() {
    let folder = workplace();
    let folder = folder.path();
    let kept = folder.join("kept");
    let elsewhere = folder.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    for (arguments, file) in OUTPUTS {
        let plain = outcome(folder, arguments);
        assert!(plain.0 < 2, "{arguments}: {}", plain.1);
        let is_left = file.ends_with(".part") || file.ends_with(".state");
        assert!(
            is_left || folder.join(file).exists(),
            "{arguments}: no {file}"
        );
        // A second run replaces what the first wrote.
        let again = outcome(folder, arguments);
        assert!(again.0 < 2, "{arguments}: {}", again.1);
        for planted in ["link", "broken", "folder", "fifo"] {
            clear(folder);
            fs::write(&kept, "kept").unwrap();
            let at = folder.join(file);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            match planted {
                "link" => symlink(&kept, &at).unwrap(),
                "broken" => symlink(folder.join("missing"), &at).unwrap(),
                "folder" => symlink(&elsewhere, &at).unwrap(),
                _ => {
                    let made = std::process::Command::new("mkfifo")
                        .arg(&at)
                        .status()
                        .unwrap();
                    assert!(made.success());
                }
            }
            let (status, told) = outcome(folder, arguments);
            let name = Path::new(file).file_name().unwrap().to_string_lossy();
            let what = format!("{arguments} with a {planted} at {file}: {status} {told}");
            // The state of a mask is removed, and never read through a link.
            let is_replaced = file.ends_with(".state") && status < 2;
            assert!(
                is_replaced || status == 2 && told.contains(&*name),
                "{what}"
            );
            assert_eq!(fs::read_to_string(&kept).unwrap(), "kept", "{what}");
            assert!(!folder.join("missing").exists(), "{what}");
            assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{what}");
        }
        clear(folder);
    }
    let mut names = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    assert!(names.all(|name| !name.to_string_lossy().starts_with(".heedful-")));
}

/// The options of OUTPUTS are all by which a verb takes a file or folder to write, as its help
/// says, but for those that make a folder of their own.
#[test]
fn every_option_that_writes_is_tried() {
    let folders = [
        "index -o",
        "export -o",
        "merge -o",
        "index --summary",
        "export --summary",
        "index --evidence",
        "mask --evidence",
    ];
    let help = run(&["--help"], "").1;
    let verbs = help.lines().skip_while(|line| *line != "Verbs:").skip(1);
    let mut count = 0;
    for line in verbs.take_while(|line| !line.is_empty()) {
        let Some(verb) = line
            .strip_prefix("  ")
            .and_then(|line| line.split(' ').next())
        else {
            continue;
        };
        let help = run(&["help", verb], "").1;
        for (option, short) in [
            ("--output ", "-o"),
            ("--html ", "--html"),
            ("--map ", "--map"),
            ("--unpack ", "--unpack"),
            ("--feed ", "--feed"),
        ] {
            let has = help.lines().any(|line| {
                line.trim_start()
                    .trim_start_matches("-o, ")
                    .starts_with(option)
            });
            if !has {
                continue;
            }
            count += 1;
            let tried = OUTPUTS.iter().any(|(arguments, _)| {
                arguments.starts_with(&format!("{verb} "))
                    && format!("{arguments} ").contains(&format!(" {short} "))
            });
            assert!(
                tried || folders.contains(&format!("{verb} {short}").as_str()),
                "{verb} {option}"
            );
        }
    }
    assert!(count > 12, "{count}");
}

/// Until a run has ended, the old file is there; if it fails, it stays.
#[test]
fn a_run_that_fails_leaves_the_old_file() {
    let folder = workplace();
    let folder = folder.path();
    fs::write(folder.join("OUT"), "old").unwrap();
    let (status, _) = outcome(folder, "filter missing.jsonl -o OUT");
    assert_eq!(status, 2);
    assert_eq!(fs::read_to_string(folder.join("OUT")).unwrap(), "old");
    let (status, told) = outcome(folder, "filter pages.jsonl -o /dev/null");
    assert_eq!(status, 0, "{told}");
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    let (status, told) = outcome(folder, "mask --unpack PACKED -o OUT --limit mask_bytes=10");
    assert!(status == 2 && told.contains("mask_bytes"), "{told}");
    assert_eq!(fs::read_to_string(folder.join("OUT")).unwrap(), "old");
}

/// Equal answers take next to nothing in a compact mask. Unpacking one ends at its limit, and
/// nothing is left of what was unpacked.
#[test]
fn a_small_mask_does_not_unpack_without_end() {
    let folder = TempDir::new().unwrap();
    let urls = write(&folder, "urls.txt", &"https://a.example/\n".repeat(50_000));
    let rules = write(&folder, "robots.txt", "User-agent: *\nDisallow: /");
    let packed = path(&folder, "packed.mask");
    let made = run(
        &[
            "mask", "--urls", &urls, "--robots", &rules, "-q", "-o", &packed,
        ],
        "",
    );
    assert_eq!(made.0, 0, "{}", made.2);
    assert!(fs::metadata(&packed).unwrap().len() < 5_000);
    let out = path(&folder, "out.jsonl");
    let unpack = |limit: &str| {
        run(
            &["mask", "--unpack", &packed, "-o", &out, "--limit", limit],
            "",
        )
    };
    let (status, _, told) = unpack("mask_bytes=1000000");
    assert!(
        status == 2 && told.contains("mask_bytes"),
        "{status}: {told}"
    );
    assert!(!Path::new(&out).exists());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    assert_eq!(unpack("mask_bytes=1000000000").0, 0);
    assert_eq!(fs::read_to_string(&out).unwrap().lines().count(), 50_000);
}

/// A path that some system has for another, or for a device, is never given to a copy.
#[test]
fn copies_are_apart_on_every_system() {
    let folder = TempDir::new().unwrap();
    let urls = ["A", "a", "con", "x./a", "x/a", "X/A", "aux.html", "CON"];
    let lines =
        urls.map(|url| format!("{{\"url\":\"https://a.example/{url}\",\"html\":\"<p>{url}\"}}\n"));
    let pages = write(&folder, "pages.jsonl", &lines.concat());
    assert_eq!(
        run(&["snapshot", &pages, "-o", &path(&folder, "out")], "").0,
        0
    );
    let list = fs::read_to_string(folder.path().join("out.copies.jsonl")).unwrap();
    let mut folded = std::collections::BTreeSet::new();
    for (url, line) in urls.iter().zip(list.lines()) {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = row["file"].as_str().unwrap();
        assert_eq!(
            fs::read_to_string(folder.path().join("out").join(file)).unwrap(),
            format!("<p>{url}")
        );
        assert!(folded.insert(file.to_lowercase()), "{file}");
        for part in file.split('/') {
            let stem = part.split('.').next().unwrap().to_lowercase();
            assert!(
                !part.ends_with('.') && !["con", "aux"].contains(&stem.as_str()),
                "{file}"
            );
        }
    }
}
