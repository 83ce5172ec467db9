//! Output to a terminal contains no terminal sequences except the program's own styles, whatever
//! text pages, archives, files and arguments contain.
//!
//! Each verb runs on a pseudo terminal, with input that has hostile text in every field. The tests
//! check the verb's results and its errors.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::support::made::{http, line, page, robots, warc};

/// Hostile text for a terminal. It sets the clipboard, the title and each style that our own text has
/// (behind `qx`), clears the screen, moves the cursor back, and reverses the text after it.
const EVIL: &str = "e\x1b]52;c;ZXZpbA==\x07v\x1b]0;t\x1b\\iqx\x1b[0mqx\x1b[1mqx\x1b[2mqx\x1b[4mqx\x1b[31mqx\x1b[32mqx\x1b[33m\x1b[2Jl\r\x08\u{7f}\u{9b}31m\u{9d}0;x\u{9c}\u{202e}\u{2066}\u{61c}\u{200f}";
const OWN: [&str; 7] = [
    "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m",
];
/// The terminal sequences with which a progress bar is redrawn.
const BAR: [&str; 3] = ["\r\x1b[2K", "\x1b[1A", "\x1b[1B"];
const SITE: &str = "https://site.example";

/// Runs the program on a pseudo terminal. Returns everything that it writes there, and its exit
/// status.
fn on_a_terminal(folder: &Path, arguments: &[&OsStr]) -> (String, Option<i32>) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let open = || {
        File::options()
            .read(true)
            .write(true)
            .open(OsStr::from_bytes(name.as_bytes()))
            .unwrap()
    };
    let terminal = open();
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .env_remove("CI");
    command.stdin(Stdio::null()).stdout(open()).stderr(open());
    let mut child = command.spawn().unwrap();
    drop(command);
    let reader = std::thread::spawn(move || {
        let (mut master, mut shown) = (File::from(master), Vec::new());
        // Reading the terminal fails when no process has it open.
        let _ = master.read_to_end(&mut shown);
        shown
    });
    let status = child.wait().unwrap();
    drop(terminal);
    // The program never writes a partial character.
    (
        String::from_utf8(reader.join().unwrap()).unwrap(),
        status.code(),
    )
}

/// Returns the control characters in `shown` except the program's own styles and line ends. The
/// terminal itself makes two characters of each line end.
fn commands(shown: &str) -> Vec<char> {
    let plain = OWN
        .iter()
        .chain(&BAR)
        .fold(shown.replace("\r\n", "\n"), |text, own| {
            text.replace(own, "")
        });
    let turns = |c| matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    plain
        .chars()
        .filter(|c| c.is_control() && !matches!(c, '\n' | '\t') || turns(*c))
        .collect()
}

/// Creates a folder with inputs of each kind, with hostile text in each of their fields.
fn hostile() -> tempfile::TempDir {
    let html = format!(
        "<!doctype html><title>title {EVIL}</title><meta name=robots content='noarchive, nonsense {EVIL}, max-snippet:9{EVIL}'>\
         <meta name=description content='{EVIL}'><link rel=canonical href='/{EVIL}'>\
         <h1>{EVIL}</h1><p>word {EVIL} <a href='/a?{EVIL}' rel='nofollow {EVIL}'>link {EVIL}</a> <img alt='{EVIL}'>\
         <!-- robots content=\"noindex {EVIL}\" -->secret {EVIL}<!-- /robots --> <div class='robots-noindex {EVIL}'>x</div>\
         <!--googleoff: {EVIL}-->word"
    );
    let rules = format!(
        "User-agent: *{EVIL}\nUser-agent: *\nDisallow: /x{EVIL}\nNonsense{EVIL}: {EVIL}\nDisallow: /shut\nContent-Usage: {EVIL}\n"
    );
    let head = format!("200 OK\r\nContent-Type: text/html\r\nX-Robots-Tag: {EVIL}, noindex");
    let archive = [
        page(&format!("{SITE}/a"), &html),
        page(&format!("{SITE}/b{EVIL}"), &html),
        page(&format!("http://{EVIL}X/"), &html),
        warc(
            "response",
            &format!("{SITE}/c"),
            &format!("WARC-Date: {EVIL}\r\n"),
            &http(&head, html.as_bytes()),
        ),
        page(&format!("{SITE}/shut/{EVIL}"), &html),
        robots(SITE, &rules),
        format!("WARC/1.0\r\nWARC-Type: {EVIL}\r\nContent-Length: {EVIL}\r\n\r\n").into_bytes(),
        page(&format!("{SITE}/d"), &html),
    ];
    let lines = [
        line(&format!("{SITE}/j"), &html),
        line(&format!("http://{EVIL}"), &html),
        format!("{{\"url\": {EVIL}\n").into_bytes(),
    ];
    let name = |start: &str, end: &str| format!("{start}{}{end}", EVIL.replace(['/', '\\'], ""));
    crate::support::folder(&[
        ("page.html", html.as_bytes()),
        ("crawl.warc", &archive.concat()),
        ("lines.jsonl", &lines.concat()),
        ("robots.txt", rules.as_bytes()),
        ("other.txt", b"User-agent: *\nDisallow: /a"),
        (
            "own.toml",
            format!("[[convention]]\nname = \"{}\"\nnonsense = 1", "\u{9b}31m").as_bytes(),
        ),
        ("none.manifest", format!("nothing{EVIL}.warc\n").as_bytes()),
        ("urls.txt", format!("/shut{EVIL}\n{EVIL}\n").as_bytes()),
        (
            "sitemap.xml",
            format!("<urlset>{EVIL}<url><loc>{EVIL}</url>").as_bytes(),
        ),
        (&format!("site/{}", name("page", ".html")), html.as_bytes()),
        ("site/index.html", html.as_bytes()),
        ("site/robots.txt", rules.as_bytes()),
        (&name("site/", ".warc"), b"WARC/1.0\r\nnonsense"),
        (&name("", ".html"), html.as_bytes()),
    ])
}

