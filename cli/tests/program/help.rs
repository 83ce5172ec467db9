//! Tests of the help, the manual pages and the completions. They read the names of the verbs from
//! the help, so that no verb is forgotten.

use std::collections::BTreeSet;
#[cfg(unix)]
use std::io::Write;

use assert_cmd::Command;
use tempfile::TempDir;

#[cfg(unix)]
use crate::browsers::program as program_of_browser;
use crate::support::root;

const SHELLS: [&str; 4] = ["bash", "zsh", "fish", "powershell"];

/// Maximum number of lines of a short help (`-h`).
const SCREEN: usize = 50;

/// Runs the program and returns its standard output, formatted for the default width of a terminal.
fn help_text(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("heedful")
        .unwrap()
        .args(arguments)
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn help(verb: &str) -> String {
    help_text(&[verb, "--help"])
}

/// Returns the lines below a heading of the help, up to the next blank line.
fn part<'a>(help: &'a str, heading: &str) -> Vec<&'a str> {
    help.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.is_empty())
        .collect()
}

/// Returns the verbs that the program's help lists.
fn verbs() -> Vec<String> {
    let help = help_text(&["--help"]);
    let names = part(&help, "Verbs:")
        .into_iter()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let verbs: Vec<_> = names
        .filter(|name| !name.is_empty() && *name != "help")
        .map(str::to_owned)
        .collect();
    assert!(verbs.len() > 10, "{verbs:?}");
    verbs
}

/// Returns the `--name` of each option in a help text. It has lines like `  -o, --output <DIR>` or
/// `      --snapshot`.
fn long_options(help: &str) -> BTreeSet<String> {
    let of = |line: &'_ str| {
        let long = line
            .strip_prefix("      ")
            .or_else(|| line.strip_prefix("  -")?.split_once(", ").map(|two| two.1))?;
        long.starts_with("--")
            .then(|| long.split([' ', '[']).next().unwrap_or_default().to_owned())
    };
    let options: BTreeSet<_> = help.lines().filter_map(of).collect();
    assert!(options.contains("--help"), "{help}");
    options
}

fn manual() -> TempDir {
    let folder = TempDir::new().unwrap();
    help_text(&[
        "generate",
        "man",
        folder.path().join("made/man1").to_str().unwrap(),
    ]);
    folder
}

/// Returns the source of the manual page `name`, with its escaped hyphens replaced by plain ones.
fn page(manual: &TempDir, name: &str) -> String {
    let path = manual.path().join("made/man1").join(name);
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
        .replace("\\-", "-")
}

