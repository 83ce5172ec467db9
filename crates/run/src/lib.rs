//! Reads, judges and filters many pages in parallel. The results are passed to the caller in the
//! order of the input.
//!
//! One thread reads the inputs, `jobs` threads filter pages, and the caller's thread receives the
//! results. With one job, the caller's thread does all of it, one page after the other, because
//! handing pages and results to other threads costs processor time. The number of pages in memory
//! is fixed, and a limit bounds their bytes, so memory does not grow with the input. A panic while
//! a page is filtered is an error of that page alone. This crate decides nothing about a page: it
//! passes the rules of a site to the filter. The text that the filter emits goes to an index, a
//! mask or a census.

mod absent_pages;
mod apply;
mod census;
mod change;
mod change_effects;
mod changes_since;
mod cursor;
mod earlier_responses;
mod feed;
mod gate;
mod judge;
mod late_pages;
mod licences;
pub mod mask;
mod named_documents;
mod names;
mod odd_lines;
mod outcome;
mod pagefind;
mod purge;
mod purge_result;
mod response_dates;
mod responses;
mod run_memory;
mod shelf;
mod site_requests;
mod survey;
mod takedown;
mod unread_pages;
mod work;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::SystemTime;

use crossbeam_channel::{Receiver, Sender, bounded};
use url::Url;

use heedful::Filter;
use heedful_base::address::is_same_page;
use heedful_base::error::{ErrorKind, Result};
use heedful_base::limits::Limits;
use heedful_census::{Census, Counter};
use heedful_input::fetch::AT_ONCE;
use heedful_input::{FetchedPage, Input, Item, Items, Position};

pub use absent_pages::{AbsentPages, WholeSite};
pub use apply::{IndexChange, IndexEffect, apply_outcome};
pub use census::{CountedRunPage, record};
pub use change::Change;
pub use changes_since::changes_since;
pub use cursor::Cursor;
pub use gate::{Gate, GateRules};
pub use late_pages::LatePages;
pub use licences::licences;
pub use names::NamesPages;
pub use outcome::{Filtered, Outcome};
pub use purge::{Purge, withdraw};
pub use purge_result::{Purged, RemovedPage};
pub use survey::{survey, survey_archive, survey_for_evidence};
pub use unread_pages::UrlPolicies;
pub use work::{explained, filtered, judged, linted};

use run_memory::{MOST_JOBS, PageMemory, Share, bytes_under_way};
use work::{outcome, panicked};

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// A filter run over the pages of all inputs. It begins at the first page, or at the position where
/// an interrupted run stopped.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::{Outcome, Run, survey};
/// use heedful::{Bot, Filter, Url};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private")?;
/// std::fs::write(folder.path().join("private.html"), "<p>private")?;
/// std::fs::write(folder.path().join("rye.html"), "<p>Rye <!--noindex-->and rue<!--/noindex-->")?;
///
/// let inputs = Inputs::default().url("https://example.com/".parse::<Url>()?).open(&[folder.path()])?;
/// let (gate, filter) = survey(&inputs, Filter::new(Bot::new("FooBot")?))?;
/// let mut phrases = Vec::new();
/// Run::new(&inputs, &gate, 2).filter(&filter, |outcome, _| {
///     if let Outcome::Pages(filtered) = outcome {
///         phrases.extend(filtered.pages[0].phrases().to_vec());
///     }
///     Ok(())
/// })?;
/// assert_eq!(phrases, ["Rye"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Run<'a> {
    inputs: &'a [Input],
    gate: &'a Gate,
    jobs: usize,
    from: Cursor,
    headers: &'a [(String, String)],
    only: Option<&'a Url>,
    now: Option<SystemTime>,
    stop: Option<&'a AtomicBool>,
    bytes_under_way: Option<u64>,
}

/// An item of an input, or the result of filtering that item, with the item's number in the run.
struct Numbered<T> {
    number: u64,
    /// Position in the inputs after this item.
    after: Cursor,
    /// Bytes of the run's memory budget that are reserved for this item. They are released when the
    /// caller of the run has received the result.
    share: Share,
    value: T,
}

