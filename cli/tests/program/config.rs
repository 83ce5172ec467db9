//! Settings that a user need not type again: those of the configuration file, and those that an
//! index stores. The tests also cover options that have the same meaning in every verb.

use tempfile::TempDir;

use crate::command::{ended, heedful, path, run, write};

const URL: &str = "https://site.example/";

/// Runs the program with the text `config` as its configuration file. Returns its exit status,
/// standard output and standard error.
fn configured(config: &str, arguments: &[&str], stdin: &str) -> (i32, String, String) {
    let folder = TempDir::new().unwrap();
    let file = write(&folder, "heedful.toml", config);
    ended(
        heedful(arguments)
            .env("HEEDFUL_CONFIG", file)
            .write_stdin(stdin),
    )
}

const PAGE: &str = "<title>T</title><meta name=foobot content=noindex><p>one";

#[test]
fn options_of_the_file_count_where_none_are_typed() {
    let text = |config: &str, arguments: &[&str]| {
        let arguments = [&["text", "-u", URL], arguments].concat();
        configured(config, &arguments, PAGE).1
    };
    assert_eq!(text("", &[]), "one\n");
    assert_eq!(text("bot = \"foobot\"", &[]), "");
    assert_eq!(text("bot = \"foobot\"", &["-b", "barbot"]), "one\n");
    assert_eq!(text("[text]\nbot = \"foobot\"", &[]), "");
    assert_eq!(text("[links]\nbot = \"foobot\"", &[]), "one\n");
    assert_eq!(text("deny = [\"noindex=/\", \"nofollow=/b\"]", &[]), "");
    assert_eq!(
        text("deny = [\"noindex=/\"]", &["--deny", "nofollow=/b"]),
        "one\n"
    );
    assert_eq!(
        text("conventions = \"none\"\nbot = \"foobot\"", &[]),
        "one\n"
    );
    let json = configured("format = \"json\"", &["text", "-u", URL], PAGE).1;
    assert!(json.starts_with('{'), "{json}");
    let help = configured("bot = \"foobot\"", &["text", "--help"], "").1;
    let words: Vec<_> = help.split_whitespace().collect();
    assert!(
        words.join(" ").contains("serves several [default: foobot]"),
        "{help}"
    );
}

#[test]
fn a_default_conflicts_with_nothing_and_requires_nothing() {
    let config = "bot = \"foobot\"\nrobots-cache = \"nowhere\"\nquiet = true\nverbose = false";
    let (status, found, told) = configured(config, &["text", "-u", URL, "-b", "x"], PAGE);
    assert_eq!((status, found.as_str(), told.as_str()), (0, "one\n", ""));
    assert_eq!(configured(config, &["limits"], "").0, 0);
    assert_eq!(configured(config, &["text", "-v"], PAGE).0, 1);
}

#[test]
fn a_file_that_cannot_be_meant_is_trouble() {
    for (config, expected) in [
        (
            "bots = \"a\"",
            "no verb has an option `bots`; did you mean `bot`?",
        ),
        (
            "[indx]\nbot = \"a\"",
            "[indx] is no verb; did you mean `index`?",
        ),
        ("[search]\nbot = \"a\"", "[search] has no option `bot`"),
        ("bot = []", "`bot` needs a text, a number"),
        ("bot = 1.5", "`bot` needs a text, a number"),
        ("bot = ", "heedful.toml: "),
        (
            "quiet = 3",
            "heedful.toml (HEEDFUL_CONFIG): invalid value '3' for '--quiet'",
        ),
        ("conventions = \"wb\"", "there is no convention `wb`"),
    ] {
        let (status, found, told) = configured(config, &["text"], PAGE);
        assert_eq!((status, found.as_str()), (2, ""), "{config}");
        assert!(
            told.contains(expected) && told.contains("heedful.toml"),
            "{told}"
        );
    }
    let missing = ended(heedful(&["limits"]).env("HEEDFUL_CONFIG", "missing.toml"));
    assert!(missing.0 == 2 && missing.2.contains("missing.toml"));
    assert_eq!(ended(heedful(&["limits"]).env("HEEDFUL_CONFIG", "")).0, 0);
    // What is typed wrongly is no fault of the file.
    let (_, _, told) = configured("bot = \"a\"", &["text", "--conventions", "wb"], PAGE);
    assert!(!told.contains("heedful.toml"), "{told}");
}

