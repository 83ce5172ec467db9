//! `heedful census` as a user runs it: the merged censuses of two halves of an input equal the
//! census of the whole input, a planted convention is found, damage is counted, and the plots fit
//! their page.

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::command::{path, run, write};
use crate::devtools::Browser;

/// Returns JSON Lines of `pages` pages on `sites` sites. They contain everything that a census
/// counts.
fn lines(sites: usize, pages: usize) -> Vec<String> {
    let page = |number: usize| {
        let html = match number % 5 {
            0 => "<meta name=robots content=noarchive><p>one two",
            1 => "<p>one <!--noindex-->two three<!--/noindex-->",
            2 => "<p>one <a rel=nofollow href=/x>two</a><!--noindex-->three",
            3 => "<p>one <!--TYPO3SEARCH_begin-->two<!--TYPO3SEARCH_end-->",
            _ => "<p>one",
        };
        let robots = if number.is_multiple_of(7) {
            "User-agent: *\nDisallow: /p1"
        } else {
            ""
        };
        let url = format!("https://s{}.example/p{number}", number % sites);
        json!({"url": url, "html": html, "robots": robots}).to_string()
    };
    (0..pages).map(page).collect()
}

fn census(arguments: &[&str]) -> (i32, String, String) {
    run(&[&["census", "--at", "2026-11-21"], arguments].concat(), "")
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The program prints the output that docs/census.md shows.
#[test]
fn the_page_on_the_census_is_true() {
    let page = include_str!("../../../docs/census.md");
    let block = page.split("```console\n$ heedful ").nth(1).unwrap();
    let (command, rest) = block.split_once('\n').unwrap();
    let arguments: Vec<_> = command.split(' ').collect();
    let (status, found, told) = run(&arguments, "");
    assert_eq!(
        (status, found.as_str()),
        (0, rest.split("```").next().unwrap()),
        "{told}"
    );
    // Every kind of row and every key of a row is explained in docs/census.md.
    let (_, json, _) = run(&[&arguments[..], &["--format", "json"]].concat(), "");
    for row in object(&json)["rows"].as_array().unwrap() {
        assert!(
            page.contains(&format!("| `{}` |", row["row"].as_str().unwrap())),
            "{row}"
        );
        for key in row.as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{key}`")), "{key}");
        }
    }
    for key in object(&json).as_object().unwrap().keys() {
        assert!(page.contains(&format!("| `{key}` |")), "{key}");
    }
}

#[test]
fn halves_are_the_whole_in_any_order() {
    let folder = TempDir::new().unwrap();
    let all = lines(40, 200);
    let whole = write(&folder, "whole.jsonl", &all.join("\n"));
    let halves: Vec<_> = all
        .chunks(70)
        .enumerate()
        .map(|(n, part)| write(&folder, &format!("{n}.jsonl"), &part.join("\n")))
        .collect();
    let counted = |input: &str, output: &str| {
        let output = path(&folder, output);
        let (status, out, _) = census(&[input, "-o", &output]);
        assert_eq!((status, out.as_str()), (0, ""));
        output
    };
    let expected = std::fs::read(counted(&whole, "whole.json")).unwrap();
    let parts: Vec<_> = halves
        .iter()
        .enumerate()
        .map(|(n, half)| counted(half, &format!("{n}.json")))
        .collect();
    let merged = path(&folder, "merged.json");
    for order in [[0, 1, 2], [2, 0, 1]] {
        let parts = order.map(|part| parts[part].as_str());
        let (status, out, told) = run(
            &[&["census", "--merge"], &parts[..], &["-o", &merged]].concat(),
            "",
        );
        assert_eq!((status, out.as_str()), (0, ""), "{told}");
        assert_eq!(std::fs::read(&merged).unwrap(), expected);
    }
    // Merging a merged census from a pipe, with any number of jobs, gives the same result.
    let first = path(&folder, "first.json");
    run(
        &["census", "--merge", &parts[0], &parts[1], "-o", &first],
        "",
    );
    let (_, out, _) = run(
        &["census", "--merge", "-", &parts[2], "-o", "-"],
        std::fs::read(&first).unwrap(),
    );
    assert_eq!(out.as_bytes(), expected);
    let (_, out, _) = census(&[&whole, "--jobs", "3", "--format", "json"]);
    assert_eq!(out.as_bytes(), expected);
}

/// A convention that one page of a hundred uses is in the tables, the JSON and the plots of the
/// census, with the right numbers.
#[test]
fn a_planted_convention_is_found() {
    let folder = TempDir::new().unwrap();
    let mut all = lines(40, 99);
    all.push(
        json!({"url": "https://planted.example/", "html": "one<!--htdig_noindex-->two<!--/htdig_noindex-->"})
            .to_string(),
    );
    let input = write(&folder, "pages.jsonl", &all.join("\n"));
    let (json, html) = (path(&folder, "census.json"), path(&folder, "census.html"));
    let (status, out, _) = census(&[&input, "-o", &json, "--html", &html]);
    assert_eq!((status, out.as_str()), (0, ""));
    let found = object(&std::fs::read_to_string(&json).unwrap());
    let row = |wanted: &dyn Fn(&Value) -> bool| {
        found["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| wanted(row))
            .cloned()
            .unwrap()
    };
    let planted = row(&|row| row["row"] == "convention" && row["convention"] == "htdig");
    assert_eq!(
        (&planted["statements"], &planted["pages"]),
        (&json!(1), &json!(1))
    );
    assert!(
        planted["of_pages"]["share"].as_f64().unwrap()
            < planted["of_pages"]["high"].as_f64().unwrap()
    );
    let withheld = row(&|row| {
        row["row"] == "withheld"
            && row["convention"] == "htdig"
            && row["by"] == "obeyed"
            && row["about"] == "index"
    });
    assert_eq!(withheld["characters"], 3);
    let page = std::fs::read_to_string(&html).unwrap();
    for (section, plotted) in [
        ("pages", true),
        ("sites", true),
        ("withheld-0", true),
        ("statements", false),
    ] {
        let part = page
            .split(&format!("<section id=\"{section}\""))
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
            .unwrap();
        assert_eq!(
            part.contains("<svg class=\"bar\"")
                && part.contains("<text x=\"0\" y=\"15\">htdig</text>"),
            plotted,
            "{section}"
        );
        assert!(part.contains("<th scope=\"row\">htdig"), "{section}");
    }
    // The HTML and the tables can be made again from the JSON file.
    let again = path(&folder, "again.html");
    run(&["census", "--merge", &json, "--html", &again], "");
    assert_eq!(std::fs::read_to_string(again).unwrap(), page);
    let (status, text, _) = run(&["census", "--merge", &json], "");
    assert!(status == 0 && text.contains("\nhtdig "), "{text}");
    assert!(text.contains("(typo3)"), "{text}");
}

/// A census counts damaged records, and a damaged record affects no other record.
#[test]
fn damage_is_counted() {
    let folder = TempDir::new().unwrap();
    let refused = "<svg><select><title><style><!--</select></svg><script>-->";
    let mut all = lines(3, 10);
    all.insert(2, "{broken".to_owned());
    all.insert(
        5,
        json!({"url": "https://s1.example/refused", "html": refused}).to_string(),
    );
    all.insert(
        7,
        json!({"url": "https://s1.example/gone", "html": "x", "status": 404}).to_string(),
    );
    let input = write(&folder, "pages.jsonl", &all.join("\n"));
    let (status, out, _) = census(&[&input, "--format", "json", "-q"]);
    let found = object(&out);
    assert_eq!(status, 0);
    assert_eq!(found["outcomes"]["damaged"], 1);
    assert_eq!(found["outcomes"]["failed-ambiguous"], 1);
    assert_eq!(found["outcomes"]["status"], 1);
    let whole = write(&folder, "whole.jsonl", &lines(3, 10).join("\n"));
    let rows = object(&census(&[&whole, "--format", "json", "-q"]).1)["rows"].clone();
    assert_eq!(found["rows"], rows);
    assert_eq!(census(&[&input, "--strict", "-q"]).0, 2);
    let empty = write(&folder, "empty.jsonl", "{broken");
    assert_eq!(census(&[&empty, "-q"]).0, 1);
}

#[test]
fn what_cannot_be_merged_is_said() {
    let folder = TempDir::new().unwrap();
    let input = write(&folder, "pages.jsonl", &lines(3, 9).join("\n"));
    let (one, other) = (path(&folder, "one.json"), path(&folder, "other.json"));
    census(&[&input, "-o", &one]);
    census(&[&input, "-b", "barbot", "-o", &other]);
    let broken = write(
        &folder,
        "broken.json",
        &std::fs::read_to_string(&one).unwrap()[..200],
    );
    for (arguments, expected) in [
        (
            vec!["--merge", &one, &other],
            "other.json: the censuses cannot be merged: they differ in the bots",
        ),
        (
            vec!["--merge", &one, &broken],
            "broken.json: this is no census",
        ),
        (
            vec!["--merge", &one, &input],
            "pages.jsonl: this is no census",
        ),
        (vec!["--merge"], "--merge needs the files of censuses"),
        (
            vec!["--merge", &one, "--conventions", "all"],
            "cannot be used with",
        ),
        (
            vec![&input, "-o", "/nowhere/census.json"],
            "/nowhere/census.json",
        ),
        (
            vec![&input, "--format", "json", "--html", "x.html"],
            "cannot be used with",
        ),
    ] {
        let (status, out, told) = run(&[&["census"], &arguments[..]].concat(), "");
        assert_eq!((status, out.as_str()), (2, ""), "{arguments:?}");
        assert!(told.contains(expected), "{expected}: {told}");
    }
}

/// A census never overwrites its inputs; a merge may overwrite one of the censuses that it merges.
#[test]
fn inputs_are_never_written_over() {
    let folder = TempDir::new().unwrap();
    let input = write(&folder, "pages.jsonl", &lines(3, 9).join("\n"));
    let before = std::fs::read(&input).unwrap();
    for option in ["-o", "--html"] {
        let (status, _, told) = census(&[&input, option, &input]);
        assert!(
            status == 2 && told.contains("write the census to another file"),
            "{told}"
        );
        assert_eq!(std::fs::read(&input).unwrap(), before);
    }
    let one = path(&folder, "one.json");
    assert_eq!(census(&[&input, "-o", &one]).0, 0);
    assert_eq!(run(&["census", "--merge", &one, &one, "-o", &one], "").0, 0);
    assert_eq!(
        object(&std::fs::read_to_string(&one).unwrap())["rows"][0]["pages"],
        18
    );
}

/// A census of pages for more bots than the format of censuses allows is refused.
#[test]
fn a_census_for_too_many_bots_is_refused() {
    let folder = TempDir::new().unwrap();
    let input = write(&folder, "pages.jsonl", &lines(3, 9).join("\n"));
    let mut made = object(&census(&[&input, "--format", "json", "-q"]).1);
    made["settings"]["bots"] = (0..300).map(|n| json!(format!("bot{n}"))).collect();
    let file = write(&folder, "made.json", &made.to_string());
    let (status, _, told) = run(&["census", "--merge", &file], "");
    assert!(
        status == 2 && told.contains("at most 63 bots"),
        "{status} {told}"
    );
}

/// A census file from a stranger is shown as text, never as markup.
#[test]
fn a_hostile_census_is_only_text() {
    let folder = TempDir::new().unwrap();
    let input = write(&folder, "pages.jsonl", &lines(3, 9).join("\n"));
    let (_, out, _) = census(&[&input, "--format", "json", "-q"]);
    let mut made = object(&out);
    made["outcomes"]["<script>ran=1</script>"] = json!(1);
    made["settings"]["bots"][0] = json!("<img src=x onerror=ran=1>\u{1b}[31m");
    let file = write(&folder, "made.json", &made.to_string());
    let html = path(&folder, "made.html");
    assert_eq!(run(&["census", "--merge", &file, "--html", &html], "").0, 0);
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(
        page.contains("&#60;script&#62;ran=1")
            && !page.contains("<script")
            && !page.contains("<img"),
        "{page}"
    );
    let (_, text, _) = run(&["census", "--merge", &file], "");
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

/// In a browser the plots of a census show bars, nothing is loaded, and no screen width needs
/// horizontal scrolling.
#[test]
fn the_pictures_fit_every_screen() {
    let Some(mut browser) = Browser::start() else {
        return;
    };
    let folder = TempDir::new().unwrap();
    let input = write(&folder, "pages.jsonl", &lines(40, 200).join("\n"));
    let html = folder.path().join("census.html");
    census(&[
        &input,
        "-b",
        "foobot",
        "-b",
        "barbot",
        "--html",
        html.to_str().unwrap(),
    ]);
    for width in [320, 390, 800, 1400] {
        let screen =
            json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        browser.ask("Emulation.setDeviceMetricsOverride", &screen);
        browser.open(&html);
        let beyond = browser
            .value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(beyond, 0, "{width}");
        let plots = browser.value(
            "[...document.querySelectorAll('svg.plot')].map(plot => {
                const box = plot.getBoundingClientRect();
                const inside = [...plot.querySelectorAll('rect, text, line')].every(part => {
                    const place = part.getBoundingClientRect();
                    return place.left >= box.left - 2 && place.right <= box.right + 2 && place.bottom <= box.bottom + 2
                });
                const labels = [...plot.querySelectorAll('svg.bar')].every(bar => {
                    const [label, value] = [...bar.querySelectorAll('text')].map(text => text.getBoundingClientRect());
                    return label.right <= value.left
                });
                const lengths = [...plot.querySelectorAll('rect:not(.behind)')].map(bar => bar.getBoundingClientRect().width);
                return {inside, labels, longest: Math.max(...lengths), width: box.width}
            })",
        );
        let plots = plots.as_array().unwrap();
        assert!(plots.len() >= 8, "{}", plots.len());
        for plot in plots {
            assert_eq!(
                (&plot["inside"], &plot["labels"]),
                (&json!(true), &json!(true)),
                "{width} {plot}"
            );
            assert!(plot["width"].as_f64().unwrap() > 250.0, "{width} {plot}");
        }
        assert!(plots[0]["longest"].as_f64().unwrap() > plots[0]["width"].as_f64().unwrap() / 3.0);
    }
}
