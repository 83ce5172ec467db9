//! Describes routes of the service as an OpenAPI 3.1 document. `GET /openapi.json` returns this
//! document, and `heedful generate openapi` prints it.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::answer;
use super::body::BodyKind;
use super::route::{Route, RouteMethod, RoutePlace};

/// A setting in the query string of a request.
struct Parameter {
    name: &'static str,
    about: &'static str,
    form: ParameterForm,
}

/// The way in which a setting occurs in a query string.
enum ParameterForm {
    /// The setting occurs at most once, with a value.
    Once,
    /// The setting may occur any number of times, each time with a value.
    Repeated,
    /// The setting occurs without a value, or with the value 1 or 0.
    Switch,
}

use ParameterForm::{Once, Repeated, Switch};

/// All parameters that the query string of a request may have. A parameter has the same meaning in
/// each route, unless its description says otherwise.
const PARAMETERS: [Parameter; 30] = [
    parameter(
        "url",
        Repeated,
        "The URL of the page; of /check, paths or URLs, and only there may it be repeated",
    ),
    parameter(
        "header",
        Repeated,
        "A header line of the page's response, such as X-Robots-Tag: noindex",
    ),
    parameter(
        "robots",
        Once,
        "The text of a robots.txt that holds for the page, where the body is the page",
    ),
    parameter(
        "bot",
        Repeated,
        "The bot to read as, NAME or NAME=ALIAS,...",
    ),
    parameter(
        "conventions",
        Once,
        "The conventions to obey, as the option --conventions",
    ),
    parameter("at", Once, "The time as of which to judge, by RFC 3339"),
    parameter(
        "last",
        Once,
        "The time of the bot's last fetch, by RFC 3339",
    ),
    parameter(
        "mode",
        Once,
        "How a robots.txt is read, as the option --mode",
    ),
    parameter("snapshot", Switch, "With the snapshot of the page"),
    parameter("blocks", Switch, "With the blocks of the page"),
    parameter(
        "landmarks",
        Once,
        "The landmarks to read, as the option --landmarks, such as main,none",
    ),
    parameter(
        "use",
        Once,
        "The uses to ask about, separated by commas; of /search, that a hit must allow",
    ),
    parameter(
        "parts",
        Switch,
        "With the uses that a page allows but not for all of its parts",
    ),
    parameter("no_digest", Switch, "Without the digest of the page"),
    parameter("mark", Once, "The text in place of what is withheld"),
    parameter(
        "mark_class",
        Once,
        "The class of the element round that text",
    ),
    parameter(
        "base",
        Switch,
        "With a base, so that relative links lead to the publisher's site",
    ),
    parameter("banner", Switch, "With a bar that says whose page it is"),
    parameter(
        "no_scripts",
        Switch,
        "With a policy that lets no script run",
    ),
    parameter("dress", Switch, "With base, banner and no_scripts"),
    parameter("as", Once, "How others would read the page, such as all"),
    parameter(
        "uses",
        Switch,
        "The techniques against AI training in place of the conventions",
    ),
    parameter(
        "q",
        Once,
        "The query; /search needs it where it answers with JSON",
    ),
    parameter("page", Once, "The page of results, from 1"),
    parameter("limit", Once, "The hits on a page of results, 1 to 50"),
    parameter(
        "language",
        Once,
        "Only pages that declare this language, such as de",
    ),
    parameter(
        "since",
        Once,
        "Only pages whose text was fetched then or later",
    ),
    parameter("until", Once, "Only pages whose text was fetched before"),
    parameter("site", Once, "Only pages of this host and its subdomains"),
    parameter("explain", Switch, "With the parts of each score"),
];

const fn parameter(name: &'static str, form: ParameterForm, about: &'static str) -> Parameter {
    Parameter { name, about, form }
}

impl Parameter {
    fn json(&self) -> Value {
        let text = json!({ "type": "string" });
        let (schema, is_switch) = match self.form {
            Once => (text, false),
            Repeated => (json!({ "type": "array", "items": text }), false),
            Switch => (json!({ "type": "string", "enum": ["", "1", "0"] }), true),
        };
        json!({
            "name": self.name,
            "in": "query",
            "description": self.about,
            "allowEmptyValue": is_switch,
            "schema": schema,
        })
    }
}

