//! The pages for publishers are correct: they name each lint rule of the program, their commands
//! work, and their links have targets. The cases in tests/corpus/publishers.md check the conventions
//! that the pages name.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use heedful_lint::RULES;

use crate::support::root;

/// The pages for publishers, in docs/.
const PAGES: [&str; 3] = ["publishers.md", "publishers-cms.md", "publishers-rights.md"];

fn path(page: &str) -> PathBuf {
    root().join("docs").join(page)
}

fn read(page: &str) -> String {
    std::fs::read_to_string(path(page)).unwrap()
}

/// Returns the text of all pages.
fn guide() -> String {
    PAGES.map(read).concat()
}

#[test]
fn every_rule_is_named_where_it_is_a_trap() {
    let guide = guide();
    let ids = RULES.iter().map(heedful_lint::LintRule::id);
    let missing: Vec<_> = ids
        .filter(|id| !guide.contains(&format!("`{id}`")))
        .collect();
    assert!(
        missing.is_empty(),
        "the pages for publishers name no trap for {}",
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
    for page in PAGES {
        let text = read(page);
        let links: Vec<_> = text
            .split("](")
            .skip(1)
            .map(|rest| rest.split(')').next().unwrap())
            .collect();
        assert!(links.len() > 2, "{page}");
        for link in links {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { page } else { file };
            assert!(path(file).is_file(), "{page}: {link}");
            let is_there = || anchors(&read(file)).contains(anchor);
            assert!(anchor.is_empty() || is_there(), "{page}: {link}");
        }
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

    /// The commands of the pages that lint a site end with status 1, and print the position of each
    /// fault.
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

    /// The workflow steps of the pages run the program with valid arguments.
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