fn shown(folder: &Path, arguments: &str) -> String {
    let words: Vec<_> = arguments
        .split(' ')
        .map(|word| word.replace("EVIL", EVIL))
        .collect();
    let words: Vec<_> = words.iter().map(OsStr::new).collect();
    let (shown, status) = on_a_terminal(folder, &words);
    assert_eq!(
        commands(&shown),
        <[char; 0]>::default(),
        "{arguments}: {shown:?}"
    );
    // A style of ours in a stranger's text is none.
    for style in OWN {
        assert!(
            !shown.contains(&format!("qx{style}")),
            "{arguments}: {shown:?}"
        );
    }
    assert!(
        status.is_some_and(|status| status < 4),
        "{arguments}: {status:?} {shown}"
    );
    shown
}

#[test]
fn no_page_and_no_archive_commands_the_terminal() {
    let folder = hostile();
    let inputs = [
        "crawl.warc",
        "lines.jsonl",
        "page.html",
        "site",
        "site -u https://site.example/",
    ];
    let verbs = [
        "filter",
        "filter --format text -v",
        "filter --snapshot",
        "filter --to wet",
        "filter --to elasticsearch",
        "filter --to solr",
        "text",
        "text -v",
        "text --format json",
        "links",
        "links --format json",
        "explain",
        "explain --format json",
        "explain -b a -b b --diff",
        "explain --as all",
        "explain --html out.html",
        "lint --hints",
        "lint --hints --format json",
        "lint --hints --format sarif",
        "conventions --count",
        "conventions --count --format json",
        "verify --verbose",
        "verify --inject 3 --format json",
        "snapshot --map map.json",
        "snapshot -o copies --dress -v",
    ];
    for (verb, input) in verbs
        .iter()
        .flat_map(|verb| inputs.iter().map(move |input| (verb, input)))
    {
        let told = shown(folder.path(), &format!("{verb} {input}"));
        assert!(
            !told.is_empty() || verb.contains("--html") || verb.contains("snapshot -o"),
            "{verb} {input}"
        );
    }
    let told = shown(folder.path(), "text page.html");
    assert!(told.contains("e\u{fffd}]52;c;ZXZpbA"), "{told}");
    assert!(
        shown(folder.path(), "links page.html").contains("\x1b["),
        "our own styles are there"
    );
}

#[test]
fn no_index_commands_the_terminal() {
    let folder = hostile();
    let index = "index -o i --snapshot -v crawl.warc lines.jsonl site";
    let told = shown(folder.path(), index);
    assert!(
        told.contains("failed") && told.contains("kept out by robots.txt"),
        "{told}"
    );
    for verb in [
        "search i word",
        "search i word --explain",
        "search i word --format json",
        "search i site:EVIL",
        "search i \"EVIL",
        "search i (word EVIL",
        "stats i",
        "stats i --check",
        "stats i --of https://site.example/aEVIL",
        "stats i --of https://site.example/shut/EVIL",
        "stats i --of https://site.example/c",
        "stats i --of https://site.example/c --format json",
        "snapshot --from i https://site.example/aEVIL -o given",
        "stats i --list",
        "purge i --robots robots.txt --dry-run",
        "purge i --url https://site.example/EVIL --dry-run",
        "purge i --url EVIL",
        "purge i --urls urls.txt --dry-run",
        "purge i --url *EVIL* --why EVIL",
        "index -o i --whole -u https://site.example/aEVIL site",
        "snapshot --from i -o copies",
        "purge i --robots other.txt --format json",
        "purge i --expired --site EVIL",
        "purge i --robots EVIL",
        "snapshot --from i https://site.example/a EVIL",
        "compact i",
        "index -o j crawl.warc",
        "merge j -o k-EVIL",
        "stats k-EVIL",
        "merge i j -o l",
        "merge nothingEVIL -o m",
        "merge @nothingEVIL -o m",
    ] {
        shown(folder.path(), verb);
    }
}

