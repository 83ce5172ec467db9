//! Measures parsing robots.txt files and ruling by them. The speed is compared with that of the two
//! best other parsers. They parse for one bot, and heedful's parser for all bots.

use std::hint::black_box;

use heedful::{Bot, RobotsTxt};

use crate::robots::{files, paths};
use crate::table::{Amount, Goal, rows as table};

const NAME: &str = "Googlebot";
/// Number of robots.txt files that are parsed in one piece of a measured task.
const AT_ONCE: usize = 50;

pub(crate) fn rows() {
    let files = files();
    reading(&files);
    ruling(&files);
}

fn reading(files: &[Vec<u8>]) {
    let each = |read: fn(&[u8])| {
        move |piece| {
            for file in files.iter().skip(piece * AT_ONCE).take(AT_ONCE) {
                read(file);
            }
        }
    };
    table(
        "gate",
        Amount::bytes(
            "robots.txt",
            files.iter().map(Vec::len).sum(),
            files.len().div_ceil(AT_ONCE),
        ),
        (
            "read, for all bots",
            &each(|file| drop(black_box(RobotsTxt::parse(file)))),
        ),
        &[
            (
                (
                    "robotxt, for one",
                    &each(|file| drop(black_box(robotxt::Robots::parse(file, NAME)))),
                ),
                Goal::None,
            ),
            (
                (
                    "fast-robots, borrowed",
                    &each(|file| drop(black_box(borrowed(file)))),
                ),
                Goal::Ratio(1.0),
            ),
            (
                (
                    "its lines found, no more",
                    &each(|file| _ = black_box(lines(file))),
                ),
                Goal::None,
            ),
        ],
    );
}

/// Parses the beginning of a robots.txt with the crate `fast_robots`. The beginning has no more
/// bytes than that parser accepts by default, and ends before the first byte that is not UTF-8.
fn borrowed(file: &[u8]) -> Option<fast_robots::RobotsTxt<'_>> {
    let front = &file[..file.len().min(fast_robots::DEFAULT_MAX_BYTES)];
    let text = std::str::from_utf8(front)
        .or_else(|error| std::str::from_utf8(&front[..error.valid_up_to()]));
    text.ok().map(fast_robots::RobotsTxt::parse)
}

fn lines(file: &[u8]) -> usize {
    memchr::memchr2_iter(b'\n', b'\r', file)
        .map(|at| file[..at].len())
        .sum()
}

fn ruling(files: &[Vec<u8>]) {
    let bot = Bot::new(NAME).unwrap();
    let questions: Vec<_> = files.iter().map(|file| paths(file)).collect();
    let rulings: usize = questions.iter().map(Vec::len).sum();
    let ours: Vec<_> = files.iter().map(|file| RobotsTxt::parse(file)).collect();
    let theirs: Vec<_> = files
        .iter()
        .map(|file| robotxt::Robots::parse(file, NAME))
        .collect();
    let borrowed: Vec<_> = files.iter().filter_map(|file| borrowed(file)).collect();
    let prepared: Vec<_> = borrowed
        .iter()
        .map(fast_robots::RobotsTxt::matcher)
        .collect();
    table(
        "gate",
        Amount {
            of: "robots.txt",
            millions: rulings as f64 / 1e6,
            unit: "M rulings/s",
            pieces: files.len().div_ceil(AT_ONCE),
        },
        ("a ruling, and by which line", &|piece| {
            for (robots, paths) in ours
                .iter()
                .zip(&questions)
                .skip(piece * AT_ONCE)
                .take(AT_ONCE)
            {
                for path in paths {
                    black_box(robots.ruling(&bot, path).line());
                }
            }
        }),
        &[
            (
                ("fast-robots, prepared, without the line", &|piece| {
                    for (robots, paths) in prepared
                        .iter()
                        .zip(&questions)
                        .skip(piece * AT_ONCE)
                        .take(AT_ONCE)
                    {
                        for path in paths {
                            black_box(robots.is_allowed(NAME, path));
                        }
                    }
                }),
                Goal::Ratio(1.0),
            ),
            (
                ("robotxt, without the line", &|piece| {
                    for (robots, paths) in theirs
                        .iter()
                        .zip(&questions)
                        .skip(piece * AT_ONCE)
                        .take(AT_ONCE)
                    {
                        for path in paths {
                            black_box(robots.is_allowed(path));
                        }
                    }
                }),
                Goal::None,
            ),
        ],
    );
}