/// Returns the OpenAPI document of a service with these routes. `copies` is the origin from which
/// browsers get the copies of pages.
pub(super) fn document<'a>(routes: impl Iterator<Item = &'a Route>, copies: Option<&str>) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let mut path = path(route);
        if route.place == RoutePlace::Copies {
            path["servers"] = json!([{ "url": copies, "description": "the port of snapshots" }]);
        }
        paths.insert(route.path.to_owned(), path);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "heedful serve",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Reads web pages, and gives what publishers do not withhold from indexers",
            "description": "docs/serve.md describes the service; docs/json.md and docs/mask.md have the keys of all answers.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": { "schemas": schemas() },
    })
}

fn path(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": route.path.trim_matches('/').replace(".json", ""),
        "summary": route.about,
        "parameters": parameters(route),
        "responses": responses(route),
    });
    if route.path == "/" {
        operation["operationId"] = "home".into();
    }
    if !route.takes.is_empty() {
        let mut content = Map::new();
        for kind in route.takes {
            for name in kind.names() {
                content.insert((*name).to_owned(), body(*kind, route));
            }
        }
        operation["requestBody"] = json!({ "required": true, "content": content });
    }
    let method = match route.method {
        RouteMethod::Get => "get",
        RouteMethod::Post => "post",
    };
    json!({ method: operation })
}

fn parameters(route: &Route) -> Vec<Value> {
    let names = route.names.iter().copied().flatten();
    let known = names.filter_map(|name| PARAMETERS.iter().find(|known| known.name == *name));
    known.map(Parameter::json).collect()
}

fn responses(route: &Route) -> Value {
    let mut responses = Map::new();
    for (status, types) in route.gives {
        let content = types.iter().map(|kind| (essence(kind), json!({})));
        let content: Map<_, _> = content.collect();
        responses.insert(status.to_string(), response(*status, content));
    }
    for status in route.refuses() {
        let mut content = Map::new();
        for kind in route.error_types() {
            let is_json = *kind == answer::JSON;
            let schema = json!({ "schema": { "$ref": "#/components/schemas/Error" } });
            content.insert(essence(kind), if is_json { schema } else { json!({}) });
        }
        responses.insert(status.to_string(), response(status, content));
    }
    responses.into()
}

fn response(status: u16, content: Map<String, Value>) -> Value {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    let mut response = json!({ "description": status.canonical_reason().unwrap_or_default() });
    if !content.is_empty() {
        response["content"] = content.into();
    }
    response
}

/// Returns the OpenAPI description of a request's body of this kind. In JSON Lines, each line is an
/// object of the same type as in JSON.
fn body(kind: BodyKind, route: &Route) -> Value {
    let object = if route.takes.contains(&BodyKind::Text) {
        "#/components/schemas/Question"
    } else {
        "#/components/schemas/Page"
    };
    match kind {
        BodyKind::Json => json!({ "schema": { "$ref": object } }),
        BodyKind::Lines => {
            json!({ "schema": { "type": "string", "description": format!("A line each: {object}") } })
        }
        BodyKind::Html | BodyKind::Text => json!({}),
    }
}

/// Returns a media type without its parameters.
fn essence(kind: &str) -> String {
    kind.split(';').next().unwrap_or(kind).to_owned()
}

fn schemas() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let number = |about: &str| json!({ "type": "integer", "description": about });
    json!({
        "Error": {
            "type": "object",
            "description": "What is wrong. An error of a page has the other keys of a page too.",
            "required": ["error"],
            "properties": {
                "error": {
                    "type": "object",
                    "required": ["kind", "message"],
                    "properties": { "kind": text("A word for programs"), "message": text("A sentence for people") },
                },
            },
        },
        "Page": {
            "type": "object",
            "description": "A page, or a robots.txt for later pages of the same stream",
            "required": ["url"],
            "properties": {
                "url": text("The URL of the page"),
                "html": text("The page as text"),
                "html_b64": text("The bytes of the page in Base64"),
                "headers": { "description": "The headers of its response: pairs, or an object of texts or lists of texts", "type": ["object", "array"] },
                "status": number("The HTTP status of its response"),
                "date": text("The time of the fetch, by RFC 3339"),
                "robots": text("The text of a robots.txt that holds for this page"),
                "robots_status": number("The HTTP status of the response with that robots.txt"),
            },
        },
        "Question": {
            "type": "object",
            "description": "A question about a robots.txt",
            "required": ["bot", "url"],
            "properties": {
                "robots": text("The text of the robots.txt"),
                "robots_b64": text("The bytes of the robots.txt in Base64"),
                "bot": text("The bot that asks"),
                "url": text("A URL or a path"),
                "mode": text("How the robots.txt is read"),
                "at": text("The time of the intended fetch, by RFC 3339"),
                "last": text("The time of the last fetch, by RFC 3339"),
            },
        },
    })
}
