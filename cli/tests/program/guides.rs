//! The guides docs/guides/*.md are correct. The `sh` blocks of a guide run in order, in one shell
//! and one folder that is empty at first. Each must print the text of the `text` block after it, or
//! nothing if there is none. Times and the port of a guide's own server may differ. `BLESS=1`
//! writes the actual output into the guide.
//!
//! The comment `<!-- needs: searchd mysql -->` before a block names the programs that the block
//! needs. If one of them is missing, the block is skipped with a message; with `HEEDFUL_GUIDES=1`
//! the test fails instead. The environment variables in [`SERVERS`] may have the addresses of real
//! servers. Otherwise the program tests/standin takes the place of the servers. It answers each
//! call as the documentation of the search engines says.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::support::root;

/// Environment variables, each with the address of a search engine's server.
const SERVERS: [&str; 4] = ["ELASTICSEARCH", "OPENSEARCH", "SOLR", "QUICKWIT"];

/// The port in the text of the guides. The tests replace it with a free port.
const PORT: &str = "8017";

/// Separator that the script prints between the outputs of two blocks.
const END: char = '\u{1e}';

/// A block of a guide that the test runs, and the text before the block.
#[derive(Default)]
struct Step {
    before: String,
    needs: Vec<String>,
    script: String,
    expected: String,
}

/// Splits a guide into its steps, and the text after the last step.
fn steps(guide: &str) -> (Vec<Step>, String) {
    let (mut steps, mut before) = (Vec::new(), String::new());
    let mut lines = guide.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        before.push_str(line);
        if line != "```sh\n" {
            continue;
        }
        let mut block = || {
            lines
                .by_ref()
                .take_while(|line| line.trim_end() != "```")
                .collect::<String>()
        };
        let (script, needs) = (block(), needs(&before));
        let mut rest = lines.clone();
        let has_output = rest.next() == Some("\n") && rest.next() == Some("```text\n");
        let mut expected = String::new();
        if has_output {
            lines = rest;
            expected = lines
                .by_ref()
                .take_while(|line| line.trim_end() != "```")
                .collect();
        }
        steps.push(Step {
            before: std::mem::take(&mut before),
            needs,
            script,
            expected,
        });
    }
    (steps, before)
}

/// Returns the names of the programs that the comment before a guide's block requires.
fn needs(before: &str) -> Vec<String> {
    needed(before.lines().rev().nth(1).unwrap_or_default())
}

/// Returns the names of the programs in a comment `<!-- needs: ... -->`. Any other line has none.
pub(crate) fn needed(line: &str) -> Vec<String> {
    let inner = line
        .strip_prefix("<!-- needs: ")
        .and_then(|rest| rest.strip_suffix(" -->"));
    inner
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

pub(crate) fn is_here(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(program).is_file())
}

/// A stand-in for a search engine's server: its process and its address. The process is killed when
/// this value is dropped.
struct Standin(Option<Child>, String);

