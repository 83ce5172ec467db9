//! Whether a site sent more than it said it would: a Content-Length that is too short would hide rules.
//!
//! HTTP (RFC 9112, section 6.3) ends the body where its length says, and the client looks no further. So its connection
//! is wrapped, and looked at when the client is done with it. Blanks are no rules, and some servers send them after a
//! body. What comes later than a moment after the body is missed. What this file never does: touch what is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};
use ureq::{Error, Timeout};

/// How long the rest is waited for. A server that closes, as it is asked to, ends the waiting.
const MOMENT: Duration = Duration::from_millis(100);

/// Wraps connections, and remembers whether more came over one than was read of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch(Arc<AtomicBool>);

impl Watch {
    /// Whether more came. Says something only where the body was read to its end, and the connection is gone.
    pub(super) fn more_came(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<In: Transport> Connector<In> for Watch {
    type Out = Watched<In>;

    fn connect(&self, _: &ConnectionDetails<'_>, chained: Option<In>) -> Result<Option<Watched<In>>, Error> {
        Ok(chained.map(|inner| Watched { inner, watch: self.clone() }))
    }
}

#[derive(Debug)]
pub(super) struct Watched<In: Transport> {
    inner: In,
    watch: Watch,
}

impl<In: Transport> Watched<In> {
    fn has_more(&mut self) -> bool {
        self.inner.buffers().input().iter().any(|byte| !byte.is_ascii_whitespace())
    }
}

impl<In: Transport> Transport for Watched<In> {
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
        // Never used again; and to find out would swallow a byte.
        false
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}

impl<In: Transport> Drop for Watched<In> {
    fn drop(&mut self) {
        let moment = NextTimeout { after: MOMENT.into(), reason: Timeout::RecvBody, per_read: None, per_write: None };
        let more = self.has_more() || (self.inner.await_input(moment).is_ok() && self.has_more());
        self.watch.0.fetch_or(more, Ordering::Relaxed);
    }
}
