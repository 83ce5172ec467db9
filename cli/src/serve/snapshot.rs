//! `POST /snapshot`: the page itself, without what may not be archived; 403 and why, where none may be kept.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use heedful::run::{Gate, Outcome, filtered};
use heedful::{CutMark, Dressing, Facet, Page};

use super::answer;
use super::asked::{Asked, Query};
use super::body::Kind;
use super::page::{self, Found, Reading};
use super::refuse::Refusal;
use super::state::Shared;

const NAMES: [&str; 6] = ["mark", "mark_class", "base", "banner", "no_scripts", "dress"];

/// A copy is another's page: it runs nothing, loads nothing, and is no page of this service.
const POLICY: &str = "default-src 'none'; sandbox";

pub(super) async fn answer(State(service): State<Shared>, request: Request) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let (query, asked) = Asked::with(&head.uri, &NAMES)?;
    let dress = Dress::of(&query)?;
    let kind = Kind::of(&head.headers, &[Kind::Html, Kind::Json])?;
    let made = page::work(&service, (head, body), (kind, asked), move |found, reading| {
        if reading.bots.len() > 1 {
            return Err(crate::ending::setting("a snapshot is for one bot: say `bot` once").into());
        }
        copy(found, &reading.clone().snapshots(), &dress)
    });
    let made = made.await;
    service.metrics.page(made.as_ref().err().map(Refusal::kind));
    made
}

/// The copy of a page, or why there is none.
fn copy(found: Found, reading: &Reading, dress: &Dress) -> Result<Response, Refusal> {
    let outcome = reading.page(found.item, &Gate::default(), filtered);
    let Outcome::Pages(filtered) = outcome else {
        return Err(Refusal::page(page::error(outcome)));
    };
    let Some(page) = filtered.pages.first() else { return Ok(StatusCode::NO_CONTENT.into_response()) };
    let copy = page.snapshot(&dress.dressing(page, filtered.date.as_deref()));
    copy.map(|copy| answer::html(copy, POLICY)).ok_or_else(|| Refusal::withheld(why(page)))
}

/// Why a page has no copy.
fn why(page: &Page) -> String {
    let policy = page.policy();
    let facet = if policy.allows(Facet::Index) { Facet::Archive } else { Facet::Index };
    let said = policy.why(facet).map(|directive| format!(": {} says `{}`", directive.dialect(), directive.text()));
    format!("the page may not be kept{}", said.unwrap_or_default())
}

/// How a copy is dressed, as `heedful snapshot` has it.
struct Dress {
    mark: String,
    class: Option<String>,
    base: bool,
    banner: bool,
    no_scripts: bool,
}

impl Dress {
    fn of(query: &Query) -> Result<Self, Refusal> {
        let all = query.has("dress")?;
        Ok(Self {
            mark: query.one("mark")?.unwrap_or("[...]").to_owned(),
            class: query.one("mark_class")?.map(str::to_owned),
            base: all || query.has("base")?,
            banner: all || query.has("banner")?,
            no_scripts: all || query.has("no_scripts")?,
        })
    }

    fn dressing(&self, page: &Page, date: Option<&str>) -> Dressing {
        let mark = CutMark::new(&self.mark);
        let mut dressing = Dressing::default().mark(match &self.class {
            Some(class) => mark.class(class),
            None => mark,
        });
        if self.base {
            dressing = dressing.base();
        }
        if self.no_scripts {
            dressing = dressing.no_scripts();
        }
        if self.banner {
            let when = date.map(|date| format!(", as it was on {date}")).unwrap_or_default();
            dressing = dressing.banner(&format!("A copy of {}{when}", page.url()));
        }
        dressing
    }
}
