//! `heedful explain` as a user runs it: its text, JSON and HTML, and the differences between bots.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{self, ended, heedful, path, write};

const PAGE: &str = "<!DOCTYPE html>
<title>Rye</title>
<meta name=robots content='noarchive, max-snippet:80'>
<meta name=barbot content=nosnippet>
<h1>Dark rye</h1>
<p>one two <!-- robots content=\"none\" --> three <a href=/ad>four</a>
<!-- /robots --> five <a href=/x rel=nofollow>six</a></p>
<!--noindex--><!--/noindex-->
<div class=robots-noindex>seven <b class=robots-index>eight</b>
<!--noindex-->nine<!--/noindex--></div>
<!--/noindex--> ten
";

/// Runs `heedful explain`. Returns its exit status, standard output and standard error.
fn run(arguments: &[&str], stdin: &str) -> (i32, String, String) {
    ended(heedful(&["explain"]).args(arguments).write_stdin(stdin))
}

const URL: &str = "https://site.example/rye";

fn explained(more: &[&str]) -> Value {
    let arguments = [
        &["-", "--input", "html", "-u", URL, "--format", "json"],
        more,
    ]
    .concat();
    let (_, found, told) = run(&arguments, PAGE);
    assert_eq!(told, "");
    serde_json::from_str(&found).unwrap()
}

#[test]
fn every_directive_is_told_with_its_fate() {
    let (status, found, told) = run(
        &[
            "-",
            "--input",
            "html",
            "-u",
            URL,
            "-H",
            "X-Robots-Tag: max-snippet:50",
        ],
        PAGE,
    );
    assert_eq!((status, told.as_str()), (0, ""));
    for expected in [
        "https://site.example/rye\n",
        "  index       yes      5 of 12 words withheld\n",
        "  follow      yes      2 of 2 links withheld\n",
        "  archive     no       3:1 <meta name=\"robots\" content=\"noarchive, max-snippet:80\">\n",
        "       -  header  X-Robots-Tag: max-snippet:50\n          limits a snippet to 50 characters · the whole page\n          obeyed\n",
        "          limits a snippet to 80 characters · the whole page\n          overruled by header X-Robots-Tag: max-snippet:50\n",
        "    6:12  spiderline  <!-- robots content=\"none\" -->\n          denies index, follow, anchor · line 6\n          obeyed\n",
        "     8:1  noindex-comment  <!--noindex-->\n          denies index, anchor · nothing\n          without effect: it holds nothing\n",
        "     9:1  profile  <div class=\"robots-noindex\">\n          denies index · lines 9 to 10\n          obeyed\n",
        "    11:1  stray-close  this closes a region of noindex-comment, but none is open\n",
        "  7 of 12 words to index, in 3 phrases",
    ] {
        assert!(found.contains(expected), "{expected}\n---\n{found}");
    }
    assert!(found.lines().all(|line| line.trim_end() == line), "{found}");
}

/// In a pipe, the lines of `explain` are not wrapped, so a script can search for a whole directive.
#[test]
fn lines_in_a_pipe_are_not_wrapped() {
    let words = "word ".repeat(20);
    let (_, found, _) = run(
        &["-", "--input", "html", "-u", URL],
        &PAGE.replace("noarchive,", &format!("noarchive, {words}")),
    );
    assert!(
        found.contains(&format!(
            "3:1  meta  <meta name=\"robots\" content=\"noarchive, {words}"
        )),
        "{found}"
    );
}

#[test]
fn the_json_of_explanations_is_stable() {
    let page = explained(&["-b", "foobot"]);
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
            .join(" ")
    };
    let sorted = |text: &str| {
        let mut keys: Vec<_> = text.split(' ').collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    let expect = |value: &Value, expected: &str| assert_eq!(sorted(&keys(value)), sorted(expected));
    expect(
        &page,
        "url robots bots directives notes differences readings error",
    );
    expect(&page["bots"][0], "bot verdict why totals");
    expect(&page["bots"][0]["why"][0], "use directive derived");
    expect(
        &page["bots"][0]["totals"],
        "words withheld phrases links followed credited cuts",
    );
    let directive = "line column convention directive origin extent deny allow limit start end first_line last_line effects robots_line";
    expect(&page["directives"][0], directive);
    expect(&page["directives"][0]["effects"][0], "bot use outcome by");
    expect(&page["directives"][2]["limit"], "name value");
    expect(
        &page["notes"][0],
        "kind line column message convention bots",
    );
    assert_eq!(
        page["directives"][2]["limit"],
        json!({"name": "max_snippet", "value": "80"})
    );
    assert_eq!(page["bots"][0]["totals"]["withheld"]["index"], 5);
    let both = explained(&["-b", "foobot", "-b", "barbot"]);
    expect(
        &both["differences"][0],
        "uses start end first_line last_line may may_not",
    );
    expect(&both["differences"][0]["may_not"][0], "bot directive");
}

