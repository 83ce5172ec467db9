//! Recorded instruction counts of fixed inputs, and the platform on which they were recorded.

use std::fmt::Write;
use std::process::Command;

use crate::callgrind;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/counts/counts.txt");
/// Maximum share (0 to 1) by which an instruction count may differ from its recorded count.
const WITHIN: f64 = 0.03;
const HEAD: &str =
    "# Instructions of fixed inputs: `just counts` compares, `BLESS=1 just counts` records.\n";

/// Compares instruction counts with the recorded ones. `counts` has the name and the count of each
/// input. Returns the names of inputs that cost more.
pub(crate) fn compare(counts: &[(&'static str, u64)]) -> Vec<&'static str> {
    let recorded = std::fs::read_to_string(PATH).unwrap_or_default();
    let here = platform();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PATH, written(&here, counts)).unwrap();
        println!("recorded");
    }
    let there = value(&recorded, "platform").unwrap_or_default();
    let is_same = there == here;
    if !is_same {
        println!("SKIPPED: the counts were recorded with {there}, not with {here}");
    }
    println!("| input | recorded | counted | more |");
    println!("|---|---|---|---|");
    let mut slower = Vec::new();
    for (name, count) in counts {
        let record = value(&recorded, name)
            .and_then(|count| count.parse::<u64>().ok())
            .filter(|_| is_same);
        let more = record.map(|record| *count as f64 / record as f64 - 1.0);
        let (record, percent) = (record.unwrap_or_default(), more.unwrap_or_default() * 100.0);
        println!("| {name} | {record} | {count} | {percent:+.2} % |");
        match more {
            Some(more) if more > WITHIN => slower.push(*name),
            Some(more) if more < -WITHIN => {
                println!("{name} costs less than recorded: record it with BLESS=1");
            }
            None if is_same => slower.push(*name),
            _ => {}
        }
    }
    slower
}

fn written(platform: &str, counts: &[(&str, u64)]) -> String {
    let mut text = format!("{HEAD}platform: {platform}\n");
    for (name, count) in counts {
        writeln!(text, "{name}: {count}").unwrap();
    }
    text
}

fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

/// Returns a description of the platform: all on which instruction counts depend except the
/// sources.
fn platform() -> String {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok();
        output
            .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
            .unwrap_or_default()
    };
    let rustc = said("rustc", &["--version"]);
    let libc = said("getconf", &["GNU_LIBC_VERSION"]);
    let vectors = if has_avx2() { "AVX2" } else { "no AVX2" };
    [
        &rustc,
        std::env::consts::ARCH,
        vectors,
        &libc,
        &callgrind::version().unwrap_or_default(),
    ]
    .join(", ")
}

/// True if the processor has AVX2, which some crates detect at run time.
fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}
