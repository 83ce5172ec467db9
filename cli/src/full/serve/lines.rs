//! JSON Lines, streamed both ways. Each line of the request gives one line of the answer, in the
//! same order. Each line of the answer is sent as soon as it is known.
//!
//! A line of the request that cannot be read is answered with an error. The same holds for a line
//! that is too long, or for which the memory budget is used up. The remaining bytes of such a line
//! are skipped, and reading continues with the next line. Blank lines have no answer. A stream
//! works on one line at a time. So it uses at most one core, and none while it waits for its
//! client. If no core is free for too long, or the program panics on a line, that line is answered
//! with an error. Then the stream is aborted without its last chunk.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use heedful::Error;
use http_body_util::BodyExt;
use http_body_util::channel::{Channel, Sender};
use tokio::time::{sleep, timeout};

use super::answer;
use super::bounds::passed;
use super::budget::Held;
use super::state::{ServerState, Service};

/// Maximum number of pieces of a streamed answer that are queued for the client.
const WAITING: usize = 4;

/// Pause between two attempts to reserve memory of the budget for a line of the answer.
const PAUSE: Duration = Duration::from_millis(20);
/// Pause between the last line of a response and the abort of its stream. Without the pause, the
/// connection would be aborted before the line is sent.
const PARTING: Duration = Duration::from_millis(200);
/// Number of bytes that are kept from each end of a line that exceeds a limit. Such a line may
/// contain a robots.txt as JSON. Both ends are therefore searched for the URL of a robots.txt.
const LOOK: usize = 64 << 10;

