//! `POST /filter`: returns the filtered contents of one page, or of each page of a stream.

use axum::extract::{Request, State};
use axum::response::Response;
use heedful::Landmarks;
use heedful_run::Gate;

use super::asked::QueryString;
use super::body::BodyKind;
use super::lines;
use super::page::{PageCall, PageRequest, page_response};
use super::refuse::Refusal;
use super::state::ServerState;
use super::stream::PageStream;

pub(super) const NAMES: [&str; 3] = ["snapshot", "blocks", "landmarks"];

pub(super) const TAKES: [BodyKind; 3] = [BodyKind::Html, BodyKind::Json, BodyKind::Lines];

/// The optional contents of answers about pages, as the query string of a request selects them.
struct AskedContents {
    snapshots: bool,
    blocks: bool,
    landmarks: Option<Landmarks>,
}

impl AskedContents {
    fn from_query(query: &QueryString) -> Result<Self, Refusal> {
        Ok(Self {
            snapshots: query.has("snapshot")?,
            blocks: query.has("blocks")?,
            landmarks: query.parsed("landmarks", str::parse)?,
        })
    }

    /// Adds these optional contents to `reading`, the settings of a request. Returns the changed
    /// settings.
    fn apply(&self, mut reading: PageRequest) -> PageRequest {
        if self.snapshots {
            reading = reading.snapshots();
        }
        if self.blocks {
            reading = reading.blocks();
        }
        match self.landmarks {
            Some(landmarks) => reading.landmarks(landmarks),
            None => reading,
        }
    }
}

pub(super) async fn answer(
    State(service): State<ServerState>,
    request: Request,
) -> Result<Response, Refusal> {
    let call = PageCall::parse(request, &TAKES, &NAMES)?;
    let contents = AskedContents::from_query(&call.query)?;
    if call.kind == BodyKind::Lines {
        let reading = contents.apply(PageRequest::new(&service, call.asked)?);
        return Ok(lines::answer(service, call.body, PageStream::new(reading)));
    }
    let made = call.work(&service, move |found, reading| {
        let reading = contents.apply(reading.clone());
        Ok(reading.filtered(found, &Gate::default()))
    });
    Ok(page_response(&service, &made.await?))
}