#[test]
fn an_index_keeps_the_rules_of_the_user() {
    let folder = TempDir::new().unwrap();
    let page = "<p>one<p class=menu>two<p><!--ad-->three<!--/ad--><b id=x>four</b>";
    let file = write(&folder, "page.html", page);
    let own = "[[element]]\nselect = \"#x\"\ndeny = [\"noindex\"]\n[[page]]\nurl = \"/zz\"\ndeny = [\"noindex\"]\n";
    let own = write(&folder, "own.toml", own);
    let index = path(&folder, "index");
    let run_again = |more: &[&str]| {
        run(
            &[&["index", &file, "-u", URL, "-o", &index], more].concat(),
            "",
        )
    };
    let rules = [
        "--deny-element",
        "noindex=.menu",
        "--deny-region",
        "noindex=ad.../ad",
        "--convention-file",
        &own,
    ];
    assert_eq!(run_again(&rules).0, 0);
    std::fs::remove_file(&own).unwrap();
    std::fs::write(&file, page.replace("one", "new")).unwrap();
    let (status, _, told) = run_again(&[]);
    assert_eq!(status, 0, "{told}");
    assert!(!told.contains("matched no page"), "{told}");
    let finds = |word: &str| run(&["search", &index, word], "").0 == 0;
    assert!(finds("new") && !finds("one"));
    assert!(["two", "three", "four"].iter().all(|word| !finds(word)));
    let (status, _, told) = run_again(&["--deny-element", "noindex=.other"]);
    assert!(status == 2 && told.contains("--deny-element"), "{told}");
}

#[test]
fn a_robots_txt_may_be_that_of_one_site() {
    let folder = TempDir::new().unwrap();
    let lines = "{\"url\":\"https://a.example/x\",\"html\":\"<p>one\"}\n{\"url\":\"https://b.example/x\",\"html\":\"<p>two\"}\n";
    let pages = write(&folder, "pages.jsonl", lines);
    let robots = write(&folder, "robots.txt", "User-agent: *\nDisallow: /\n");
    let text = |robots: &str| run(&["text", &pages, "-q", "-r", robots], "");
    assert_eq!(text(&robots).1, "");
    let of_site = text(&format!("https://a.example/={robots}"));
    assert_eq!(of_site.1, "# heedful https://b.example/x\ntwo\n\n");
    let odd = write(&folder, "a=b.txt", "User-agent: *\nDisallow: /\n");
    assert_eq!(text(&format!("https://a.example/={odd}")).1, of_site.1);
    assert_eq!(text(&odd).1, "");
    let wrong = text(&format!("a.example={robots}"));
    assert!(
        wrong.0 == 2 && wrong.2.contains("SITE is a whole URL"),
        "{}",
        wrong.2
    );
}

#[test]
fn every_verb_writes_to_a_file_if_one_is_named() {
    let folder = TempDir::new().unwrap();
    for verb in ["filter", "text", "links", "lint", "explain"] {
        let arguments = [verb, "corpus/site", "-u", URL, "--color", "always"];
        let printed = run(&arguments[..4], "");
        let file = path(&folder, verb);
        let written = run(&[&arguments[..], &["-o", &file]].concat(), "");
        assert_eq!((written.0, written.1.as_str()), (printed.0, ""), "{verb}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed.1, "{verb}");
    }
    let page = write(&folder, "page.html", "<p>one");
    let (status, _, told) = run(&["text", &page, "-u", URL, "-o", &page], "");
    assert!(status == 2 && told.contains("is read"), "{told}");
    let nowhere = path(&folder, "nowhere/x");
    let (status, _, told) = run(&["text", &page, "-u", URL, "-o", &nowhere], "");
    assert!(status == 2 && told.contains("nowhere"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_full_is_named() {
    let (status, _, told) = run(&["text", "-o", "/dev/full"], "<p>one");
    assert!(
        status == 2 && told.starts_with("error: /dev/full: "),
        "{told}"
    );
}

#[test]
fn a_workflow_shows_each_finding() {
    let folder = TempDir::new().unwrap();
    let page = write(&folder, "a,b.html", "<p>one\n <!--noindex--> two");
    let (status, found, _) = run(&["lint", &page, "-u", URL, "--format", "github"], "");
    assert_eq!(status, 1);
    let file = page.replace(',', "%2C");
    assert!(
        found.starts_with(&format!(
            "::error file={file},line=2,col=2,title=unclosed-region::"
        )),
        "{found}"
    );
    assert_eq!(found.lines().count(), 1);
}

/// A file of settings that is a FIFO or a device is refused at once, for reading it might never end.
/// What a shell passes as `<(command)` is a link to a pipe, and is read.
#[cfg(unix)]
#[test]
fn a_fifo_is_no_file_of_settings() {
    let folder = TempDir::new().unwrap();
    let page = write(&folder, "page.html", PAGE);
    let fifo = path(&folder, "fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    for option in [
        "--robots",
        "--names",
        "--rsl",
        "--tdmrep",
        "--convention-file",
    ] {
        for file in [&fifo, "/dev/zero"] {
            let (status, _, told) = run(&["text", &page, "-u", URL, option, file], "");
            assert_eq!(status, 2, "{option} {file}: {told}");
            assert!(
                told.contains("a FIFO or a device"),
                "{option} {file}: {told}"
            );
        }
    }
    let (status, _, told) =
        ended(heedful(&["text", &page, "-u", URL]).env("HEEDFUL_CONFIG", &fifo));
    assert_eq!(status, 2, "{told}");
    assert!(told.contains("a FIFO or a device"), "{told}");

    let link = path(&folder, "link");
    std::os::unix::fs::symlink("/dev/stdin", &link).unwrap();
    let rules = "User-agent: *\nDisallow: /";
    let (_, out, told) = run(&["text", &page, "-u", URL, "--robots", &link], rules);
    assert_eq!(out, "", "{told}");
}
