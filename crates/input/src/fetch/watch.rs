//! Detects whether a site sent more than it announced: a Content-Length that is too short would
//! hide rules.
//!
//! HTTP (RFC 9112, section 6.3) ends the body where its length states, and the client looks no
//! further. So its connection is wrapped, and checked when the client is done with it. White space
//! is ignored: it holds no rules, and some servers send it after a body. Bytes that come more than
//! a moment after the body are missed. This file never changes what is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// How long to wait for more bytes. A server that closes the connection, as it is asked to, ends
/// the wait.
const MOMENT: Duration = Duration::from_millis(100);

/// Wraps connections, and remembers whether more came than was read.
#[derive(Clone, Debug, Default)]
pub(super) struct FetchWatch(Arc<AtomicBool>);

impl FetchWatch {
    /// Returns true if more came. The answer counts only after the body was read to its end and the
    /// connection is gone.
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