#[test]
fn directives_say_how_far_they_reach_and_who_overruled_them() {
    let page = explained(&[
        "-b",
        "foobot",
        "--conventions",
        "all",
        "--deny",
        "noindex=/rye",
    ]);
    let directives = page["directives"].as_array().unwrap();
    let by_text = |text: &str| {
        let place = directives
            .iter()
            .position(|one| one["directive"].as_str().unwrap().contains(text));
        &directives[place.unwrap_or_else(|| panic!("{text}: {directives:?}"))]
    };
    let region = by_text("robots content");
    let text = |one: &Value| {
        let (start, end) = (one["start"].as_u64().unwrap(), one["end"].as_u64().unwrap());
        PAGE[usize::try_from(start).unwrap()..usize::try_from(end).unwrap()].to_owned()
    };
    assert_eq!(text(region), " three <a href=/ad>four</a>\n");
    assert_eq!(
        text(by_text("<div")),
        &PAGE[PAGE.find("<div").unwrap()..PAGE.find("\n<!--/noindex--> ten").unwrap()]
    );
    assert_eq!(text(by_text("<b ")), "<b class=robots-index>eight</b>");
    assert_eq!(text(by_text("rel")), "<a href=/x rel=nofollow>");
    let operator = directives
        .iter()
        .position(|one| one["convention"] == "operator")
        .unwrap();
    let effects = region["effects"].as_array().unwrap();
    let outcome = |usage: &str| {
        effects
            .iter()
            .find(|effect| effect["use"] == usage)
            .unwrap()
    };
    assert_eq!(
        (&outcome("index")["outcome"], &outcome("index")["by"]),
        (&json!("overruled"), &json!(operator))
    );
    assert_eq!(outcome("follow")["outcome"], "obeyed");
    // Credit (`anchor`) is denied to the whole page too, since a noindex implies that.
    assert_eq!(
        (&outcome("anchor")["outcome"], &outcome("anchor")["by"]),
        (&json!("overruled"), &json!(operator))
    );
}

/// `explain` marks a denial as derived if it follows from another denial. Some of the test's pages
/// have a META, one has a region around the whole page.
#[test]
fn what_is_derived_is_told_so() {
    for (page, archive, snippet) in [
        (
            "<meta name=robots content=none>one",
            "  archive     no       derived: 1:1 <meta",
            "  snippet     no       derived: 1:1 <meta",
        ),
        (
            "<!--noindex-->one<!--/noindex-->",
            "  archive     no       derived: 1:1 <!--noindex-->",
            "  snippet     yes",
        ),
        (
            "<meta name=robots content=noarchive>one",
            "  archive     no       1:1 <meta",
            "  snippet     yes",
        ),
    ] {
        let (_, found, _) = run(&["-", "--input", "html", "-u", URL], page);
        assert!(
            found.contains(archive) && found.contains(snippet),
            "{found}"
        );
        let (_, found, _) = run(
            &["-", "--input", "html", "-u", URL, "--format", "json"],
            page,
        );
        let found: Value = serde_json::from_str(&found).unwrap();
        let why = found["bots"][0]["why"]
            .as_array()
            .unwrap()
            .iter()
            .find(|why| why["use"] == "archive")
            .unwrap();
        assert_eq!(why["derived"], !page.contains("noarchive"), "{why}");
    }
}

#[test]
fn a_robots_txt_is_heard_first() {
    let folder = TempDir::new().unwrap();
    let robots = folder.path().join("robots.txt");
    std::fs::write(&robots, "User-agent: barbot\nDisallow: /rye\n").unwrap();
    let robots = robots.to_str().unwrap();
    let all = [
        "-", "--input", "html", "-u", URL, "-b", "foobot", "-b", "barbot", "-r", robots,
    ];
    let (status, found, _) = run(&all, PAGE);
    assert_eq!(status, 0);
    let lines: Vec<_> = found.lines().collect();
    assert_eq!(
        lines[1],
        "  foobot may fetch https://site.example/rye: no group is for it"
    );
    assert_eq!(
        lines[2],
        "  barbot may not fetch https://site.example/rye: line 2 says `Disallow: /rye`, to barbot"
    );
    let (status, found, _) = run(
        &[
            "-", "--input", "html", "-u", URL, "-b", "barbot", "-r", robots,
        ],
        PAGE,
    );
    assert_eq!(status, 1);
    assert!(
        found.contains("The page itself was not read.") && !found.contains("Found:"),
        "{found}"
    );
    let page = explained(&["-b", "foobot", "-b", "barbot", "-r", robots]);
    assert_eq!(page["robots"][1]["rule"], "Disallow: /rye");
    let said = |key: &str| &page["directives"][0][key];
    assert_eq!(
        (said("convention"), said("origin"), said("robots_line")),
        (&json!("robots.txt"), &json!("rule"), &json!(2))
    );
}

