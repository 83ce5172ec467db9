//! A TCP connection whose writes fail if the client does not read the response for too long.
//!
//! A connection that is closed after a response is closed in stages (RFC 9112, section 9.6): the
//! service closes its own side, and continues to read for a moment. So a client whose request was
//! refused before all of its body was read still gets the response. Otherwise the operating system
//! would discard the response when more of the body arrives. Limits bound the bytes and the time of
//! this reading.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Maximum time for which the service still reads from a connection after the last response.
const PARTING: Duration = Duration::from_secs(2);

/// A TCP stream with a time limit for writing. A write fails if the client does not accept bytes
/// for longer than `patience`.
#[derive(Debug)]
pub(super) struct Wire {
    stream: TcpStream,
    patience: Duration,
    waiting: Pin<Box<Sleep>>,
    is_waiting: bool,
    has_answered: bool,
    /// True after the service has closed its own side of the connection.
    is_ended: bool,
    /// Number of bytes that may still be read from the client after the last response.
    rest: usize,
}

impl Wire {
    /// Creates the connection. After its last response, at most `rest` bytes are read from the
    /// client.
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

    /// Reads bytes from the client after the last response, and discards them. Ends when the client
    /// has closed its side of the connection. Also ends when the limit on bytes or on time is
    /// reached.
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

    /// Returns `wrote`, the outcome of a write to the stream. If writes have waited longer than
    /// `patience`, returns a timeout error instead.
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
