//! A bug affects only the page that triggers it: all other pages are read, in every verb, with one
//! thread and with many. The tests plant a bug: debug builds panic on the page that an environment
//! variable names.

use std::path::Path;
use std::process::{Command, Output};

use heedful::{Bot, ErrorKind, Filter, Judged, Result, Sink};
use heedful_index::Index;
use heedful_input::Inputs;
use heedful_run::{Gate, Outcome, Run};

use crate::support::made::{folder, page};

const BAD: &str = "https://site.example/n7";
const VERBS: [&str; 13] = [
    "filter",
    "filter --format text",
    "filter --to solr",
    "text",
    "links",
    "explain",
    "explain --diff -b a -b b",
    "lint --hints",
    "verify",
    "conventions --count",
    "snapshot -o copies",
    "export --to wet -o texts",
    "explain --html report.html",
];

fn archive(folder: &Path) {
    let html = |n: usize| {
        format!(
            "<!doctype html><title>t{n}</title><p>word{n}\x1b]0;x\x07 <!--noindex-->x<!--/noindex--> <a href=/a>link{n}</a>"
        )
    };
    let records: Vec<u8> = (0..20)
        .flat_map(|n| page(&format!("https://site.example/n{n}"), &html(n)))
        .collect();
    std::fs::write(folder.join("crawl.warc"), records).unwrap();
}

fn run(folder: &Path, arguments: &str) -> (Output, String) {
    run_with(BAD, folder, arguments)
}

fn run_with(bug: &str, folder: &Path, arguments: &str) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heedful"));
    command
        .args(arguments.split(' '))
        .current_dir(folder)
        .env("HEEDFUL_PLANTED_BUG", bug)
        .env_remove("RUST_BACKTRACE");
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(
        output.status.code().is_some_and(|status| status < 3),
        "{arguments}: {:?} {told}",
        output.status
    );
    assert!(
        !told.contains('\x1b') && !told.contains('\x07'),
        "{arguments}: {told}"
    );
    (output, told)
}

#[test]
fn a_bug_costs_its_page_in_every_verb() {
    let folder = folder();
    archive(folder.path());
    for (verb, jobs) in VERBS
        .iter()
        .flat_map(|verb| [1, 4].map(|jobs| (verb, jobs)))
    {
        for place in ["copies", "texts"] {
            let _ = std::fs::remove_dir_all(folder.path().join(place));
        }
        let (output, told) = run(folder.path(), &format!("{verb} -j {jobs} crawl.warc"));
        let out = String::from_utf8(output.stdout).unwrap();
        assert!(
            told.contains("planted") || out.contains("planted"),
            "{verb}: {told}"
        );
        if matches!(*verb, "filter" | "filter --to solr" | "text" | "links") {
            for n in (0..20).filter(|n| *n != 7) {
                let word = if *verb == "links" {
                    format!("link{n}")
                } else {
                    format!("word{n}")
                };
                assert!(out.contains(&word), "{verb} -j {jobs}: {n} is lost");
            }
        }
        if verb.contains("copies") {
            assert_eq!(
                std::fs::read_dir(folder.path().join("copies/site.example"))
                    .unwrap()
                    .count(),
                19
            );
        }
    }
}

/// If a bug interrupts the reading of an input file, the rest of that file is lost and the exit
/// status shows the loss. All other files are read.
#[test]
fn a_bug_in_the_reader_costs_the_rest_of_its_file() {
    let folder = folder();
    archive(folder.path());
    std::fs::write(
        folder.path().join("other.warc"),
        page("https://other.example/", "<p>otherword"),
    )
    .unwrap();
    for (verb, jobs) in VERBS[..10]
        .iter()
        .flat_map(|verb| [1, 4].map(|jobs| (verb, jobs)))
    {
        let arguments = format!("{verb} -j {jobs} crawl.warc other.warc");
        let (output, told) = run_with(&format!("{BAD}#reader"), folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {told}");
        let out = String::from_utf8(output.stdout).unwrap();
        assert!((told + &out).contains("planted"), "{arguments}");
        if *verb == "text" {
            assert!(
                out.contains("word6") && !out.contains("word8") && out.contains("otherword"),
                "{out}"
            );
        }
    }
}

#[test]
fn a_bug_costs_its_page_in_an_index() {
    let folder = folder();
    archive(folder.path());
    let (output, told) = run(folder.path(), "index --snapshot -j 4 -o i crawl.warc");
    assert!(
        output.status.success() && told.contains("1 failed") && told.contains("internal error"),
        "{told}"
    );
    let index = Index::open(folder.path().join("i")).unwrap();
    let urls = index.search().unwrap().urls().unwrap();
    assert!(
        urls.len() == 19 && !urls.contains(&BAD.to_owned()),
        "{urls:?}"
    );
    assert_eq!(index.check().unwrap(), [""; 0]);
}

/// A sink (a receiver of a filtered page's tokens) that panics on the text of one page.
struct Faulty;

impl Sink for Faulty {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        assert!(!judged.token().text().contains("word7"), "planted");
        Ok(())
    }

    fn finish(&mut self, _: &heedful::PageEnd) -> Result<()> {
        Ok(())
    }
}

#[test]
fn a_sink_that_panics_costs_its_page() {
    let folder = folder();
    archive(folder.path());
    let inputs = Inputs::default()
        .open(&[folder.path().join("crawl.warc")])
        .unwrap();
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let (mut read, mut failed) = (0, Vec::new());
    let work = |document: &heedful_input::FetchedPage, _: heedful_run::GateRules<'_>| {
        let mut pass = filter.open_with(document.url(), Faulty)?;
        pass.write(document.bytes())?;
        pass.into_sink().map(|_| ())
    };
    let gate = Gate::default();
    Run::new(&inputs, &gate, 4)
        .each(work, |outcome, _| {
            match outcome {
                Outcome::Pages(()) => read += 1,
                Outcome::Failed { url, error, .. } => {
                    assert!(matches!(error.kind(), ErrorKind::Internal(_)), "{error}");
                    failed.push(url);
                }
                _ => {}
            }
            Ok(())
        })
        .unwrap();
    assert_eq!((read, failed), (19, vec![BAD.to_owned()]));
}
