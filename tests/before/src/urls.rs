//! Whom a robots.txt is asked about, and which URLs: those that its own patterns are about.

use crate::question::{BotNames, RobotsFile, RobotsQuestion};

/// The paths that every file is asked about.
const FIXED: [&str; 12] =
    ["/", "/a", "/a/b", "/a/b.html", "/a%2Fb", "/a,", "/a?b", "/a?b=c&d", "/%61", "/b", "/robots.txt", "/\u{E9}"];

/// How many URLs a file is asked about, besides the fixed ones.
const MOST: usize = 1000;

/// A robots.txt, asked by these bots, by one that nobody names and by up to three that it names.
pub(crate) fn question(file: &RobotsFile, bots: &[BotNames], url: &str) -> RobotsQuestion {
    let text = String::from_utf8_lossy(&file.bytes).into_owned();
    let mut bots = bots.to_vec();
    bots.push(Vec::new());
    bots.extend(named(&text).into_iter().take(3).map(|name| vec![name]));
    let mut known = Vec::new();
    bots.retain(|names| {
        let name = names.first().map(|name| name.to_ascii_lowercase());
        let is_new = !known.contains(&name);
        known.push(name);
        is_new
    });
    RobotsQuestion { file: file.clone(), bots, urls: urls(&text, url) }
}

/// The bots that the lines name. A line counts if its key has something of an agent.
fn named(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']) {
        let Some((at, sign)) = line.char_indices().find(|(_, sign)| !sign.is_alphanumeric() && *sign != '-') else {
            continue;
        };
        let (key, value) = (line[..at].to_ascii_lowercase(), &line[at + sign.len_utf8()..]);
        if !["agent", "user", "agnet", "agen"].iter().any(|part| key.contains(part)) {
            continue;
        }
        let is_part = |sign: char| sign.is_ascii_alphabetic() || matches!(sign, '-' | '_');
        let parts = value.split([',', '|', ';']);
        for part in parts.map(|part| part.trim_start_matches(|sign: char| !is_part(sign))) {
            let name: String = part.chars().take_while(|sign| is_part(*sign)).collect();
            let is_key = matches!(name.to_ascii_lowercase().as_str(), "disallow" | "allow" | "agent" | "user-agent");
            if !name.is_empty() && !is_key && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

fn urls(text: &str, url: &str) -> Vec<String> {
    let site = url.find("://").and_then(|at| url[at + 3..].find(['/', '?']).map(|end| &url[..at + 3 + end]));
    let site = site.unwrap_or(if url.contains("://") { url } else { "https://site.example" });
    let mut paths: Vec<String> = Vec::new();
    for pattern in patterns(text) {
        let bare: String = pattern.chars().filter(|sign| !matches!(sign, '*' | '$')).collect();
        let filled = pattern.replace('*', "x");
        let parent = bare.trim_end_matches('/').rfind('/').map_or("/", |at| &bare[..=at]).to_owned();
        for path in [pattern.clone(), format!("{bare}x"), format!("{}/x", filled.trim_end_matches('$')), parent, bare] {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    let step = paths.len().div_ceil(MOST).max(1);
    let paths = paths.into_iter().step_by(step).chain(FIXED.map(str::to_owned));
    let mut urls: Vec<String> =
        paths.map(|path| format!("{site}/{}", path.strip_prefix('/').unwrap_or(&path))).collect();
    // A path by itself is asked about too.
    urls.push("/a/b".to_owned());
    urls.push(url.to_owned());
    urls.sort();
    urls.dedup();
    urls
}

/// Values as a whole, and each word of them that has a path; of a whole URL its path.
fn patterns(text: &str) -> Vec<String> {
    let mut patterns: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for line in text.split(['\n', '\r']) {
        let value = line.split_once(':').map_or("", |(_, value)| value.split('#').next().unwrap_or_default().trim());
        let words = line.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | '='));
        for word in words.filter(|word| word.contains('/') || word.starts_with('*')).chain([value]) {
            let path =
                word.find("://").map_or(word, |at| word[at + 3..].find('/').map_or("", |end| &word[at + 3 + end..]));
            let path = path.find('/').filter(|_| !path.starts_with('*')).map_or(path, |at| &path[at..]);
            let is_path = path.starts_with(['/', '*', '?']) && path.len() < 300;
            if is_path && known.insert(path.to_owned()) {
                patterns.push(path.to_owned());
            }
        }
    }
    patterns
}
