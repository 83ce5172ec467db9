//! The OpenAPI document of the service has the routes that the service really answers. Every answer
//! in the tests of the service has a status and a media type that the document tells of its route.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{path, run};
use crate::served::{Answer, Served};

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Returns the document that `heedful generate openapi` prints, which has all routes.
fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| {
        let (status, printed, told) = run(&["generate", "openapi"], "");
        assert_eq!(status, 0, "{told}");
        serde_json::from_str(&printed).unwrap()
    })
}

/// Fails if the document does not have the status and the media type of an answer, though it has
/// the route.
pub(crate) fn assert_documented(method: &str, path: &str, answer: &Answer) {
    let path = path.split('?').next().unwrap();
    let method = method.to_lowercase();
    let operation = &document()["paths"][path][method.as_str()];
    let kind = answer.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap();
    let is_no_route = answer.status == 404 && kind == "application/json";
    if operation.is_null() || is_no_route {
        return;
    }
    let response = &operation["responses"][answer.status.to_string()];
    assert!(!response.is_null(), "{method} {path}: {}", answer.status);
    let is_known = match response["content"].as_object() {
        Some(content) => content.contains_key(kind),
        None => answer.body.is_empty(),
    };
    assert!(is_known, "{method} {path}: {} {kind}", answer.status);
}

/// Returns the methods and paths that a document has, without those of another port.
fn operations(document: &Value) -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        let operations = operations.as_object().unwrap();
        if operations.contains_key("servers") {
            continue;
        }
        for method in operations.keys() {
            all.insert((method.to_uppercase(), path.clone()));
        }
    }
    all
}

/// Fails unless the service answers the methods and paths of its own document, and no others.
fn assert_same_routes(served: &Served) {
    let own = served.get("/openapi.json").json();
    let documented = operations(&own);
    let mut answered = BTreeSet::new();
    let paths = document()["paths"].as_object().unwrap().keys();
    let more = ["/filter/", "/masks", "/openapi", "/nowhere"].map(str::to_owned);
    for path in paths.cloned().chain(more) {
        for method in METHODS {
            let status = served.ask(method, &path, &[], b"").status;
            let is_none = status == 405
                || status == 404 && !documented.iter().any(|(_, known)| *known == path);
            if !is_none && method != "HEAD" {
                answered.insert((method.to_owned(), path.clone()));
            }
            let has_get = documented.contains(&("GET".to_owned(), path.clone()));
            assert!(method != "HEAD" || is_none != has_get, "HEAD {path}");
        }
    }
    assert_eq!(answered, documented);
    // The answer to a path that does not exist names those that do.
    let (_, message) = served.get("/nowhere").error();
    for (_, path) in &documented {
        assert!(message.contains(path.as_str()), "{path}: {message}");
    }
}

#[test]
fn the_document_has_the_routes_of_a_service() {
    let served = Served::start(&[]);
    assert_same_routes(&served);
    let own = served.get("/openapi.json").json();
    assert_eq!(own["openapi"], "3.1.0");
    assert!(own["paths"]["/search"].is_null() && own["paths"]["/copy"].is_null());
}

#[test]
fn the_document_has_the_routes_of_a_search() {
    let folder = TempDir::new().unwrap();
    let index = path(&folder, "index");
    let url = ["--url", "https://site.example/"];
    let index_site = ["index", "corpus/site/about.html", "-o", &index, "--quiet"];
    let (status, _, told) = run(&[&index_site[..], &url].concat(), "");
    assert_eq!(status, 0, "{told}");
    let served = Served::start(&[&index]);
    assert_same_routes(&served);
    // It is the printed document, but for the port of copies.
    let mut own = served.get("/openapi.json").json();
    let copies = own["paths"]["/copy"]["servers"][0]["url"].take();
    assert!(
        served
            .ready
            .contains(copies.as_str().unwrap().rsplit_once(':').unwrap().1)
    );
    own["paths"]["/copy"]["servers"][0]["url"] = "http://localhost:4334".into();
    assert_eq!(&own, document());
}

/// Each reference inside the document leads to a schema.
#[test]
fn references_lead_somewhere() {
    let mut values = vec![document()];
    let mut references = 0;
    while let Some(value) = values.pop() {
        if let Some(place) = value["$ref"].as_str() {
            references += 1;
            let schema = document().pointer(place.strip_prefix('#').unwrap());
            assert!(schema.is_some(), "{place}");
        }
        values.extend(value.as_array().into_iter().flatten());
        values.extend(
            value
                .as_object()
                .into_iter()
                .flat_map(|object| object.values()),
        );
    }
    assert!(references > 10, "{references}");
}