#[test]
fn bots_differ_by_ranges() {
    let diff = |page: &str| {
        run(
            &[
                "-", "--input", "html", "-u", URL, "-b", "foobot", "-b", "barbot", "--diff",
            ],
            page,
        )
    };
    let (status, found, _) = diff(PAGE);
    assert_eq!(status, 1);
    assert!(found.contains("  snippet lines 1 to 6"), "{found}");
    assert!(
        found.contains("    may      foobot\n    may not  barbot: 4:1 <meta name=\"barbot\" content=\"nosnippet\">\n"),
        "{found}"
    );
    let (status, found, _) = diff(&PAGE.replace("barbot", "bazbot"));
    assert_eq!(
        (status, found.as_str()),
        (
            0,
            "https://site.example/rye\n  no difference between these bots\n\n"
        )
    );
    let (status, _, told) = run(&["-", "--diff"], PAGE);
    assert_eq!(status, 2);
    assert!(told.contains("give --bot at least twice"), "{told}");
}

/// `explain --as` shows how other vendors would judge the page, beside heedful's own judgement.
#[test]
fn a_page_is_told_as_others_would_read_it() {
    let page = "<meta name=robots content=noindex>\n<meta name=robots content=index><p>one <!--noindex-->two<!--/noindex-->";
    let arguments = ["-", "--input", "html", "-u", URL, "--as", "yandex,google"];
    let (_, found, told) = run(&arguments, page);
    assert_eq!(told, "");
    let (_, found) = found.split_once("  As others would read it\n").unwrap();
    for expected in [
        "              heedful  yandex    google\n  index       no 1     in part   no 1\n",
        "  archive     no 1     yes       not read\n",
        "  words       0        1         0\n\n    1  1:1 <meta name=\"robots\" content=\"noindex\">\n\n",
        "  yandex      if META allows and denies the same use, the allowance wins; in headers",
        "              Yandex Webmaster help, Robots meta tag and X-Robots-Tag HTTP header\n",
    ] {
        assert!(found.contains(expected), "{expected}\n---\n{found}");
    }
    let (_, found, _) = run(
        &[
            "-", "--input", "html", "-u", URL, "--as", "all", "-b", "foobot", "-b", "barbot",
        ],
        page,
    );
    assert!(
        found.contains("              foobot  barbot  google    bing      amazon"),
        "{found}"
    );
    let (_, found, _) = run(&[&arguments[..], &["--format", "json"]].concat(), page);
    let found: Value = serde_json::from_str(&found).unwrap();
    let yandex = &found["readings"][0];
    assert_eq!(
        (yandex["vendor"].as_str(), yandex["words"].as_u64()),
        (Some("yandex"), Some(1))
    );
    assert!(yandex["rule"].is_string() && yandex["source"].is_string());
    assert_eq!(
        yandex["uses"][0],
        json!({ "use": "index", "allowed": true, "in_part": true, "why": null })
    );
    let google = &found["readings"][1]["uses"][0];
    assert_eq!(
        (google["allowed"].as_bool(), google["why"]["line"].as_u64()),
        (Some(false), Some(1))
    );

    let (_, found, _) = run(
        &[
            "-", "--input", "html", "-u", URL, "--as", "all", "--format", "json",
        ],
        page,
    );
    let found: Value = serde_json::from_str(&found).unwrap();
    let all: Vec<_> = found["readings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["vendor"].as_str().unwrap())
        .collect();
    assert_eq!(all, ["google", "bing", "amazon", "yandex", "marginalia"]);
    let (status, _, told) = run(&["-", "--input", "html", "-u", URL, "--as", "gogle"], page);
    assert!(
        status == 2 && told.contains("`gogle`") && told.contains("marginalia"),
        "{told}"
    );
}

#[test]
fn the_page_to_look_at_has_the_same_table() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("why.html").display().to_string();
    let page = "<meta name=robots content=\"noarchive\"><meta name=googlebot content='nosnippet, \"x<b>'><p>one";
    let arguments = ["-", "--input", "html", "-u", URL, "--html", &file];
    assert_eq!(run(&arguments, page).0, 0);
    assert!(
        !std::fs::read_to_string(&file)
            .unwrap()
            .contains("id=\"others\"")
    );
    assert_eq!(
        run(&[&arguments[..], &["--as", "google,amazon"]].concat(), page).0,
        0
    );
    let found = std::fs::read_to_string(&file).unwrap();
    let section = found
        .split("<section id=\"others\"")
        .nth(1)
        .unwrap()
        .split("</section>")
        .next()
        .unwrap();
    let row = |usage: &str| {
        section
            .lines()
            .find(|line| line.contains(&format!("<th scope=\"row\">{usage}<")))
            .unwrap()
    };
    let words = |usage: &str| row(usage).matches("</span>not read</span>").count();
    assert_eq!(
        (
            row("train").matches("</span>no</span>").count(),
            words("train"),
            words("image")
        ),
        (2, 1, 1),
        "{section}"
    );
    assert!(
        section.contains("developer.amazon.com") && section.contains("<li id=\"w1\""),
        "{section}"
    );
    assert!(
        !section.contains("x<b>"),
        "what a page says is escaped: {section}"
    );
    let ids = |mark: &str| section.matches(mark).count();
    assert!(
        ids("<li id=\"w") > 0 && ids("href=\"#w") >= ids("<li id=\"w"),
        "{section}"
    );
}

