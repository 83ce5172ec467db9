//! robotparser-rs: lines in, a URL asked about as it stands.

fn main() {
    suite_robots::run("robotparser-rs", "0.1.0", |robots, bot, _, text| {
        let body = String::from_utf8(robots.to_vec()).map_err(|e| e.to_string())?;
        let lines: Vec<&str> = body.lines().collect();
        let mut parser = robotparser_rs::RobotFileParser::new("");
        parser.parse(&lines);
        parser.can_fetch(bot, text).map_err(|e| format!("{e:?}"))
    });
}