/// A line of a request's stream. If the line exceeded a limit, only the bytes at its beginning and
/// its end were kept.
pub(super) enum RequestLine<'a> {
    Whole(&'a [u8]),
    /// A line that exceeded a limit. The array has the bytes at the beginning and at the end of the
    /// line. The error names the limit.
    Lost([&'a [u8]; 2], Error),
}

/// Computes the answers to the lines of a request. Each kind of line, such as a page or a question,
/// has its own implementation. Each call of [`answer`](Self::answer) occupies one of the service's
/// cores.
pub(super) trait AnswerStream: Clone + Send + 'static {
    /// Returns the answer to the line `line` of the request. `number` is the number of the line.
    fn answer(&self, service: &Service, number: u64, line: RequestLine<'_>) -> String;

    /// Returns the answer to a line for which [`answer`](Self::answer) panicked or could not run.
    /// The answer reports `error`.
    fn failed(&self, error: Error) -> String;
}

/// Creates the streamed response to the lines in `body`, the body of a request. A separate task
/// reads the lines and sends the answers.
pub(super) fn answer(service: ServerState, body: Body, answers: impl AnswerStream) -> Response {
    let (to_client, channel) = Channel::<Bytes, io::Error>::new(WAITING);
    tokio::spawn(async move {
        let mut stream = LineStream {
            service,
            body,
            answers,
            to_client,
            number: 0,
            line: PendingLine::default(),
        };
        stream.run().await;
    });
    answer::response(StatusCode::OK, answer::LINES, Body::new(channel))
}

struct LineStream<A> {
    service: ServerState,
    body: Body,
    answers: A,
    to_client: Sender<Bytes, io::Error>,
    number: u64,
    line: PendingLine,
}

/// The received bytes of the current line of the request.
#[derive(Default)]
struct PendingLine {
    bytes: Vec<u8>,
    /// The share of the memory budget that the line uses.
    held: Held,
    /// Name of the limit that the line has exceeded, or `None`. If it exceeded a limit, `bytes` has
    /// only the beginning of the line.
    lost: Option<&'static str>,
    /// The last bytes of a line that has exceeded a limit. Empty for all other lines.
    end: Vec<u8>,
}

impl PendingLine {
    /// Appends `piece` to the current line of the request. If the line then exceeds a limit, keeps
    /// only the beginning and the end of the line.
    fn add(&mut self, piece: &[u8], service: &Service) {
        if self.lost.is_some() {
            return self.add_to_end(piece);
        }
        if self.bytes.len() + piece.len() > service.bounds.line_bytes {
            self.lose("line_bytes", piece);
        } else if !service.bodies.take(&mut self.held, piece.len()) {
            self.lose("bodies_bytes", piece);
        } else {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn lose(&mut self, limit: &'static str, piece: &[u8]) {
        let rest = self.bytes.split_off(self.bytes.len().min(LOOK));
        self.bytes.shrink_to_fit();
        (self.lost, self.held) = (Some(limit), Held::default());
        self.add_to_end(&rest);
        self.add_to_end(piece);
    }

    fn add_to_end(&mut self, piece: &[u8]) {
        self.end
            .extend_from_slice(&piece[piece.len().saturating_sub(LOOK)..]);
        self.end.drain(..self.end.len().saturating_sub(LOOK));
    }

    fn is_blank(&self) -> bool {
        self.lost.is_none() && self.bytes.trim_ascii().is_empty()
    }

    fn line(&self, service: &Service) -> RequestLine<'_> {
        match self.lost {
            None => RequestLine::Whole(&self.bytes),
            Some(name) => {
                let of = if name == "line_bytes" {
                    "record"
                } else {
                    "request"
                };
                RequestLine::Lost([&self.bytes, &self.end], passed(of, name, &service.limits))
            }
        }
    }
}

/// The error that aborts a stream of answers. It occurs if the client has closed the connection, or
/// was idle for too long. It also occurs if no answer to a line could be computed.
struct ClientDisconnected;

impl<A: AnswerStream> LineStream<A> {
    async fn run(&mut self) {
        // An abort lets the client see that the answer is incomplete.
        if self.all().await.is_err() {
            self.service.metrics.broke_off();
            let sender = std::mem::replace(&mut self.to_client, Channel::new(1).0);
            sender.abort(io::ErrorKind::ConnectionAborted.into());
        }
    }

    async fn all(&mut self) -> Result<(), ClientDisconnected> {
        while let Some(data) = self.next().await? {
            let mut rest = &data[..];
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                self.line.add(&rest[..end], &self.service);
                rest = &rest[end + 1..];
                self.end_line().await?;
            }
            self.line.add(rest, &self.service);
        }
        self.end_line().await
    }

    /// Waits for the next piece of the request's body. Returns None at the end of the body.
    async fn next(&mut self) -> Result<Option<Bytes>, ClientDisconnected> {
        loop {
            let frame = timeout(self.service.bounds.idle_time, self.body.frame())
                .await
                .map_err(|_| ClientDisconnected)?;
            let Some(frame) = frame else { return Ok(None) };
            if let Ok(data) = frame.map_err(|_| ClientDisconnected)?.into_data() {
                self.service.metrics.received(data.len());
                return Ok(Some(data));
            }
        }
    }

    /// Sends the answer to the current line of the request, and starts the next line.
    async fn end_line(&mut self) -> Result<(), ClientDisconnected> {
        let line = std::mem::take(&mut self.line);
        self.number += 1;
        if line.is_blank() {
            return Ok(());
        }
        let service = Arc::clone(&self.service);
        let answers = self.answers.clone();
        let number = self.number;
        let patience = self.service.bounds.idle_time;
        let done = self
            .service
            .cores
            .work(patience, &self.service.limits, move || {
                answers.answer(&service, number, line.line(&service))
            });
        match done.await {
            Ok(answer) => self.send(answer).await,
            Err(refusal) => {
                self.service.metrics.error(refusal.kind());
                self.send(self.answers.failed(refusal.into_error())).await?;
                // The abort of the stream would otherwise overtake this line.
                sleep(PARTING).await;
                // The line may have been a robots.txt, without which later lines must not be
                // answered.
                Err(ClientDisconnected)
            }
        }
    }

    async fn send(&mut self, mut line: String) -> Result<(), ClientDisconnected> {
        line.push('\n');
        self.service.metrics.sent(line.len());
        let service = &self.service;
        let to_client = &mut self.to_client;
        let sent = async { to_client.send_data(held(service, line.into()).await).await };
        timeout(service.bounds.idle_time, sent)
            .await
            .ok()
            .and_then(Result::ok)
            .ok_or(ClientDisconnected)
    }
}

/// Waits until the memory budget has room for `line`, a line of the response. Then reserves the
/// memory. The memory is released when the returned bytes are dropped.
async fn held(service: &Service, line: Bytes) -> Bytes {
    loop {
        match service.bodies.hold(line.clone()) {
            Some(held) => return held,
            None => sleep(PAUSE).await,
        }
    }
}
