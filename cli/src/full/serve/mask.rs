//! `POST /mask`: returns the uses that a page allows, as `heedful mask` does. A request has one
//! page, or a stream with one page per line.
//!
//! A page that cannot be read has the answer `unknown`, which denies all uses. The status of the
//! response is then 200 nevertheless, provided that the request itself is valid.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::{Error, Limits, Uses};
use heedful_run::mask::{MaskAnswer, MaskQuestions};
use heedful_run::{Gate, Outcome};

use super::asked::QueryString;
use super::body::BodyKind;
use super::lines;
use super::object::NAME;
use super::page::{FoundPages, PageCall, PageRequest, PageResult, page_response};
use super::refuse::Refusal;
use super::state::ServerState;
use super::stream::{PageAnswers, PageStream};

pub(super) const NAMES: [&str; 3] = ["use", "parts", "no_digest"];

pub(super) const TAKES: [BodyKind; 3] = [BodyKind::Html, BodyKind::Json, BodyKind::Lines];

/// The parameters in the query string of a `POST /mask` request: the uses to ask about, and the
/// contents of each answer.
struct AskedUses {
    uses: Uses,
    has_parts: bool,
    has_no_digest: bool,
}

impl AskedUses {
    fn from_query(query: &QueryString) -> Result<Self, Refusal> {
        let uses = query.parsed("use", Uses::parse_names)?;
        Ok(Self {
            uses: uses.map_or_else(|| Uses::parse_names(crate::args::MASK_USES), Ok)?,
            has_parts: query.has("parts")?,
            has_no_digest: query.has("no_digest")?,
        })
    }

    fn page_uses(&self, reading: PageRequest) -> PageUses {
        let mut asking = MaskQuestions::new(self.uses, &reading.filter);
        if self.has_parts {
            asking = asking.parts();
        }
        if self.has_no_digest {
            asking = asking.without_digests();
        }
        PageUses { asking, reading }
    }
}

/// Answers the questions of a `POST /mask` request about each of its pages. `asking` has the
/// questions. `reading` has the settings by which the pages are filtered.
#[derive(Clone)]
struct PageUses {
    asking: MaskQuestions,
    reading: PageRequest,
}

impl PageUses {
    fn result(answer: &MaskAnswer, error: Option<&'static str>) -> PageResult {
        PageResult {
            status: StatusCode::OK,
            lines: vec![answer.line()],
            error,
        }
    }
}

impl PageAnswers for PageUses {
    fn limits(&self) -> &Limits {
        self.reading.filter.get_limits()
    }

    fn answer(&self, found: FoundPages, gate: &Gate) -> PageResult {
        let outcome = self.reading.page(found.item, gate, |document, at, filter| {
            self.asking.page(document, &at, filter)
        });
        let error = match &outcome {
            Outcome::Failed { error, .. } => Some(error.name()),
            Outcome::Damage(_) => Some("input"),
            _ => None,
        };
        Self::result(&self.asking.answer(outcome), error)
    }

    fn failed(&self, error: Error) -> PageResult {
        let mut answer = self.asking.unknown(error.to_string());
        NAME.clone_into(&mut answer.file);
        Self::result(&answer, Some(error.name()))
    }
}

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let call = PageCall::parse(request, &TAKES, &NAMES)?;
    let uses = AskedUses::from_query(&call.query)?;
    if call.kind == BodyKind::Lines {
        let answers = uses.page_uses(PageRequest::new(&service, call.asked)?);
        return Ok(lines::answer(service, call.body, PageStream::new(answers)));
    }
    let made = call.work(&service, move |found, reading| {
        Ok(uses
            .page_uses(reading.clone())
            .answer(found, &Gate::default()))
    });
    Ok(page_response(&service, &made.await?))
}
