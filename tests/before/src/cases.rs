//! Questions from the cases of corpus/ and of its suite.

use std::path::Path;

use base64::Engine;
use serde_json::Value;

use crate::case::{self, Case};
use crate::question::{BotNames, PageQuestion, Question, RobotsFile};
use crate::urls;

/// The cases of corpus/*.md, each with its own dialects and with all.
pub(crate) fn corpus(root: &Path) -> Vec<(String, Question)> {
    let mut questions = Vec::new();
    for file in case::files(&root.join("corpus")) {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        for case in case::read(&name, &text) {
            let name = format!("{name}: {}", case.title());
            let page = page_of_case(&case);
            push(&mut questions, &name, page);
        }
    }
    questions
}

/// A page by its own settings and with all dialects, and its robots.txt by itself.
fn push(questions: &mut Vec<(String, Question)>, name: &str, page: PageQuestion) {
    if let Some(robots) = &page.robots {
        questions
            .push((format!("{name}, robots.txt"), Question::Robots(urls::question(robots, &page.bots, &page.url))));
    }
    if page.dialects != "all" {
        let all = PageQuestion { dialects: "all".to_owned(), ..page.clone() };
        questions.push((format!("{name}, all dialects"), Question::Page(Box::new(all))));
    }
    questions.push((name.to_owned(), Question::Page(Box::new(page))));
}

fn page_of_case(case: &Case) -> PageQuestion {
    let setting = |key: &str| case.setting(key).map(str::to_owned);
    let number = |key: &str| case.setting(key).and_then(|value| value.parse().ok());
    let bytes = |fence: &str| case.has(fence).then(|| case.bytes(fence).to_vec());
    let mode = case.setting("mode").unwrap_or("rfc9309");
    let mut page = PageQuestion::new(case.bytes("html"), case.setting("dialects").unwrap_or("web"));
    if case.has("url") {
        page.url = case.text("url");
    }
    page.bots = with_other(&bot_of_case(case));
    page.headers = case.text("headers").lines().filter_map(header).collect();
    page.robots = bytes("robots").map(|bytes| RobotsFile::new(bytes, mode));
    (page.tdmrep, page.rsl, page.names) = (bytes("tdmrep"), bytes("rsl"), bytes("names"));
    page.toml = case.text("toml");
    page.now = case.setting("now").and_then(|seconds| seconds.parse().ok()).unwrap_or_default();
    (page.profile, page.deny) = (setting("profile"), setting("deny"));
    (page.regions, page.depth) = (number("regions"), number("depth"));
    page.is_cut = case.setting("cut").is_some();
    page
}

fn header(line: &str) -> Option<(String, String)> {
    line.split_once(':').map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
}

fn bot_of_case(case: &Case) -> BotNames {
    match case.setting("bot").unwrap_or("FooBot") {
        "*" => Vec::new(),
        names => names.split('+').map(|name| name.replace('_', " ")).collect(),
    }
}

/// A bot and another one.
fn with_other(bot: &BotNames) -> Vec<BotNames> {
    let other = if bot.first().is_some_and(|name| name == "BarBot") { "FooBot" } else { "BarBot" };
    vec![bot.clone(), vec![other.to_owned()]]
}

/// The cases of corpus/suite.
pub(crate) fn suite(root: &Path) -> Vec<(String, Question)> {
    let mut files: Vec<_> = std::fs::read_dir(root.join("corpus/suite"))
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    let mut questions = Vec::new();
    for file in files {
        let file: Value = serde_json::from_slice(&std::fs::read(file).unwrap_or_default()).unwrap_or_default();
        for case in file["cases"].as_array().into_iter().flatten() {
            let name = format!("suite {}", case["id"].as_str().unwrap_or_default());
            push(&mut questions, &name, page_of_suite(&case["input"]));
        }
    }
    questions
}

fn page_of_suite(input: &Value) -> PageQuestion {
    let text = |key: &str| input[key].as_str().map(str::to_owned);
    let mut page = PageQuestion::new(bytes(input, "page").unwrap_or_default(), "web");
    page.url = text("url").unwrap_or_default();
    page.bots = with_other(&vec![text("bot").unwrap_or_default()]);
    for line in input["head"].as_array().into_iter().flatten() {
        if let (Some(name), Some(value)) = (line[0].as_str(), line[1].as_str()) {
            page.headers.push((name.to_owned(), value.to_owned()));
        }
    }
    let status = input["robots_status"].as_u64().and_then(|status| status.try_into().ok());
    let robots = bytes(input, "robots").or(status.map(|_| Vec::new()));
    page.robots = robots.map(|bytes| RobotsFile { status, ..RobotsFile::new(bytes, "rfc9309") });
    let bytes = |key: &str| text(key).map(String::into_bytes);
    (page.tdmrep, page.rsl, page.names) = (bytes("tdmrep"), bytes("rsl"), bytes("names"));
    let now = text("now").and_then(|now| now.parse::<jiff::Timestamp>().ok());
    page.now = now.and_then(|now| now.as_second().try_into().ok()).unwrap_or_default();
    page
}

/// The bytes of `NAME`, or of `NAME_b64`.
pub(crate) fn bytes(object: &Value, name: &str) -> Option<Vec<u8>> {
    match object[name].as_str() {
        Some(text) => Some(text.as_bytes().to_vec()),
        None => base64::prelude::BASE64_STANDARD.decode(object[format!("{name}_b64")].as_str()?).ok(),
    }
}
