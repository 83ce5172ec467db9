//! robotstxt: text in, a URL asked about, which must be percent-encoded by its documentation.

fn main() {
    suite_robots::run("robotstxt", "0.3.0", |robots, bot, url, text| {
        let body = String::from_utf8_lossy(robots);
        let text = if text.is_ascii() { text } else { url.as_str() };
        Ok(robotstxt::DefaultMatcher::default().one_agent_allowed_by_robots(&body, bot, text))
    });
}