fn lines() -> String {
    let line = |url: &str, html: &str, status: u16| {
        json!({"url": url, "html": html, "status": status}).to_string() + "\n"
    };
    line(URL, PAGE, 200)
        + &line("https://site.example/b", "<p>b", 200)
        + &line("https://site.example/gone", "<p>c", 404)
}

#[test]
fn one_page_of_many_is_found_by_its_url() {
    let of = |url: &str| run(&["-", "--input", "jsonl", "-u", url], &lines());
    let (status, found, _) = of("HTTPS://site.example/b#part");
    assert_eq!(status, 0);
    assert!(
        found.starts_with("https://site.example/b\n") && !found.contains("rye"),
        "{found}"
    );
    let (status, found, told) = of("https://site.example/none");
    assert_eq!((status, found.as_str()), (2, ""));
    assert_eq!(
        told,
        "error: no page of the input has the URL https://site.example/none\n"
    );
    let (status, _, told) = of("https://site.example/gone");
    assert_eq!(
        (status, told.as_str()),
        (2, "error: https://site.example/gone: no page: status 404\n")
    );
}

#[test]
fn pages_that_cannot_be_read_are_told() {
    let refused = json!({"url": URL, "html": "<select><svg><style><p>x"}).to_string();
    let (status, found, _) = run(
        &["-", "--input", "jsonl", "--format", "json"],
        &format!("{refused}\n{}", lines()),
    );
    assert_eq!(status, 0);
    let first: Value = serde_json::from_str(found.lines().next().unwrap()).unwrap();
    assert_eq!(
        (first["error"]["kind"].as_str(), &first["directives"]),
        (Some("ambiguous"), &json!([]))
    );
    let (status, _, told) = run(&["-", "--input", "jsonl"], &refused);
    assert_eq!(status, 2);
    let why = "the markup can be read in two ways";
    assert!(
        told.starts_with(&format!("error: standard input line 1: {URL}: {why}")),
        "{told}"
    );
    assert_eq!(run(&["-", "--input", "jsonl"], "").0, 2);
}

