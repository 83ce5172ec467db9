//! robotxt: bytes in, a URL asked about.

fn main() {
    suite_robots::run("robotxt", "0.7.0", |robots, bot, url, _| {
        Ok(robotxt::Robots::parse(robots, bot).is_url_allowed(url))
    });
}