impl<T> Numbered<T> {
    fn map<U>(self, make: impl FnOnce(T, u64) -> U) -> Numbered<U> {
        Numbered {
            number: self.number,
            after: self.after,
            share: self.share,
            value: make(self.value, self.number),
        }
    }
}

impl<'a> Run<'a> {
    /// Creates a run over all of the inputs. Up to `jobs` threads filter pages. If `jobs` is 1, the
    /// caller's thread reads and filters all pages.
    ///
    /// If the gate requests files from sites while a pipe is read, the run starts more than `jobs`
    /// threads. Most of these threads wait for responses.
    pub fn new(inputs: &'a [Input], gate: &'a Gate, jobs: usize) -> Self {
        let jobs = jobs.clamp(1, MOST_JOBS);
        let waits = gate.is_asking() && inputs.iter().any(Input::is_stream);
        // Sites are asked while their pages come out of a pipe, so most threads wait for an answer.
        let jobs = if waits { jobs.max(AT_ONCE) } else { jobs };
        let from = Cursor::default();
        Self {
            inputs,
            gate,
            jobs,
            from,
            headers: &[],
            only: None,
            now: None,
            stop: None,
            bytes_under_way: None,
        }
    }

    /// Sets the limit on the total bytes of the pages in memory. By default, [`Run::filter`] uses
    /// the limit of its filter, and all other methods use the lowest limit of the inputs.
    pub fn limits(mut self, limits: &Limits) -> Self {
        self.bytes_under_way = Some(limits.bytes_under_way);
        self
    }

    fn under_way(&self) -> PageMemory {
        let of_inputs = || bytes_under_way(self.inputs);
        PageMemory::new(self.bytes_under_way.unwrap_or_else(of_inputs))
    }

    /// Makes the run start at the cursor where another run over the same inputs stopped.
    pub fn starting_at(mut self, cursor: Cursor) -> Self {
        self.from = cursor;
        self
    }

