//! Detects bytes that a site sends after the declared end of a body: a `Content-Length` that is too
//! short would hide rules.
//!
//! By HTTP (RFC 9112, section 6.3) a body ends where its length says, and the client reads no
//! further. So the connection is wrapped, and the wrapper looks for more bytes when the client
//! drops the connection. White space is ignored: it contains no rules, and some servers send it
//! after a body. Bytes that arrive more than `MOMENT` after the body are not detected. This file
//! never changes the bytes that the client reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// Time to wait for more bytes after the declared end of a response's body. Usually the server
/// closes the connection immediately, as the request asks.
const MOMENT: Duration = Duration::from_millis(100);

/// A flag that is set if a site sends bytes after the declared end of a response's body. A declared
/// length that is too short would hide these bytes. The flag is set by [`WatchedFetch`], which
/// wraps the connection.
#[derive(Clone, Debug, Default)]
pub(super) struct FetchWatch(Arc<AtomicBool>);

impl FetchWatch {
    /// True if bytes arrived after the declared end of the body. The result is valid only after the
    /// body was read to its end and the connection was dropped.
    pub(super) fn more_came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<In: Transport> Connector<In> for FetchWatch {
    type Out = WatchedFetch<In>;

    fn connect(
        &self,
        _: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> Result<Option<WatchedFetch<In>>, Error> {
        Ok(chained.map(|inner| WatchedFetch {
            inner,
            watch: self.clone(),
        }))
    }
}

#[derive(Debug)]
pub(super) struct WatchedFetch<In: Transport> {
    inner: In,
    watch: FetchWatch,
}

impl<In: Transport> WatchedFetch<In> {
    fn has_more(&mut self) -> bool {
        self.inner
            .buffers()
            .input()
            .iter()
            .any(|byte| !byte.is_ascii_whitespace())
    }
}

impl<In: Transport> Transport for WatchedFetch<In> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        self.inner.await_input(timeout)
    }

    fn is_open(&mut self) -> bool {
        // The connection is never reused, and a check would swallow a byte.
        false
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<In: Transport> Drop for WatchedFetch<In> {
    fn drop(&mut self) {
        let moment = NextTimeout {
            after: MOMENT.into(),
            reason: Timeout::RecvBody,
            per_read: None,
            per_write: None,
        };
        let more = self.has_more() || (self.inner.await_input(moment).is_ok() && self.has_more());
        self.watch.0.fetch_or(more, Ordering::Relaxed);
    }
}
