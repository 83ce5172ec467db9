//! Fuzzes input files of any kind with any bytes. If reading is resumed at a position, it must give
//! the items after that position. The first byte chooses the kind of file.

use std::sync::LazyLock;

use heedful_input::{Input, InputFormat, Inputs, Item, Position};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a folder"));

/// The fuzzed kinds of input files. None means that the kind is detected from the bytes.
const KINDS: [Option<InputFormat>; 6] = [
    None,
    Some(InputFormat::Html),
    Some(InputFormat::Warc),
    Some(InputFormat::Arc),
    Some(InputFormat::Jsonl),
    Some(InputFormat::Parquet),
];

/// Maximum number of items that are read from a fuzzed file. More items would show nothing new.
const MOST: usize = 1000;

fn item_text(item: &Item) -> String {
    match item {
        Item::Document(document) => format!(
            "{} {} {:?}",
            document.url(),
            document.bytes().len(),
            document.headers()
        ),
        Item::Robots(robots) => format!("robots.txt of {}", robots.authority()),
        Item::Unchanged(document) => format!("{} is as it was", document.url()),
        Item::Skipped(skipped) => format!("{:?} {:?}", skipped.url(), skipped.why()),
        Item::Damage(damage) => damage.to_string(),
    }
}

fn items(input: &Input) -> Option<()> {
    let all: Vec<_> = input
        .items()
        .ok()?
        .take(MOST)
        .map(|(item, position)| (item_text(&item), position))
        .collect();
    // Damage is reported once, and how far a wrong length was skipped depends on where reading
    // began.
    if all.is_empty() || all.iter().any(|(told, _)| told.contains("at byte")) {
        return None;
    }
    let middle = all.len() / 2;
    let from = &all[middle].1;
    // The position of a robots.txt is before the damage to it, and so before both.
    let first = all
        .iter()
        .position(|(_, position)| position == from)
        .filter(|_| *from != Position::default());
    let rest: Vec<_> = input
        .items_from(from)
        .ok()?
        .take(MOST)
        .map(|(item, _)| item_text(&item))
        .collect();
    let behind: Vec<_> = all[first.map_or(0, |at| at + 1)..]
        .iter()
        .map(|(told, _)| told.as_str())
        .collect();
    let same = behind.len().min(MOST / 2);
    assert_eq!(
        rest[..same.min(rest.len())],
        behind[..same.min(behind.len())],
        "from item {middle} on"
    );
    Some(())
}

pub(super) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else {
        return;
    };
    let path = FOLDER
        .path()
        .join(format!("{:?}", std::thread::current().id()));
    std::fs::write(&path, rest).expect("a file");
    let kind = KINDS[usize::from(*first) % KINDS.len()];
    let url = "https://site.example/page".parse().ok();
    if let Ok(inputs) = Inputs::default().kind(kind).url(url).open(&[path]) {
        for input in &inputs {
            let _ = input.robots();
            let _ = items(input);
        }
    }
}
