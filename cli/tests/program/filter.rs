//! The output of `heedful filter` for a page that robots.txt disallows: it names the rule.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{run, write};

const PAGE: &str = r#"{"url": "https://site.example/a/b", "html": "<p>word"}"#;

/// Runs `heedful filter` over the JSON Lines `lines`. Returns the JSON of each page, in order.
fn answers(arguments: &[&str], lines: &str) -> Vec<Value> {
    let (_, found, told) = run(
        &[
            &["filter", "--input", "jsonl", "--format", "json"],
            arguments,
        ]
        .concat(),
        lines,
    );
    let answers: Vec<_> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(!answers.is_empty(), "{told}");
    answers
}

#[test]
fn a_page_that_is_kept_out_names_the_rule() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: BarBot\nUser-agent: BazBot\nAllow: /\n\nUser-agent: *\nDisallow: /a\n",
    );
    let found = answers(&["-r", &robots, "-b", "FooBot", "-b", "BarBot"], PAGE);
    let [shut, open] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(
        (&shut["verdict"]["enter"], &open["verdict"]["enter"]),
        (&json!(false), &json!(true))
    );
    let kept_out = &shut["kept_out"];
    assert_eq!(
        (&kept_out["line"], &kept_out["rule"]),
        (&json!(6), &json!("Disallow: /a"))
    );
    assert_eq!(
        (&kept_out["group"], &kept_out["reason"]),
        (&json!("*"), &json!("rule"))
    );
    assert_eq!(
        (&kept_out["source"]["kind"], &kept_out["source"]["place"]),
        (&json!("file"), &json!(robots))
    );
    assert_eq!(open["kept_out"], Value::Null);
}

/// The object `kept_out` in the output of `filter` has the keys of the output of `check`, with the
/// same values.
#[test]
fn the_answer_is_that_of_check() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: foobot\nDisalow: /a/b # a slip\n\nUser-agent: *\nDisallow: /\n",
    );
    for bot in ["FooBot", "BarBot"] {
        let kept_out = answers(&["-r", &robots, "-b", bot], PAGE)[0]["kept_out"].clone();
        let url = "https://site.example/a/b";
        let (_, found, told) = run(
            &["check", "-r", &robots, "-b", bot, url, "--format", "json"],
            "",
        );
        let ruling: Value = serde_json::from_str(&found).unwrap_or_else(|_| panic!("{told}"));
        assert_eq!(ruling["allowed"], false, "{found}");
        let keys: Vec<_> = kept_out.as_object().unwrap().iter().collect();
        assert_eq!(keys.len(), 5);
        for (key, value) in keys {
            assert_eq!(*value, ruling[key], "{bot} {key}");
        }
    }
}

/// If a page may not enter because the request for robots.txt failed, the page's `kept_out` has the
/// HTTP status. `kept_out` is null for a page that robots.txt allows and that itself denies uses.
#[test]
fn a_status_is_named_and_other_denials_are_not() {
    let page =
        |more: &str| format!(r#"{{"url": "https://site.example/a", "html": "<p>word"{more}}}"#);
    let found = answers(&[], &page(r#", "robots": "", "robots_status": 503"#));
    assert_eq!(found[0]["verdict"]["enter"], false);
    assert_eq!(
        (
            &found[0]["kept_out"]["reason"],
            &found[0]["kept_out"]["line"]
        ),
        (&json!("status"), &Value::Null)
    );
    assert!(
        found[0]["kept_out"]["rule"]
            .as_str()
            .unwrap()
            .contains("503"),
        "{}",
        found[0]
    );
    assert_eq!(found[0]["kept_out"]["source"]["status"], 503);
    for more in [
        "",
        r#", "robots": "User-agent: *\nDisallow: /b""#,
        r#", "robots": "User-agent: *\nNoindex: /a""#,
        r#", "headers": {"X-Robots-Tag": "none"}"#,
    ] {
        let found = answers(&[], &page(more));
        assert_eq!(
            (&found[0]["verdict"]["enter"], &found[0]["kept_out"]),
            (&json!(true), &Value::Null),
            "{more}"
        );
    }
}

/// If robots.txt disallows only one of a page's two URLs, `kept_out` has the rule about that URL.
#[test]
fn either_url_of_a_page_may_be_kept_out() {
    let folder = TempDir::new().unwrap();
    let robots = write(
        &folder,
        "robots.txt",
        "User-agent: *\nDisallow: /posts/index.html\n",
    );
    write(&folder, "site/posts/index.html", "<p>word");
    let site = folder.path().join("site").display().to_string();
    let (_, found, told) = run(
        &[
            "filter",
            &site,
            "-u",
            "https://site.example/",
            "-r",
            &robots,
            "--format",
            "json",
        ],
        "",
    );
    let page: Value = serde_json::from_str(&found).unwrap_or_else(|_| panic!("{told}"));
    assert_eq!(page["verdict"]["enter"], false, "{found}");
    assert_eq!(
        page["kept_out"]["rule"], "Disallow: /posts/index.html",
        "{found}"
    );
}