#[test]
fn every_help_fits_in_80_columns() {
    let mut helps = vec![
        help_text(&["--help"]),
        help_text(&["-h"]),
        help_text(&["help"]),
    ];
    for verb in verbs() {
        helps.extend([
            help(&verb),
            help_text(&[&verb, "-h"]),
            help_text(&["help", &verb]),
        ]);
    }
    for line in helps.iter().flat_map(|help| help.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn without_a_terminal_nothing_is_wider() {
    for verb in verbs() {
        let output = Command::cargo_bin("heedful")
            .unwrap()
            .args([&verb, "-h"])
            .env_remove("COLUMNS")
            .output()
            .unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(
            help.lines().all(|line| line.chars().count() <= 80),
            "{help}"
        );
    }
}

#[test]
fn the_short_help_fits_on_a_screen_and_the_long_one_is_whole() {
    let mut hidden = BTreeSet::new();
    for verb in verbs() {
        let long = help(&verb);
        assert_eq!(long, help_text(&["help", &verb]));
        let short = help_text(&[&verb, "-h"]);
        assert!(short.lines().count() <= SCREEN, "{short}");
        let (few, all) = (long_options(&short), long_options(&long));
        assert!(few.is_subset(&all), "{verb}");
        hidden.extend(all.difference(&few).cloned());
        let call = format!("  heedful {verb}");
        for help in [&short, &long] {
            let examples = part(help, "Examples:");
            assert!(
                examples.iter().any(|line| line.starts_with(&call)),
                "{help}"
            );
        }
    }
    assert!(help_text(&["-h"]).lines().count() <= SCREEN);
    assert!(hidden.contains("--limit") && !hidden.contains("--bot"));
}

/// Returns a gzip-compressed WARC with one page.
#[cfg(unix)]
fn archive() -> Vec<u8> {
    let body =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>rye bread <i>and</i> <b>butter</b>";
    let head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-11-21T00:00:00Z\r\n\
        WARC-Target-URI: https://crawl.example/\r\nContent-Type: application/http;msgtype=response\r\nContent-Length:";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    write!(packed, "{head} {}\r\n\r\n{body}\r\n\r\n", body.len()).unwrap();
    packed.finish().unwrap()
}

/// The examples in the help of all verbs work, if they are run in the order of the verbs, in a
/// folder with a site and an archive.
#[cfg(unix)]
#[test]
fn the_examples_work() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("crawl.warc.gz"), archive()).unwrap();
    std::fs::write(folder.path().join("urls.txt"), "https://crawl.example/\n").unwrap();
    let site = root().join("corpus/site");
    std::os::unix::fs::symlink(site, folder.path().join("site")).unwrap();
    let program = assert_cmd::cargo::cargo_bin("heedful");
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let helps: Vec<_> = verbs()
        .iter()
        .map(|verb| help(verb))
        .chain([help_text(&["--help"])])
        .collect();
    let has_browser = program_of_browser(heedful_verify::Engine::Chromium).is_some();
    let lines = helps.iter().flat_map(|help| part(help, "Examples:"));
    for line in lines.filter(|line| has_browser || !line.contains("--browser")) {
        let mut shell = std::process::Command::new("bash");
        // The service runs until a signal ends it, and then exits with success.
        let line = &match line.trim_start().starts_with("heedful serve") {
            true => format!("timeout --preserve-status 3 {} --port 0", line.trim()),
            false => line.to_owned(),
        };
        let done = shell
            .args(["-o", "pipefail", "-c", line])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        let is_no = done.status.code() == Some(1)
            && (line.contains(" > ") || !done.stdout.is_empty())
            && !told.contains("error:");
        assert!(done.status.success() || is_no, "{line}: {done:?}");
    }
}

#[test]
fn every_verb_has_a_page_with_its_options() {
    let manual = manual();
    let program = page(&manual, "heedful.1");
    let verbs = verbs();
    for verb in &verbs {
        assert!(program.contains(&format!("heedful-{verb}(1)")), "{verb}");
        let page = page(&manual, &format!("heedful-{verb}.1"));
        let help = help(verb);
        for option in long_options(&help) {
            assert!(
                page.contains(&format!("\\fB{option}\\fR")),
                "{verb} {option}"
            );
        }
        assert!(
            part(&help, "Examples:")
                .iter()
                .all(|line| page.contains(&line.trim().replace('\'', "\\*(Aq"))),
            "{page}"
        );
    }
    assert_eq!(
        std::fs::read_dir(manual.path().join("made/man1"))
            .unwrap()
            .count(),
        verbs.len() + 1
    );
}

#[test]
fn every_verb_and_option_is_completed() {
    for shell in SHELLS {
        let script = help_text(&["generate", "completions", shell]);
        let words: BTreeSet<_> = script
            .split(|c: char| !c.is_alphanumeric() && c != '-')
            .collect();
        for verb in verbs() {
            assert!(words.contains(verb.as_str()), "{shell} {verb}");
            for option in long_options(&help(&verb)) {
                let name = if shell == "fish" {
                    option.trim_start_matches('-')
                } else {
                    &option
                };
                assert!(words.contains(name), "{shell} {verb} {option}");
            }
        }
    }
}

/// The table of verbs in docs/program.md lists exactly the verbs of the help. In the first cell of
/// a row, the first word of each code span is a verb, as in `index -o DIR INPUT...`.
#[test]
fn the_page_on_the_program_knows_the_verbs() {
    let page = std::fs::read_to_string(root().join("docs/program.md")).unwrap();
    let rows = part(&page, "| verb | does |").into_iter().skip(1);
    let cells = rows.flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2));
    let named: BTreeSet<_> = cells
        .map(|cell| cell.split(' ').next().unwrap().to_owned())
        .collect();
    assert_eq!(named, verbs().into_iter().collect());
}

#[test]
fn a_folder_that_cannot_be_made_is_trouble() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let under = folder.path().join("file/man1");
    let output = Command::cargo_bin("heedful")
        .unwrap()
        .args(["generate", "man"])
        .arg(under)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("file/man1")
    );
}
