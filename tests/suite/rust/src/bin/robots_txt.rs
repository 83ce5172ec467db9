//! robots_txt: text in, path and query asked about.

use robots_txt::Robots;
use robots_txt::matcher::SimpleMatcher;

fn main() {
    suite_robots::run("robots_txt", "0.7.0", |robots, bot, url, _| {
        let text = String::from_utf8_lossy(robots);
        let parsed = Robots::from_str_lossy(&text);
        Ok(SimpleMatcher::new(&parsed.choose_section(bot).rules).check_path(suite_robots::path(url)))
    });
}
