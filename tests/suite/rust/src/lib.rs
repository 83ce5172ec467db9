//! What the wrappers share: the protocol of corpus/suite, for subjects that read a robots.txt.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// The answer of a subject: true if it lets the bot fetch, or why it failed.
pub type Answer = Result<bool, String>;

/// Answers each line of standard input, or `--version`. A panic of the subject is its failure.
pub fn run(name: &str, version: &str, may: fn(&[u8], &str, &url::Url, &str) -> Answer) {
    if std::env::args().any(|it| it == "--version") {
        println!("{name} {version}");
        return;
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let case: Value = serde_json::from_str(&line.expect("a line")).expect("a case");
        let answer = match body(&case) {
            None => json!({"id": case["id"], "unsupported": true}),
            Some(robots) => {
                let (bot, text) = (case["bot"].as_str().unwrap_or("*"), case["url"].as_str().unwrap_or(""));
                let ask = || may(&robots, bot, &url::Url::parse(text).map_err(|e| e.to_string())?, text);
                match std::panic::catch_unwind(ask) {
                    Ok(Ok(enter)) => json!({"id": case["id"], "uses": {"enter": enter}}),
                    Ok(Err(error)) => json!({"id": case["id"], "error": error}),
                    Err(_) => json!({"id": case["id"], "error": "panic"}),
                }
            }
        };
        writeln!(out, "{answer}").expect("standard output");
        out.flush().expect("standard output");
    }
}

/// The bytes of the robots.txt; none if the case has none, or asks what its status means.
fn body(case: &Value) -> Option<Vec<u8>> {
    if case["robots_status"].as_u64().unwrap_or(200) / 100 != 2 {
        return None;
    }
    if let Some(coded) = case["robots_b64"].as_str() {
        return Some(decode(coded));
    }
    Some(case["robots"].as_str()?.as_bytes().to_vec())
}

fn decode(coded: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for byte in coded.bytes() {
        let Some(at) = alphabet.iter().position(|it| *it == byte) else { continue };
        bits = bits << 6 | u32::try_from(at).expect("below 64");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

/// Path and query of a URL, for subjects that take no more.
pub fn path(url: &url::Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}
