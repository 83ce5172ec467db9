//! texting_robots: bytes in, a URL asked about as it stands.

fn main() {
    suite_robots::run("texting_robots", "0.2.2", |robots, bot, _, text| {
        let robot = texting_robots::Robot::new(bot, robots).map_err(|e| e.to_string())?;
        Ok(robot.allowed(text))
    });
}