/// Command lines of the tests: some print rules, some have an error in the arguments, and some need
/// no input.
const TROUBLE: [&str; 60] = [
    "check -r robots.txt -v /shut /xEVIL",
    "check -r robots.txt -b a -b b=cEVIL /shutEVIL",
    "check -r robots.txt --format json /xEVIL",
    "check --diff robots.txt other.txt /a /shutEVIL --bot fooEVIL",
    "check -r robots.txt --urls urls.txt",
    "check -r robots.txt --urls sitemap.xml",
    "check -r EVIL /a",
    "check --fetch-robots EVIL",
    "check -r robots.txt --mode EVIL /",
    "check -r robots.txt --at EVIL /",
    "check -r robots.txt -b EVIL /",
    "filter EVIL",
    "index EVIL -o x",
    "index page.html -o EVIL/EVIL",
    "index page.html -o page.html",
    "filter @none.manifest",
    "filter @EVIL",
    "filter --input manifest none.manifest",
    "filter page.html --convention-file own.toml",
    "filter page.html --convention-file EVIL",
    "filter page.html --conventions EVIL",
    "filter page.html -u EVIL",
    "filter page.html -H EVIL",
    "filter page.html -H X-Robots-Tag:EVIL --format text",
    "filter page.html --deny EVIL",
    "filter page.html --deny noindex=EVIL",
    "filter page.html --deny-element noindex=EVIL",
    "filter page.html --deny-region noindex=EVIL",
    "filter page.html --names EVIL",
    "filter page.html --limit EVIL",
    "filter page.html --limit page_bytes=EVIL",
    "filter page.html --profile EVIL",
    "filter page.html --use EVIL --to wet",
    "filter page.html --to EVIL",
    "export --to wet page.html -o EVIL",
    "export --to wet page.html -o site",
    "EVIL",
    "--EVIL",
    "help EVIL",
    "search EVIL x",
    "search EVIL x --limit EVIL",
    "stats EVIL",
    "purge EVIL --expired",
    "compact EVIL",
    "snapshot --from EVIL x",
    "snapshot page.html -o nowhereEVIL/x.warc",
    "explain page.html --html nowhereEVIL/x",
    "lint --only EVIL page.html",
    "verify page.html --browser=EVIL",
    "generate completions EVIL",
    "generate man EVIL",
    "generate completions bash",
    "limits",
    "limits --limit EVIL",
    "conventions",
    "lint --rules",
    "help",
    "help index",
    "--version",
    "filter *EVIL",
];

#[test]
fn no_robots_txt_and_no_error_commands_the_terminal() {
    let folder = hostile();
    for arguments in TROUBLE {
        shown(folder.path(), arguments);
    }
}

/// In a pipe, the program's text has neither styles nor other control characters. Its JSON has the
/// original values, with control characters escaped.
#[test]
fn a_pipe_gets_no_command_either() {
    let folder = hostile();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_heedful"))
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    for verb in [
        "filter",
        "filter --snapshot",
        "explain --format json",
        "verify --format json",
        "lint --format json --hints",
    ] {
        let (lines, told) = run(&[verb.split(' ').collect(), vec!["crawl.warc"]].concat());
        assert_eq!(
            (commands(&lines), commands(&told)),
            (vec![], vec![]),
            "{verb}"
        );
    }
    let (lines, _) = run(&["filter", "page.html"]);
    let object: serde_json::Value = serde_json::from_str(&lines).unwrap();
    assert!(
        object["title"][0].as_str().unwrap().contains("\u{9b}31m"),
        "{object}"
    );
    let (text, told) = run(&["filter", "--format", "text", "crawl.warc"]);
    assert_eq!((commands(&text), commands(&told)), (vec![], vec![]));
    assert!(!text.contains('\x1b'));
}

/// Explanations are wrapped at the width of the terminal, or at 80 columns if the width is unknown.
#[test]
fn explanations_are_as_wide_as_the_terminal() {
    let html = "<meta name=robots content='noarchive, max-image-preview:large, max-video-preview:5, max-snippet:80'>\n\
                <p>one <span data-nosnippet>two</span>";
    let folder = crate::support::folder(&[("page.html", html.as_bytes())]);
    let shown = shown(
        folder.path(),
        "explain page.html -q --as all -b foobot -b barbot",
    );
    let plain = OWN.iter().fold(shown.replace("\r\n", "\n"), |text, own| {
        text.replace(own, "")
    });
    assert!(
        plain.lines().all(|line| line.chars().count() <= 80),
        "{plain}"
    );
    for whole in [
        "max-image-preview:large,",
        "max-video-preview:5,",
        "    -  not read: ",
    ] {
        assert!(plain.contains(whole), "{whole} is in one line: {plain}");
    }
}
