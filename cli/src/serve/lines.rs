//! JSON Lines, streamed both ways: each line in gives one line out, in order, as soon as it is known.
//!
//! A line that cannot be read is an error at its place, also one that is too long or that has no room in memory: its
//! rest is passed over, and reading goes on behind it. Blank lines have no answer. One line of a stream is worked at, at
//! a time, so a stream takes one core at the most, and none while it waits for its client.

use std::io;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::{Error, ErrorKind};
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use tokio::time::timeout;

use super::answer;
use super::body::Held;
use super::bounds::value;
use super::state::{Service, Shared};

/// The pieces of an answer that wait for the client.
const WAITING: usize = 4;

/// What answers lines: it is moved to a core with each line, and comes back with the answer.
pub(super) trait Answers: Send + 'static {
    /// The answer to a line, or to its error.
    fn answer(&mut self, service: &Service, line: Result<&[u8], Error>) -> String;

    /// The answer where even that has failed.
    fn failed(&self, error: &Error) -> String;
}

/// Answers a stream of lines.
pub(super) fn answer(service: Shared, body: Body, answers: impl Answers + Clone) -> Response {
    let (to_client, channel) = Channel::<Bytes, io::Error>::new(WAITING);
    tokio::spawn(async move {
        let mut stream =
            Stream { service, body, answers, to_client, line: Vec::new(), held: Held::default(), lost: None };
        stream.run().await;
    });
    answer::of(StatusCode::OK, answer::LINES, Body::new(channel))
}

struct Stream<A> {
    service: Shared,
    body: Body,
    answers: A,
    to_client: Sender<Bytes, io::Error>,
    /// The line so far.
    line: Vec<u8>,
    held: Held,
    /// The name of the limit that the line has passed; then its bytes are not kept.
    lost: Option<&'static str>,
}

/// The client went away, or did nothing for too long. Nobody is left to be told.
struct Gone;

impl<A: Answers + Clone> Stream<A> {
    async fn run(&mut self) {
        // A client that broke off sees that the answer has no end either.
        if self.all().await.is_err() {
            self.service.metrics.broke_off();
            let sender = std::mem::replace(&mut self.to_client, Channel::new(1).0);
            sender.abort(io::ErrorKind::ConnectionAborted.into());
        }
    }

    async fn all(&mut self) -> Result<(), Gone> {
        while let Some(data) = self.next().await? {
            let mut rest = &data[..];
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                self.keep(&rest[..end]);
                rest = &rest[end + 1..];
                self.end_line().await?;
            }
            self.keep(rest);
        }
        self.end_line().await
    }

    /// The next piece of the body.
    async fn next(&mut self) -> Result<Option<Bytes>, Gone> {
        loop {
            let frame = timeout(self.service.bounds.idle_time, self.body.frame()).await.map_err(|_| Gone)?;
            let Some(frame) = frame else { return Ok(None) };
            if let Ok(data) = frame.map_err(|_| Gone)?.into_data() {
                self.service.metrics.received(data.len());
                return Ok(Some(data));
            }
        }
    }

    /// Keeps a piece of the line, unless that passes a limit.
    fn keep(&mut self, piece: &[u8]) {
        if self.lost.is_none() && self.line.len() + piece.len() > self.service.bounds.line_bytes {
            self.lose("line_bytes");
        } else if self.lost.is_none() && !self.service.bodies.take(&mut self.held, piece.len()) {
            self.lose("bodies_bytes");
        } else if self.lost.is_none() {
            self.line.extend_from_slice(piece);
        }
    }

    fn lose(&mut self, limit: &'static str) {
        (self.lost, self.line, self.held) = (Some(limit), Vec::new(), Held::default());
    }

    /// Answers the line.
    async fn end_line(&mut self) -> Result<(), Gone> {
        let (line, held, lost) = (std::mem::take(&mut self.line), std::mem::take(&mut self.held), self.lost.take());
        if lost.is_none() && line.trim_ascii().is_empty() {
            return Ok(());
        }
        let lost = lost.map(|name| self.passed(name));
        let (service, mut answers) = (Arc::clone(&self.service), self.answers.clone());
        let done = self.service.cores.work(self.service.bounds.idle_time, &self.service.limits, move || {
            let _held = held;
            let told = answers.answer(&service, lost.map_or(Ok(&line[..]), Err));
            (answers, told)
        });
        let told = match done.await {
            Ok((answers, told)) => {
                self.answers = answers;
                told
            }
            Err(refusal) => self.answers.failed(refusal.error()),
        };
        self.tell(told).await
    }

    fn passed(&self, name: &'static str) -> Error {
        let of = if name == "line_bytes" { "record" } else { "request" };
        ErrorKind::Limit { of, name, limit: value(name, &self.service.limits) }.into()
    }

    async fn tell(&mut self, mut line: String) -> Result<(), Gone> {
        line.push('\n');
        self.service.metrics.sent(line.len());
        let sent = timeout(self.service.bounds.idle_time, self.to_client.send_data(line.into())).await;
        sent.ok().and_then(Result::ok).ok_or(Gone)
    }
}
