//! docs/serve.md is correct: its examples work with a running service, in every programming
//! language that is installed. With `HEEDFUL_LANGUAGES=1`, the test fails if a language is not
//! installed.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::write;
use crate::served::Served;
use crate::support::{folder, root};

/// Returns the examples of docs/serve.md in a programming language. The address of the service in
/// these examples is replaced by the address of `served`.
fn examples(language: &str, served: &Served) -> Vec<String> {
    let guide = std::fs::read_to_string(root().join("docs/serve.md")).unwrap();
    let fence = format!("\n```{language}\n");
    let fences = guide
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap());
    let address = format!("localhost:{}", served.address.port());
    let examples: Vec<_> = fences
        .map(|example| example.replace("localhost:4333", &address))
        .map(|example| example.replace("127.0.0.1:4333", &served.address.to_string()))
        .collect();
    assert!(!examples.is_empty(), "docs/serve.md has no {language}");
    examples
}

/// Returns the output of an example. Returns None if the example's programming language is not
/// installed.
fn printed(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let output = match Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
    {
        Ok(output) => output,
        Err(error) => {
            assert!(
                std::env::var_os("HEEDFUL_LANGUAGES").is_none(),
                "{program}: {error}"
            );
            eprintln!("SKIPPED: there is no {program}");
            return None;
        }
    };
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {output:?}"
    );
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Creates a folder with the files that the examples of docs/serve.md need: a site and pages.
fn place() -> TempDir {
    let folder = folder(&[]);
    let site = root().join("corpus/site");
    for name in ["about.html", "robots.txt"] {
        write(
            &folder,
            &format!("site/{name}"),
            &std::fs::read_to_string(site.join(name)).unwrap(),
        );
    }
    let lines = "{\"url\": \"https://site.example/a\", \"html\": \"<p>one\"}\nno page\n";
    write(&folder, "pages.jsonl", &lines.repeat(3));
    folder
}

#[cfg(unix)]
#[test]
fn the_commands_work() {
    let (served, folder) = (Served::start(&[]), place());
    let run = |script: &str| {
        printed(
            "bash",
            &["-e", "-o", "pipefail", "-c", script],
            folder.path(),
        )
    };
    let printed: Option<Vec<_>> = examples("sh", &served)
        .iter()
        .map(|script| run(script))
        .collect();
    let Some(printed) = printed else { return };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let object = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(
        object(&printed[0])["url"],
        "https://site.example/about.html"
    );
    assert!(
        !object(&printed[0])["phrases"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        (
            &object(&printed[1])["phrases"][0],
            &object(&printed[1])["verdict"]["snippet"]
        ),
        (&"Rye".into(), &false.into())
    );
    let answers: Vec<_> = read("answers.jsonl")
        .lines()
        .map(|line| object(line)["error"]["kind"].clone())
        .collect();
    assert_eq!(
        serde_json::json!(answers),
        serde_json::json!([null, "input", null, "input", null, "input"])
    );
    let others: Vec<_> = printed[3].lines().map(object).collect();
    assert_eq!(
        (&others[0]["allowed"], &others[1]["status"]),
        (&Value::Bool(false), &"ok".into()),
        "{others:?}"
    );
    assert!(read("copy.html").contains("A copy of https://site.example/about.html"));
    assert!(read("why.html").to_lowercase().contains("<!doctype html>"));
}

#[test]
fn python_works() {
    let (served, folder) = (Served::start(&[]), place());
    write(&folder, "example.py", &examples("python", &served)[0]);
    let printed = printed("python3", &["example.py"], folder.path());
    assert!(printed.is_none_or(|printed| printed == "['Rye'] False\n"));
}

#[test]
fn java_works() {
    let (served, folder) = (Served::start(&[]), place());
    write(&folder, "Filtered.java", &examples("java", &served)[0]);
    let Some(printed) = printed("java", &["Filtered.java"], folder.path()) else {
        return;
    };
    let page: Value = serde_json::from_str(printed.strip_prefix("200 ").unwrap()).unwrap();
    assert_eq!(
        (&page["phrases"], &page["verdict"]["snippet"]),
        (&serde_json::json!(["Rye"]), &Value::Bool(false))
    );
}

#[test]
fn php_works() {
    let (served, folder) = (Served::start(&[]), place());
    write(&folder, "example.php", &examples("php", &served)[0]);
    let printed = printed("php", &["example.php"], folder.path());
    assert!(printed.is_none_or(|printed| printed == "Rye false\n"));
}

#[test]
fn node_works() {
    let (served, folder) = (Served::start(&[]), place());
    write(&folder, "example.mjs", &examples("js", &served)[0]);
    let printed = printed("node", &["example.mjs"], folder.path());
    assert!(printed.is_none_or(|printed| printed == "[ 'Rye' ] false\n"));
}

#[test]
fn go_works() {
    let (served, folder) = (Served::start(&[]), place());
    write(&folder, "example.go", &examples("go", &served)[0]);
    let printed = printed("go", &["run", "example.go"], folder.path());
    assert!(printed.is_none_or(|printed| printed == "200 [Rye] false\n"));
}

/// docs/serve.md mentions every route and every limit of the service.
#[test]
fn nothing_is_left_out() {
    let guide = std::fs::read_to_string(root().join("docs/serve.md")).unwrap();
    let served = Served::start(&[]);
    for route in [
        "/filter",
        "/mask",
        "/check",
        "/snapshot",
        "/explain",
        "/conventions",
        "/health",
        "/metrics",
        "/openapi.json",
    ] {
        assert!(guide.contains(&format!("{route}`")), "{route}");
        assert_ne!(served.get(route).status, 404, "{route}");
    }
    let limits = heedful::LIMITS
        .iter()
        .filter(|limit| limit.scope().name() == "request");
    for limit in limits
        .map(heedful::Limit::name)
        .filter(|name| *name != "idle_seconds")
    {
        assert!(guide.contains(&format!("`{limit}`")), "{limit}");
    }
}
