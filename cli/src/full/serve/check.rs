//! `POST /check`: returns the rulings of a robots.txt on URLs. The body is one question, a stream
//! of questions, or a robots.txt. If the body is a robots.txt, the query string has the bots and
//! URLs.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use heedful::{Bot, Error, Mode};
use heedful_json as json;
use heedful_json::ErrorJson;
use serde_json::json;

use crate::args::asker;
use crate::check::question::{self, When};
use crate::ending::setting;
use crate::terms_args::time;

use super::answer::{self, collect_bounded, join_lines};
use super::asked::QueryString;
use super::body::BodyKind;
use super::bounds::passed;
use super::lines::{self, AnswerStream, RequestLine};
use super::object::check_json;
use super::refuse::Refusal;
use super::state::{ServerState, Service};

pub(super) const NAMES: [&str; 5] = ["url", "bot", "mode", "at", "last"];

pub(super) const TAKES: [BodyKind; 3] = [BodyKind::Json, BodyKind::Lines, BodyKind::Text];

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let kind = BodyKind::from_headers(&head.headers, &TAKES)?;
    let query = QueryString::from_uri(
        &head.uri,
        if kind == BodyKind::Text {
            &NAMES
        } else {
            &NAMES[3..]
        },
    )?;
    let when = When::new(query.parsed("at", time)?, query.parsed("last", time)?)?;
    match kind {
        BodyKind::Lines => Ok(lines::answer(service, body, Questions(when))),
        BodyKind::Text => {
            let asked = CheckParams::from_query(&service, &query, when)?;
            whole(&service, (head, body), move |robots| {
                Ok(asked.answer(robots)?)
            })
            .await
        }
        _ => {
            whole(&service, (head, body), move |question| {
                check_json(question)?;
                Ok(question::answer(question, when)?)
            })
            .await
        }
    }
}

/// Reads the whole body of a request. Calls `work` with the body as soon as a core is free. Creates
/// the response from the result of `work`.
async fn whole(
    service: &Service,
    (head, body): (Parts, Body),
    work: impl FnOnce(&[u8]) -> Result<String, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    let whole = service.whole(&head.headers, body).await?;
    let _place = service.cores.enter(&service.limits)?;
    let done = service
        .cores
        .work(service.bounds.request_time, &service.limits, move || {
            work(&whole.bytes)
        });
    Ok(answer::json(StatusCode::OK, done.await??))
}

/// The settings in the query string of a `POST /check` request whose body is a robots.txt: URLs,
/// bots, mode and times.
struct CheckParams {
    urls: Vec<String>,
    bots: Vec<Bot>,
    mode: Mode,
    when: When,
    service: ServerState,
}

impl CheckParams {
    fn from_query(service: &ServerState, query: &QueryString, when: When) -> Result<Self, Refusal> {
        let urls: Vec<_> = query.all("url").map(str::to_owned).collect();
        if urls.is_empty() {
            return Err(
                setting("which URLs? say ?url=https://site.example/page or ?url=/page").into(),
            );
        }
        urls.iter().try_for_each(|url| question::check_url(url))?;
        let named = query.all("bot").map(|text| Ok(asker(text)?));
        let mut bots = named.collect::<Result<Vec<_>, Refusal>>()?;
        if bots.is_empty() {
            bots.push(asker("heedful")?);
        }
        Ok(Self {
            urls,
            bots,
            mode: query.parsed("mode", Mode::parse)?.unwrap_or_default(),
            when,
            service: Arc::clone(service),
        })
    }

    fn answer(&self, robots: &[u8]) -> Result<String, Error> {
        let robots = question::parse_robots(robots, self.mode);
        let each = self
            .urls
            .iter()
            .flat_map(|url| self.bots.iter().map(move |bot| (bot, url)));
        let lines = each.map(|(bot, url)| question::ruling(&robots, bot, url, self.when));
        let lines = collect_bounded(self.service.bounds.bodies_bytes, lines);
        let lines = lines.ok_or_else(|| passed("request", "bodies_bytes", &self.service.limits))?;
        Ok(join_lines(&lines))
    }
}

/// Answers a stream of questions about robots.txt files, with one question per line. The field has
/// the times of the bot's intended fetch and of its last fetch. Both times come from the query
/// string of the request. Each time applies to the questions that do not state this time.
#[derive(Clone)]
struct Questions(When);

impl AnswerStream for Questions {
    fn answer(&self, service: &Service, _: u64, line: RequestLine<'_>) -> String {
        let answer = match line {
            RequestLine::Whole(line) => question::answer(line, self.0),
            RequestLine::Lost(_, error) => Err(error),
        };
        answer.unwrap_or_else(|error| {
            service.metrics.error(error.name());
            self.failed(error)
        })
    }

    fn failed(&self, error: Error) -> String {
        json::line(&json!({ "error": ErrorJson::new(&error) }))
    }
}
