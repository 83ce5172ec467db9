//! A TCP connection whose writes fail if its client reads nothing of an answer for too long.
//!
//! A connection that closes behind an answer is closed in stages (RFC 9112, section 9.6): the
//! service ends its own side, and reads on for a moment. So a client whose request was refused
//! before all of its body was read still sees the answer. Otherwise the system would discard the
//! answer when more of the body arrives. What is read so is bounded in bytes and time.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Maximum time for which a connection is read behind its last answer.
const PARTING: Duration = Duration::from_secs(2);

/// A TCP stream whose writes wait for the client at most for the time `patience`.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    patience: Duration,
    waiting: Pin<Box<Sleep>>,
    is_waiting: bool,
    has_answered: bool,
    /// True once the service has ended its own side of the connection.
    is_ended: bool,
    /// The number of bytes that may still be read behind the last answer.
    rest: usize,
}

impl Wire {
    /// Creates the connection. Behind its last answer, at most `rest` bytes are read.
    pub(super) fn new(stream: TcpStream, patience: Duration, rest: usize) -> Self {
        Self {
            stream,
            patience,
            waiting: Box::pin(sleep(patience)),
            is_waiting: false,
            has_answered: false,
            is_ended: false,
            rest,
        }
    }

    /// Reads and discards what the client still sends, until it ends its side too, or the bounds of
    /// bytes and time are reached.
    fn read_rest(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut piece = [0; 8 << 10];
        while self.rest > 0 && self.waiting.as_mut().poll(context).is_pending() {
            let mut into = ReadBuf::new(&mut piece);
            let read = ready!(Pin::new(&mut self.stream).poll_read(context, &mut into));
            if read.is_err() || into.filled().is_empty() {
                break;
            }
            self.rest = self.rest.saturating_sub(into.filled().len());
        }
        Poll::Ready(())
    }

    /// Returns the outcome `wrote` of a write. If the stream's writes have waited too long, returns
    /// a timeout error instead.
    fn limit_wait<T>(
        &mut self,
        context: &mut Context<'_>,
        wrote: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if wrote.is_ready() {
            self.is_waiting = false;
            self.has_answered = true;
            return wrote;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            let until = Instant::now() + self.patience;
            self.waiting.as_mut().reset(until);
        }
        ready!(self.waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit_wait(context, wrote)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.limit_wait(context, wrote)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_ended {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
            self.is_ended = true;
            self.waiting.as_mut().reset(Instant::now() + PARTING);
        }
        if self.has_answered {
            ready!(self.read_rest(context));
        }
        Poll::Ready(Ok(()))
    }
}
