//! docs/publishers.md is correct: its table has all lint rules of the program, its commands work,
//! and its links have targets. Its examples are cases of the corpus. `BLESS=1` writes the table of
//! lint rules; tests/all/conventions.rs checks the table of conventions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use heedful_lint::RULES;

use crate::support::root;

fn path() -> PathBuf {
    root().join("docs/publishers.md")
}

fn guide() -> String {
    std::fs::read_to_string(path()).unwrap()
}

fn rules() -> String {
    let row = |rule: &heedful_lint::LintRule| {
        format!(
            "| `{}` | {} | {} | {} |\n",
            rule.id(),
            rule.level().name(),
            rule.title(),
            rule.help()
        )
    };
    format!(
        "| rule | | finds | what then |\n|---|---|---|---|\n{}",
        RULES.iter().map(row).collect::<String>()
    )
}

/// Splits docs/publishers.md into the text before the generated table `name`, the table itself, and
/// the text after it.
fn parts<'a>(guide: &'a str, name: &str) -> (&'a str, &'a str, &'a str) {
    let mark = format!("<!-- generated: {name} -->\n");
    let begins = guide
        .find(&mark)
        .unwrap_or_else(|| panic!("docs/publishers.md has no `{mark}`"))
        + mark.len();
    let ends = begins + guide[begins..].find("<!-- end -->").unwrap();
    (&guide[..begins], &guide[begins..ends], &guide[ends..])
}

#[test]
fn the_table_of_rules_is_what_the_program_knows() {
    let (guide, table) = (guide(), rules());
    let (before, found, after) = parts(&guide, "lint rules");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path(), format!("{before}{table}{after}")).unwrap();
    } else {
        assert!(
            found == table,
            "the lint rules are others: BLESS=1 cargo test --test program guide:: writes them"
        );
    }
}

#[test]
fn every_rule_is_named_where_it_is_a_trap() {
    let guide = guide();
    let prose = guide.split("\n## All rules").next().unwrap();
    let ids = RULES.iter().map(heedful_lint::LintRule::id);
    let missing: Vec<_> = ids
        .filter(|id| !prose.contains(&format!("`{id}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "docs/publishers.md names no trap for {}",
        missing.join(", ")
    );
}

/// Returns the anchors that code hosts create for the headings of a Markdown text.
fn anchors(markdown: &str) -> BTreeSet<String> {
    let headings = markdown.lines().filter_map(|line| line.strip_prefix("##"));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
    let anchor = |heading: &str| {
        heading
            .trim_start_matches('#')
            .trim()
            .to_lowercase()
            .chars()
            .filter(kept)
            .collect()
    };
    headings
        .map(anchor)
        .map(|anchor: String| anchor.replace(' ', "-"))
        .collect()
}

#[test]
fn its_links_lead_somewhere() {
    let guide = guide();
    let links: Vec<_> = guide
        .split("](")
        .skip(1)
        .map(|rest| rest.split(')').next().unwrap())
        .collect();
    assert!(links.len() > 20);
    for link in links {
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let file = if file.is_empty() {
            path()
        } else {
            root().join("docs").join(file)
        };
        assert!(file.is_file(), "{link}");
        let is_there = || anchors(&std::fs::read_to_string(&file).unwrap()).contains(anchor);
        assert!(anchor.is_empty() || is_there(), "{link}");
    }
}

#[cfg(unix)]
mod commands {
    use std::process::{Command, Output};

    use tempfile::TempDir;

    use super::guide;

    /// Writes a site with this page into a folder, and the next version of the site beside it.
    fn site(page: &str) -> TempDir {
        let folder = TempDir::new().unwrap();
        std::fs::create_dir(folder.path().join("public")).unwrap();
        let sitemap = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
            <url><loc>https://site.example/rye.html</loc></url></urlset>";
        for (name, text) in [
            ("public/rye.html", page),
            ("public/robots.txt", "User-agent: *\nDisallow: /private/\n"),
            ("public/sitemap.xml", sitemap),
            (
                "new-robots.txt",
                "User-agent: *\nDisallow: /private/\nDisallow: /drafts/\n",
            ),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    fn run(folder: &TempDir, script: &str) -> Output {
        let program = assert_cmd::cargo::cargo_bin("heedful");
        let path = format!(
            "{}:{}",
            program.parent().unwrap().display(),
            std::env::var("PATH").unwrap()
        );
        let mut shell = Command::new("bash");
        shell
            .args(["-e", "-o", "pipefail", "-c", script])
            .current_dir(folder.path())
            .env("PATH", path);
        shell.output().unwrap()
    }

    fn scripts(guide: &str) -> Vec<&str> {
        guide
            .split("\n```sh\n")
            .skip(1)
            .map(|rest| rest.split("\n```").next().unwrap())
            .collect()
    }

    #[test]
    fn its_commands_work() {
        let guide = guide();
        let good = site("<title>Rye</title><p>Rye bread keeps for a week.");
        for script in scripts(&guide) {
            let done = run(&good, script);
            assert!(done.status.success(), "{script}\n{done:?}");
        }
        assert!(good.path().join("why.html").is_file());
    }

    /// The commands of docs/publishers.md for the CI of a site end with status 1, and print the
    /// position of each fault.
    #[test]
    fn its_commands_find_what_is_wrong() {
        let guide = guide();
        let bad = site("<title>Rye</title>\n<!--noindex--><p>Rye bread keeps for a week.");
        let linting: Vec<_> = scripts(&guide)
            .into_iter()
            .filter(|script| script.contains("heedful lint"))
            .collect();
        assert_eq!(linting.len(), 2);
        for script in linting {
            let done = run(&bad, script);
            let found = String::from_utf8(done.stdout).unwrap();
            assert_eq!(done.status.code(), Some(1), "{script}");
            assert!(
                found.starts_with("public/rye.html:2:1: error: ")
                    && found.contains("[unclosed-region]"),
                "{found}"
            );
        }
    }

    /// The workflow steps in docs/publishers.md run the program with valid arguments.
    #[test]
    fn its_workflows_call_it_rightly() {
        let guide = guide();
        let yaml: Vec<_> = guide
            .split("\n```yaml\n")
            .skip(1)
            .map(|rest| rest.split("\n```").next().unwrap())
            .collect();
        let steps = yaml
            .iter()
            .flat_map(|yaml| yaml.lines())
            .map(|line| line.trim_start().trim_start_matches("- "));
        let steps = steps.map(|line| line.strip_prefix("run: ").unwrap_or(line));
        let calls: Vec<_> = steps
            .filter(|line| line.starts_with("heedful lint"))
            .collect();
        assert_eq!(calls.len(), 1);
        let good = site("<title>Rye</title><p>Rye bread keeps for a week.");
        let bad = site("<title>Rye</title>\n<!--noindex--><p>Rye bread keeps for a week.");
        for call in calls {
            assert_eq!(run(&good, call).status.code(), Some(0), "{call}");
            assert_eq!(run(&bad, call).status.code(), Some(1), "{call}");
        }
    }
}
