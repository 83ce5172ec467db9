//! Runs this benchmark program again under valgrind's callgrind, and parses the counts of
//! instructions.

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::NamedTempFile;

/// Settings of the C library that disable instructions which only some processors have. Without
/// these settings, the copying of memory would take a different number of instructions on each
/// processor.
const TUNABLES: &str = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX,-ERMS,-FSRM";

/// Maximum number of arguments that the message of a failed run shows.
const MOST_SHOWN: usize = 8;

/// True if valgrind can be run. If not, says that everything is skipped. With `HEEDFUL_VALGRIND`
/// that is a failure.
pub(crate) fn is_there_or_skipped() -> bool {
    let is_there = version().is_some();
    if !is_there {
        assert!(
            std::env::var_os("HEEDFUL_VALGRIND").is_none(),
            "no valgrind"
        );
        println!("SKIPPED: no valgrind");
    }
    is_there
}

/// Returns the version that valgrind reports. Returns None if valgrind cannot be run.
pub(crate) fn version() -> Option<String> {
    let output = Command::new("valgrind").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}

/// Returns the number of instructions that an input takes. `name` is the name of the input, and
/// `size` its size. Only instructions inside of the function `within` are counted, and without it
/// those of all threads.
pub(crate) fn count(name: &str, size: usize, within: Option<&str>) -> u64 {
    let program = std::env::current_exe().unwrap();
    let arguments = [name.to_owned(), size.to_string()];
    count_run(&program, &arguments, &[0], within)
}

/// Returns the number of instructions of a run of `program`, which must end with one of the exit
/// statuses `statuses`.
pub(crate) fn count_run(
    program: &Path,
    arguments: &[String],
    statuses: &[i32],
    within: Option<&str>,
) -> u64 {
    let out = NamedTempFile::new().unwrap();
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--cache-sim=no", "--branch-sim=no"]);
    command.args(within.map(|within| format!("--toggle-collect={within}")));
    command.arg(format!("--callgrind-out-file={}", out.path().display()));
    command.arg(program).args(arguments);
    let command = command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GLIBC_TUNABLES", TUNABLES);
    let output = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let arguments = &arguments[..arguments.len().min(MOST_SHOWN)];
    let status = output.status.code();
    assert!(
        status.is_some_and(|status| statuses.contains(&status)),
        "{arguments:?}: {}",
        own_lines(&output.stderr)
    );
    let text = std::fs::read_to_string(out.path()).unwrap();
    let total = text.lines().find_map(|line| {
        line.strip_prefix("totals: ")
            .or(line.strip_prefix("summary: "))
    });
    let total = total.unwrap().trim().parse().unwrap();
    assert!(total > 0, "{arguments:?}: nothing was counted");
    total
}

/// Returns the lines that the program wrote itself. Those of valgrind begin with `==`.
fn own_lines(written: &[u8]) -> String {
    let text = String::from_utf8_lossy(written);
    let own = text.lines().filter(|line| !line.starts_with("=="));
    own.collect::<Vec<_>>().join("\n")
}
