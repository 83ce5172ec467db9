//! The output of `heedful filter`: for a page that robots.txt disallows it names the rule, and with
//! `--blocks` it has the blocks of each page.

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

/// A page with text in landmarks and outside of them, and with a withheld price.
const BREAD: &str = "<nav>Menu</nav><main><h2>Rye</h2><p>Dark <!--noindex-->2 EUR<!--/noindex--> bread\
    <table><tr><td>500 g<td>3</table></main><footer>2026</footer>";

/// Returns [`BREAD`] as a line of JSON Lines.
fn bread() -> String {
    json!({ "url": "https://site.example/rye", "html": BREAD }).to_string()
}

#[test]
fn blocks_are_there_if_they_are_asked_for() {
    assert_eq!(answers(&[], &bread())[0]["blocks"], Value::Null);
    let found = answers(&["--blocks", "-b", "FooBot", "-b", "BarBot"], &bread());
    assert_eq!(found.len(), 2);
    for page in found {
        let blocks = page["blocks"].as_array().unwrap();
        let short: Vec<_> = blocks
            .iter()
            .map(|block| json!([block["kind"], block["landmark"], block["phrases"]]))
            .collect();
        assert_eq!(
            json!(short),
            json!([
                ["paragraph", "navigation", ["Menu"]],
                ["heading", "main", ["Rye"]],
                ["paragraph", "main", ["Dark", "bread"]],
                ["cell", "main", ["500 g"]],
                ["cell", "main", ["3"]],
                ["paragraph", "contentinfo", ["2026"]]
            ])
        );
        let heading = json!({
            "kind": "heading", "level": 2, "row": null, "landmark": "main", "line": 1, "column": 26,
            "phrases": ["Rye"],
        });
        assert_eq!(blocks[1], heading);
        assert_eq!(blocks[4]["row"], 1);
    }
}

#[test]
fn a_page_of_which_nothing_may_be_indexed_has_no_blocks() {
    let page =
        r#"{"url": "https://site.example/", "html": "<meta name=robots content=noindex><p>leak"}"#;
    assert_eq!(answers(&["--blocks"], page)[0]["blocks"], json!([]));
    let lost = r#"{"url": "nowhere", "html": "<p>leak"}"#;
    assert_eq!(answers(&["--blocks"], lost)[0]["blocks"], Value::Null);
}

#[test]
fn text_is_taken_from_landmarks_alone() {
    let texts = |list: &str| {
        let url = "https://site.example/rye";
        let (status, found, told) =
            run(&["text", "-u", url, "--quiet", "--landmarks", list], BREAD);
        assert_eq!((status, told.as_str()), (0, ""));
        found
    };
    assert_eq!(texts("main"), "Rye\n\nDark\nbread\n\n500 g\t3\n");
    assert_eq!(texts("none,nav"), "Menu\n");
    assert_eq!(texts("all,-main"), "Menu\n\n2026\n");
    let (status, _, told) = run(&["text", "--landmarks", "sidebar", "-"], BREAD);
    assert_eq!(status, 2);
    assert!(told.contains("`sidebar` is no landmark"), "{told}");
}
