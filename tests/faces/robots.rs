//! Fuzzes a robots.txt with any bytes. It is asked about a path in every mode. The first line is
//! that path.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use heedful::{Bot, Mode, RobotsTxt};

static BOT: LazyLock<Bot> = LazyLock::new(|| {
    Bot::new("Foo Bot")
        .expect("a name")
        .alias("foobot2")
        .expect("a name")
});

pub(super) fn run(data: &[u8]) {
    let (path, file) = super::halves(data);
    let path = format!("/{path}");
    let robots = RobotsTxt::parse_within(file, 10_000);
    for mode in Mode::ALL {
        let robots = robots.clone().mode(mode);
        let ruling = robots.ruling(&BOT, &path);
        // The first questions walk over the rules; those after the sixteenth use sorted rules.
        for _ in 0..20 {
            let again = robots.ruling(&BOT, &path);
            assert_eq!(
                (again.line(), again.allowed()),
                (ruling.line(), ruling.allowed())
            );
        }
        assert_eq!(ruling.line().is_some(), ruling.rule().is_some());
        let matching = robots.matching(&BOT, &path);
        let first = matching
            .first()
            .map(|first| (first.line(), first.allowed()));
        assert_eq!(
            ruling.line().map(|line| (Some(line), ruling.allowed())),
            first
        );
        assert!(
            matching
                .iter()
                .all(|rule| rule.rule().is_some() && rule.group().is_some())
        );
    }
    for usage in robots.usages(&BOT, &path) {
        assert!(usage.line() > 0 && usage.written().contains(usage.value()));
    }
    let at = SystemTime::UNIX_EPOCH + Duration::from_secs(data.len() as u64 * 977);
    assert!(robots.next_fetch(&BOT, at, Some(at)) >= at);
}