fn written(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn one_page_is_one_file() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("why.html");
    let (status, found, told) = run(
        &[
            "-",
            "--input",
            "html",
            "-u",
            URL,
            "-b",
            "foobot",
            "-b",
            "barbot",
            "--html",
            file.to_str().unwrap(),
        ],
        PAGE,
    );
    assert_eq!((status, found.as_str(), told.as_str()), (0, "", ""));
    let html = written(&file);
    for expected in [
        "&lt;h1&gt;",
        "6:12",
        "stray-close",
        "noarchive",
        "Where they differ".to_lowercase().as_str(),
    ] {
        assert!(html.contains(expected), "{expected}");
    }
    assert!(!html.contains("<script"), "{html}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn many_pages_are_a_report_with_a_view_of_each() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("the report.html");
    let (status, _, told) = run(
        &["-", "--input", "jsonl", "--html", file.to_str().unwrap()],
        &lines(),
    );
    assert_eq!(
        (status, told.as_str()),
        (0, "passed over: 1 without status 2xx\n")
    );
    let html = written(&file);
    assert!(html.contains("<h1>2 pages of 1 host</h1>"), "{html}");
    let views: Vec<_> = html
        .split("href=\"the%20report-pages/")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(views.len() > 3, "{html}");
    for view in views {
        let view = written(&folder.path().join("the report-pages").join(view));
        assert!(view.contains("href=\"../the%20report.html\""), "{view}");
    }
    // The rows of a report are limited, and so are its views.
    let few = folder.path().join("few.html");
    run(
        &[
            "-",
            "--input",
            "jsonl",
            "--html",
            few.to_str().unwrap(),
            "--rows",
            "0",
        ],
        &lines(),
    );
    assert!(!written(&few).contains("few-pages/"));
}

#[test]
fn what_lifted_a_class_before_its_number_had_a_name_is_told() {
    let page = "<head profile='http://example.org/xmdp/robots-profile#'><link rel=RobotExclusion.Names href=bots>
<div class=robot2-noindex><div class=robots-index>one</div></div>
<meta name=RobotExclusion.RobotName2 content=BarBot>";
    let (_, found, _) = run(
        &["-", "--input", "html", "-u", URL, "--bot", "foobot"],
        page,
    );
    for expected in [
        "allows index · line 2\n          obeyed\n",
        "  1 of 1 word to index",
    ] {
        assert!(found.contains(expected), "{expected}\n---\n{found}");
    }
}

/// A processing instruction that a browser may fill with content voids the allowance of the element
/// around it. If that element also contains an earlier element with an allowance, `explain` reports
/// that the inner allowance lifts the denial.
#[test]
fn what_lifted_for_a_while_is_told_of_the_one_that_lifts_in_the_end() {
    let html = "<div data-pagefind-body><p data-pagefind-body>in</p><?start name='t'></div>out";
    let arguments = [
        "-",
        "--input",
        "html",
        "-u",
        URL,
        "--format",
        "json",
        "--conventions",
        "all",
    ];
    let (_, found, _) = run(&arguments, html);
    let page: Value = serde_json::from_str(&found).unwrap();
    let outcomes = page["directives"]
        .as_array()
        .unwrap()
        .iter()
        .map(|directive| {
            let outcome = directive["effects"][0]["outcome"]
                .as_str()
                .unwrap_or_default();
            (directive["directive"].as_str().unwrap(), outcome)
        });
    let told: Vec<_> = outcomes.collect();
    let [div, outside, p] = told[..] else {
        panic!("{told:?}")
    };
    assert_eq!(
        (div, outside, p),
        (
            ("<div data-pagefind-body>", "idle"),
            ("<div data-pagefind-body>", "obeyed"),
            ("<p data-pagefind-body>", "obeyed")
        )
    );
}

/// The report of `explain` counts a page that robots.txt disallows as withheld as a whole, though
/// the number of its words is not known.
#[test]
fn a_report_counts_pages_that_are_kept_out_as_withheld() {
    let folder = TempDir::new().unwrap();
    let lines = r#"{"url":"https://a.example/robots.txt","html":"User-agent: *\nDisallow: /out"}
{"url":"https://a.example/out/1","html":"<p>one two"}
{"url":"https://a.example/out/2","html":"<p>three"}
{"url":"https://a.example/in","html":"<p>four"}
"#;
    let (input, report) = (
        write(&folder, "pages.jsonl", lines),
        path(&folder, "report.html"),
    );
    assert_eq!(
        command::run(&["explain", "-q", &input, "--html", &report], "").0,
        0
    );
    let report = std::fs::read_to_string(report).unwrap();
    assert!(
        report.contains("none 1, to 10 % 0") && report.contains("to 100 % 2"),
        "{report}"
    );
    assert_eq!(
        report.matches("<td class=\"number\">100.0 %</td>").count(),
        2
    );
}

/// In the HTML of `explain`, the link `First finding` leads to the line of the source with the
/// first directive for a part of the page, not to the META above it.
#[test]
fn the_drawn_source_opens_at_the_first_finding() {
    let folder = TempDir::new().unwrap();
    let menu = "<li>menu\n".repeat(300);
    let html =
        format!("<meta name=robots content=noarchive>\n{menu}<!--noindex-->one<!--/noindex-->\n");
    let page = write(&folder, "page.html", &html);
    let drawn = path(&folder, "drawn.html");
    run(&[&page, "-u", URL, "--html", &drawn], "");
    let drawn = std::fs::read_to_string(drawn).unwrap();
    assert!(drawn.contains("<a href=\"#L302\">First finding</a>"));
    assert_eq!(drawn.matches("class=\"row first\"").count(), 1);
    assert!(drawn.contains("<span class=\"row first\" id=L302 "));
}