    /// Adds header lines to the HTTP response of every page. A header line is a pair of name and
    /// value.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Url, Use};
    /// use heedful_input::Inputs;
    /// use heedful_run::{Gate, Outcome, Run};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// let site: Url = "https://site.example/".parse()?;
    /// let inputs = Inputs::default().url(site).open(&[folder.path()])?;
    /// let headers = [("x-robots-tag".to_owned(), "noarchive".to_owned())];
    /// let mut archived = Vec::new();
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let gate = Gate::default();
    /// Run::new(&inputs, &gate, 1).headers(&headers).filter(&filter, |outcome, _| {
    ///     if let Outcome::Pages(filtered) = outcome {
    ///         archived.push(filtered.pages[0].policy().allows(Use::Archive));
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(archived, [false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn headers(mut self, headers: &'a [(String, String)]) -> Self {
        self.headers = headers;
        self
    }

    /// Makes the run read only the pages at `url`. The fragment of `url` is ignored. Damaged
    /// records and records without a URL are also read, since each of them may be a page at `url`.
    /// If `url` is `None`, the run reads all pages.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Url};
    /// use heedful_input::Inputs;
    /// use heedful_run::{Gate, Outcome, Run};
    ///
    /// let folder = tempfile::tempdir()?;
    /// for page in ["rye.html", "oats.html"] {
    ///     std::fs::write(folder.path().join(page), "<p>bread")?;
    /// }
    /// let site: Url = "https://site.example/".parse()?;
    /// let inputs = Inputs::default().url(site).open(&[folder.path()])?;
    /// let wanted: Url = "https://site.example/oats.html#top".parse()?;
    /// let mut urls = Vec::new();
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let gate = Gate::default();
    /// Run::new(&inputs, &gate, 1).only(&wanted).filter(&filter, |outcome, _| {
    ///     if let Outcome::Pages(filtered) = outcome {
    ///         urls.push(filtered.pages[0].url().to_owned());
    ///     }
    ///     Ok(())
    /// })?;
    /// assert_eq!(urls, ["https://site.example/oats.html"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn only(mut self, url: impl Into<Option<&'a Url>>) -> Self {
        self.only = url.into();
        self
    }

    /// Sets the current time. If the capture date of a page is more than a day later than `now`,
    /// this date is ignored as wrong.
    pub fn now(mut self, now: SystemTime) -> Self {
        self.now = Some(now);
        self
    }

    /// Makes the run stop reading once `stop` is set. Items that were already read are still
    /// filtered and passed to the caller.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use heedful::{Bot, Filter, Url};
    /// use heedful_input::Inputs;
    /// use heedful_run::{Gate, Run};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::write(folder.path().join("rye.html"), "<p>Rye")?;
    /// let site: Url = "https://site.example/".parse()?;
    /// let inputs = Inputs::default().url(site).open(&[folder.path()])?;
    /// let stop = AtomicBool::new(true); // such as by a signal
    /// let mut outcomes = 0;
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let gate = Gate::default();
    /// Run::new(&inputs, &gate, 1).until(&stop).filter(&filter, |_, _| {
    ///     outcomes += 1;
    ///     Ok(())
    /// })?;
    /// assert_eq!(outcomes, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn until(mut self, stop: &'a AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Filters all pages of the inputs. For each record, calls `take` with the outcome and the
    /// cursor after this record. The records are in input order.
    ///
    /// # Errors
    /// Fails if an input cannot be read at all, or with the error that `take` returns. The
    /// remaining records are then not read. An error of a single page does not end the run: it is
    /// an [`Outcome`].
    pub fn filter(
        mut self,
        filter: &Filter,
        take: impl FnMut(Outcome, Cursor) -> Result<()>,
    ) -> Result<()> {
        self.bytes_under_way
            .get_or_insert(filter.get_limits().bytes_under_way);
        self.weighed(
            |document, gate_rules| filtered(document, gate_rules, filter),
            Filtered::weight,
            take,
        )
    }

    /// Calls `work` for each page of the inputs. For each record, calls `take` with the outcome and
    /// the cursor after this record. The records are in input order.
    ///
    /// # Errors
    /// Fails if an input cannot be read at all, or with the error that `take` returns. The
    /// remaining records are then not read. An error that `work` returns does not end the run: it
    /// is an [`Outcome::Failed`].
    pub fn each<T: Send>(
        self,
        work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T> + Sync,
        take: impl FnMut(Outcome<T>, Cursor) -> Result<()>,
    ) -> Result<()> {
        self.weighed(work, |_| 0, take)
    }

    /// Counts all pages of the inputs for a census. Adds the outcome of each record to `census`.
    /// Then calls `take` with the outcome and the cursor after this record.
    ///
    /// # Errors
    /// Fails if an input cannot be read at all, or with the error that `take` returns. The
    /// remaining records are then not read.
    pub fn count(
        self,
        counter: &Counter,
        census: &mut Census,
        mut take: impl FnMut(Outcome<CountedRunPage>, Cursor) -> Result<()>,
    ) -> Result<()> {
        self.each(
            |document, gate_rules| census::counted(document, &gate_rules, counter),
            |outcome, cursor| {
                record(census, &outcome);
                take(outcome, cursor)
            },
        )
    }

    /// Calls `work` for each page of the inputs, like [`Run::each`]. If there are several threads,
    /// reserves memory for each result in the budget of the run. `weight` returns the size of a
    /// result in bytes. The memory is released after `take` has received the result.
    fn weighed<T: Send>(
        self,
        work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T> + Sync,
        weight: impl Fn(&T) -> u64 + Sync,
        mut take: impl FnMut(Outcome<T>, Cursor) -> Result<()>,
    ) -> Result<()> {
        if self.gate.is_asking() {
            let ahead = &self.inputs[self.from.input.min(self.inputs.len())..];
            let sites = survey::sites(ahead, |url| {
                self.only.is_none_or(|only| is_same_page(url, only))
            })?;
            self.gate.ask_ahead(sites, self.stop);
        }
        if self.jobs == 1 {
            return self.read(|item, number, cursor| {
                let outcome = outcome(item, number, self.gate, self.headers, &work);
                take(outcome, cursor).map(|()| true)
            });
        }
        self.in_threads(&work, &weight, &mut take)
    }

    /// Does the work of [`Run::weighed`] in `jobs` threads, while another thread reads the inputs.
    fn in_threads<T: Send>(
        &self,
        work: &(impl Fn(&FetchedPage, GateRules<'_>) -> Result<T> + Sync),
        weight: &(impl Fn(&T) -> u64 + Sync),
        take: &mut impl FnMut(Outcome<T>, Cursor) -> Result<()>,
    ) -> Result<()> {
        let under_way = self.jobs * 8;
        let (items_in, items_out) = bounded::<Numbered<Item>>(under_way);
        let (done_in, done_out) = bounded::<Numbered<Outcome<T>>>(under_way);
        let (permits_in, permits_out) = bounded::<()>(under_way);
        for _ in 0..under_way {
            let _ = permits_in.send(());
        }
        let bytes = &self.under_way();
        thread::scope(|scope| {
            let reader = scope.spawn(move || {
                self.read(|value, number, after| {
                    let permit = permits_out.recv();
                    let share = bytes.enter(length(&value));
                    let item = Numbered {
                        number,
                        after,
                        share,
                        value,
                    };
                    Ok(permit.is_ok() && items_in.send(item).is_ok())
                })
            });
            for _ in 0..self.jobs {
                let items = items_out.clone();
                let done = done_in.clone();
                scope.spawn(move || {
                    for mut item in items {
                        item.share.begin(item.number);
                        let mut result = item.map(|item, number| {
                            outcome(item, number, self.gate, self.headers, work)
                        });
                        result.share.end(result.value.result().map_or(0, weight));
                        if done.send(result).is_err() {
                            return;
                        }
                    }
                });
            }
            drop((items_out, done_in));
            let taken = in_order(&done_out, &permits_in, bytes, take);
            drop((done_out, permits_in));
            bytes.close();
            let read = match reader.join() {
                Ok(read) => read,
                Err(_) => Err(ErrorKind::Internal("the reader panicked".to_owned()).into()),
            };
            taken.and(read)
        })
    }

    /// True if the run must read this item of an input. If [`Run::only`] was called, the run reads
    /// only items that may be pages at the given URL. Otherwise the run reads all items.
    fn wants(&self, item: &Item) -> bool {
        let Some(only) = self.only else {
            return true;
        };
        if matches!(item, Item::Damage(_)) {
            return true;
        }
        match item.url().map(Url::parse) {
            None => true,
            Some(Ok(url)) => is_same_page(&url, only),
            Some(Err(_)) => false,
        }
    }

    /// Reads the inputs. Calls `give` with each item, the number of the item, and the position
    /// after the item. Stops if `give` returns false.
    fn read(&self, mut give: impl FnMut(Item, u64, Cursor) -> Result<bool>) -> Result<()> {
        let mut number = 0;
        for source in self.inputs.iter().take(self.from.input) {
            source.forget_survey();
        }
        for (input, source) in self.inputs.iter().enumerate().skip(self.from.input) {
            let start = Position::default();
            let from = if input == self.from.input {
                &self.from.position
            } else {
                &start
            };
            let mut found = guarded(source, source.items_after_survey(from)?);
            while let Some((mut value, position)) = found() {
                if let Some(stop) = self.stop
                    && stop.load(Ordering::Relaxed)
                {
                    return Ok(());
                }
                if let Some(now) = self.now {
                    value.forget_future_date(now);
                }
                if let Item::Robots(robots) = value {
                    // The gate has already read the robots.txt files of inputs that can be read
                    // twice.
                    if source.is_stream() {
                        self.gate.add_robots_before(number, robots);
                    }
                    continue;
                }
                if !self.wants(&value) {
                    continue;
                }
                if !give(value, number, Cursor { input, position })? {
                    return Ok(());
                }
                number += 1;
            }
        }
        Ok(())
    }
}

/// Returns a closure that returns the next item of an input at each call. A panic while reading
/// becomes a damaged record, which is the last item.
fn guarded(source: &Input, mut items: Items) -> impl FnMut() -> Option<(Item, Position)> {
    let mut last = Position::default();
    let mut is_over = false;
    move || {
        if is_over {
            return None;
        }
        let found = catch_unwind(AssertUnwindSafe(|| {
            let found = items.next();
            #[cfg(debug_assertions)]
            if let Some((Item::Document(document), _)) = &found {
                work::planted(document, "#reader");
            }
            found
        }));
        let found = match found {
            Ok(found) => found,
            Err(panic) => {
                is_over = true;
                Some((source.given_up(panicked(&*panic)), last.clone()))
            }
        };
        if let Some((_, position)) = &found {
            last.clone_from(position);
        }
        found
    }
}

/// Returns the number of bytes of the page in an item of an input. Returns 0 if the item is not a
/// page.
fn length(item: &Item) -> u64 {
    match item {
        Item::Document(document) | Item::Unchanged(document) => document.bytes().len() as u64,
        _ => 0,
    }
}

/// Filters a single item, without a [`Run`] over inputs. A panic becomes an error of that page. If
/// the item is a robots.txt, it is skipped. Add the robots.txt files of a site to the [`Gate`]
/// before its pages are filtered.
pub fn filter_item(item: Item, filter: &Filter, gate: &Gate) -> Outcome {
    one_with(item, gate, &[], |document, gate_rules| {
        filtered(document, gate_rules, filter)
    })
}

/// Calls `work` for a single item, without a [`Run`] over inputs. `headers` are added to the HTTP
/// headers of the item. A panic becomes an error of that page. If the item is a robots.txt, it is
/// skipped. Add the robots.txt files of a site to the [`Gate`] before its pages are passed to this
/// function.
///
/// ```
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, Outcome, one_with};
///
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Rye".to_owned());
/// let mut sizes = Vec::new();
/// for item in row.into_items("table", 1) {
///     let outcome = one_with(item, &Gate::default(), &[], |page, _| Ok(page.bytes().len()));
///     if let Outcome::Pages(size) = outcome {
///         sizes.push(size);
///     }
/// }
/// assert_eq!(sizes, [6]);
/// ```
pub fn one_with<T>(
    item: Item,
    gate: &Gate,
    headers: &[(String, String)],
    work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T>,
) -> Outcome<T> {
    outcome(item, u64::MAX, gate, headers, work)
}

/// Counts a single item for a census, without a [`Run`] over inputs. A panic becomes an error of
/// that page. If the item is a robots.txt, it is skipped. Add the robots.txt files of a site to the
/// [`Gate`] before its pages are counted.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::Counter;
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, count_one, record};
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Rye".to_owned());
/// for item in row.into_items("table", 1) {
///     record(&mut census, &count_one(item, &counter, &Gate::default()));
/// }
/// assert_eq!(census.sites(), 1);
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn count_one(item: Item, counter: &Counter, gate: &Gate) -> Outcome<CountedRunPage> {
    one_with(item, gate, &[], |document, gate_rules| {
        census::counted(document, &gate_rules, counter)
    })
}

/// Calls `take` with the outcomes in the order of the inputs. After each call, permits the reading
/// thread to read one more item.
fn in_order<T>(
    done: &Receiver<Numbered<Outcome<T>>>,
    permits: &Sender<()>,
    bytes: &PageMemory,
    take: &mut impl FnMut(Outcome<T>, Cursor) -> Result<()>,
) -> Result<()> {
    let mut waiting = HashMap::new();
    let mut next = 0;
    for numbered in done {
        waiting.insert(numbered.number, numbered);
        while let Some(numbered) = waiting.remove(&next) {
            next += 1;
            bytes.set_next_page(next);
            take(numbered.value, numbered.after)?;
            let _ = permits.try_send(());
        }
    }
    Ok(())
}
