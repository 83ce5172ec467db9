//! Many pages: gate, read, filter, in parallel, with the answers in the order of the input.
//!
//! One thread reads, `jobs` threads filter, and the caller's thread takes the answers. A fixed number of pages is
//! under way at any time, so memory does not grow with the input. A page that makes the program panic is an error of
//! that page alone.

mod gate;
mod names;
mod purge;
mod settle;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::input::{Damage, Document, Input, Item, Origin, Skip};
use crate::page::Page;

pub use gate::{AtTheGate, Gate};
pub use names::NamesPages;
pub use purge::{Dropped, Purge, Purged};
pub use settle::{Settled, settle};

/// More threads than this help nobody.
const MOST_JOBS: usize = 256;

/// What became of one record of an input.
#[derive(Debug)]
pub enum Outcome<T = Filtered> {
    /// A page, and what was made of it.
    Pages(T),
    /// A page of which nothing is used.
    Failed {
        /// Its URL.
        url: String,
        /// Where it stands.
        origin: Origin,
        /// Why.
        error: Error,
    },
    /// A record that is no page; its URL, where it has one.
    Skipped(Skip, Option<String>),
    /// A record that could not be read.
    Damage(Damage),
}

impl<T> Outcome<T> {
    /// The URL of a record that gave no page, where it is known.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Pages(_) => None,
            Self::Failed { url, .. } => Some(url),
            Self::Skipped(_, url) => url.as_deref(),
            Self::Damage(damage) => damage.url(),
        }
    }
}

/// A page that was filtered.
#[derive(Debug)]
pub struct Filtered {
    /// One for each bot.
    pub pages: Vec<Page>,
    /// Bytes of HTML.
    pub bytes: usize,
    /// The site, if no robots.txt was at hand for it.
    pub without_robots: Option<String>,
    /// What the response's `Date` says.
    pub date: Option<String>,
}

/// Filters all pages and hands each outcome to `take`, in order.
///
/// # Errors
/// As for [`each`].
pub fn run(
    inputs: &[Input],
    filter: &Filter,
    gate: &Gate,
    headers: &[(String, String)],
    jobs: usize,
    take: impl FnMut(Outcome) -> Result<()>,
) -> Result<()> {
    each(inputs, gate, jobs, |document, at_the_gate| filtered(document, at_the_gate, filter, headers), take)
}

/// Reads all inputs, makes of each page what `work` makes, and hands each outcome to `take`, in order.
///
/// # Errors
/// When an input cannot be read at all, or `take` fails; the rest is not read then.
pub fn each<T: Send>(
    inputs: &[Input],
    gate: &Gate,
    jobs: usize,
    work: impl Fn(&Document, AtTheGate<'_>) -> Result<T> + Sync,
    mut take: impl FnMut(Outcome<T>) -> Result<()>,
) -> Result<()> {
    let jobs = jobs.clamp(1, MOST_JOBS);
    let under_way = jobs * 8;
    let (items_in, items_out) = bounded::<(u64, Item)>(under_way);
    let (done_in, done_out) = bounded::<(u64, Outcome<T>)>(under_way);
    let (permits_in, permits_out) = bounded::<()>(under_way);
    for _ in 0..under_way {
        let _ = permits_in.send(());
    }
    thread::scope(|scope| {
        let reader = scope.spawn(move || read(inputs, &items_in, &permits_out));
        for _ in 0..jobs {
            let (items, done, work) = (items_out.clone(), done_in.clone(), &work);
            scope.spawn(move || {
                for (number, item) in items {
                    if done.send((number, outcome(item, gate, work))).is_err() {
                        return;
                    }
                }
            });
        }
        drop((items_out, done_in));
        let taken = in_order(&done_out, &permits_in, &mut take);
        drop((done_out, permits_in));
        let read = reader.join().unwrap_or_else(|_| Err(ErrorKind::Internal("the reader panicked".to_owned()).into()));
        taken.and(read)
    })
}

fn read(inputs: &[Input], items: &Sender<(u64, Item)>, permits: &Receiver<()>) -> Result<()> {
    let mut number = 0;
    for input in inputs {
        for item in input.items()? {
            if permits.recv().is_err() || items.send((number, item)).is_err() {
                return Ok(());
            }
            number += 1;
        }
    }
    Ok(())
}

fn in_order<T>(
    done: &Receiver<(u64, Outcome<T>)>,
    permits: &Sender<()>,
    take: &mut impl FnMut(Outcome<T>) -> Result<()>,
) -> Result<()> {
    let mut waiting = HashMap::new();
    let mut next = 0;
    for (number, outcome) in done {
        waiting.insert(number, outcome);
        while let Some(outcome) = waiting.remove(&next) {
            next += 1;
            take(outcome)?;
            let _ = permits.try_send(());
        }
    }
    Ok(())
}

fn outcome<T>(item: Item, gate: &Gate, work: impl Fn(&Document, AtTheGate<'_>) -> Result<T>) -> Outcome<T> {
    let document = match item {
        Item::Document(document) => document,
        Item::Skipped(skip, url) => return Outcome::Skipped(skip, url),
        Item::Damage(damage) => return Outcome::Damage(damage),
    };
    let made = catch_unwind(AssertUnwindSafe(|| work(&document, gate.for_page(&document))));
    let made = made.unwrap_or_else(|panic| {
        let message =
            panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|m| (*m).into()));
        Err(ErrorKind::Internal(message.unwrap_or_default()).into())
    });
    match made {
        Ok(made) => Outcome::Pages(made),
        Err(error) => Outcome::Failed { url: document.url().to_owned(), origin: document.origin().clone(), error },
    }
}

fn filtered(
    document: &Document,
    at_the_gate: AtTheGate<'_>,
    filter: &Filter,
    headers: &[(String, String)],
) -> Result<Filtered> {
    let mut pass = filter.open(document.url())?;
    for robots in at_the_gate.robots {
        pass.robots_txt(&robots);
    }
    for (name, value) in document.headers().iter().chain(headers) {
        pass.header(name, value);
    }
    if document.is_decoded() {
        pass.is_utf8();
    }
    let bytes = document.bytes();
    pass.write(bytes)?;
    let date = document.headers().iter().find(|(name, _)| name.eq_ignore_ascii_case("date"));
    let date = date.map(|(_, value)| value.clone());
    Ok(Filtered { pages: pass.end_each()?, bytes: bytes.len(), without_robots: at_the_gate.without, date })
}
