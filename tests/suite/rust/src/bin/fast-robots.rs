//! fast-robots: bytes in, path and query asked about.

fn main() {
    suite_robots::run("fast-robots", "0.1.5", |robots, bot, url, _| {
        let parsed = fast_robots::RobotsTxt::parse_bytes(robots).map_err(|e| e.to_string())?;
        Ok(parsed.is_allowed(bot, suite_robots::path(url)))
    });
}