impl Standin {
    fn begin() -> Self {
        let mut command = Command::new("python3");
        let mut child = command
            .arg(root().join("tests/standin"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut address)
            .unwrap();
        assert!(
            address.starts_with("http://127.0.0.1:"),
            "tests/standin does not begin: {address}"
        );
        Self(Some(child), address.trim().to_owned())
    }
}

impl Drop for Standin {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Returns the shell script that runs the steps of a guide. The script joins standard output and
/// standard error, in the order in which a terminal shows them.
fn shell(steps: &[&Step]) -> String {
    let mut script = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n".to_owned();
    for step in steps {
        write!(script, "{}\nprintf '\\036'\n", step.script).unwrap();
    }
    script
}

fn run(script: &str, port: &str, server: &str) -> Output {
    let folder = tempfile::TempDir::new().unwrap();
    let program = assert_cmd::cargo::cargo_bin("heedful");
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let mut shell = Command::new("bash");
    shell
        .args(["-e", "-o", "pipefail", "-c", script])
        .current_dir(folder.path());
    shell
        .env("PATH", path)
        .env("PORT", port)
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .env("no_proxy", "127.0.0.1");
    for name in SERVERS
        .into_iter()
        .filter(|name| std::env::var_os(name).is_none())
    {
        shell.env(name, server);
    }
    shell.stdin(Stdio::null()).output().unwrap()
}

/// Returns the lines of a step's output, without the text that differs between two runs.
fn fixed(text: &str) -> Vec<&str> {
    text.trim_end()
        .lines()
        .map(|line| line.split(" failed; ").next().unwrap().trim_end())
        .collect()
}

/// Returns a free port, outside of the range from which the system assigns ports to clients.
fn free_port() -> String {
    let mut ports = std::iter::repeat_with(|| fastrand::u16(20_000..32_000));
    ports
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .unwrap()
        .to_string()
}

/// Runs the steps of the guide `name`, and returns the output of each step. Fails if a step fails.
fn outputs(name: &str, steps: &[&Step]) -> Vec<String> {
    let asks = |step: &&&Step| {
        SERVERS
            .iter()
            .any(|server| step.script.contains(&format!("${server}")))
    };
    let standin = if steps.iter().any(|step| asks(&step)) {
        Standin::begin()
    } else {
        Standin(None, String::new())
    };
    let port = free_port();
    let done = run(&shell(steps), &port, &standin.1);
    let found = String::from_utf8(done.stdout).unwrap().replace(&port, PORT);
    let mut parts: Vec<String> = found.split(END).map(str::to_owned).collect();
    let rest = parts.pop().unwrap();
    let failed = steps.get(parts.len()).map_or("", |step| &step.script);
    assert!(
        done.status.success(),
        "{name}: {}\n{failed}\n{rest}",
        done.status
    );
    assert_eq!(parts.len(), steps.len(), "{name}: a block ends the shell");
    parts
}

/// Runs the guide at `path`. Returns its text unchanged, then its text with the actual output of
/// its steps.
fn checked(path: &Path) -> (String, String) {
    let name = path.file_name().unwrap().to_str().unwrap();
    let guide = std::fs::read_to_string(path).unwrap();
    let (steps, end) = steps(&guide);
    let missing = |step: &Step| step.needs.iter().find(|program| !is_here(program)).cloned();
    let (runs, skipped): (Vec<&Step>, Vec<&Step>) =
        steps.iter().partition(|step| missing(step).is_none());
    for step in &skipped {
        eprintln!(
            "SKIPPED: docs/guides/{name}: a block without {}",
            missing(step).unwrap()
        );
    }
    assert!(
        skipped.is_empty() || std::env::var_os("HEEDFUL_GUIDES").is_none(),
        "{name}: {} blocks did not run",
        skipped.len()
    );
    let mut found = outputs(name, &runs).into_iter();
    let mut whole = String::new();
    for step in &steps {
        let now = if missing(step).is_none() {
            found.next().unwrap()
        } else {
            step.expected.clone()
        };
        let text = if fixed(&now) == fixed(&step.expected) {
            step.expected.as_str()
        } else {
            now.trim_end()
        };
        writeln!(whole, "{}{}```", step.before, step.script).unwrap();
        if !text.is_empty() {
            write!(whole, "\n```text\n{}\n```\n", text.trim_end()).unwrap();
        }
    }
    (guide, whole + &end)
}

fn guides() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("docs/guides"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut guides: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    guides.sort();
    guides
}

#[test]
fn each_guide_prints_what_it_says() {
    let guides = guides();
    assert!(guides.len() > 7, "{guides:?}");
    let mut stale = Vec::new();
    for path in guides {
        let (guide, whole) = checked(&path);
        if guide != whole && std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, whole).unwrap();
        } else if guide != whole {
            let lines = guide
                .lines()
                .zip(whole.lines())
                .find(|(one, other)| one != other);
            stale.push(format!("{}: {lines:?}", path.display()));
        }
    }
    assert!(
        stale.is_empty(),
        "BLESS=1 cargo test --features full --test program guides:: writes them\n{}",
        stale.join("\n")
    );
}

/// Runs a guide with the text `guide`. Returns the text with the actual output of its steps.
fn written(guide: &str) -> String {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("lie.md");
    std::fs::write(&path, guide).unwrap();
    checked(&path).1
}

#[test]
fn a_guide_that_lies_is_found() {
    let truth = "# A\n\n```sh\nsite=rye\necho $site\n```\n\n```text\nrye\n```\n\n```sh\ntest $site = rye\n```\n\nEnd.\n";
    assert_eq!(written(truth), truth);
    assert_eq!(written(&truth.replace("text\nrye", "text\nspelt")), truth);
    assert_eq!(written(&truth.replace("\n```text\nrye\n```\n", "")), truth);
    let fails = truth.replace("= rye", "= spelt");
    assert!(std::panic::catch_unwind(|| written(&fails)).is_err());
    let skips = truth
        .replace(
            "```sh\ntest",
            "<!-- needs: no-such-program -->\n```sh\ntest",
        )
        .replace("= rye", "= spelt");
    if std::env::var_os("HEEDFUL_GUIDES").is_none() {
        assert_eq!(written(&skips), skips);
    }
}
