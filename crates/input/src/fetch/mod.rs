//! Fetches a site's robots.txt, or another file about its pages, from the site or from a copy on
//! disk.
//!
//! The rules follow RFC 9309, section 2.3.1. A 2xx answer is read. A 4xx answer, except 429, lets
//! everybody in. Five redirects are followed, also to other hosts. Everything else lets nobody in:
//! 429, 5xx, a sixth redirect, no connection, a timeout. So does a body that breaks off, goes on
//! after its end or cannot be unpacked. In such a case a copy of a robots.txt is used if it is at
//! most 30 days old. A copy of "there is none" is not used. All this holds for a tdmrep.json too,
//! except that one that cannot be fetched states nothing.
//!
//! Copies are good for 24 hours, then checked by `ETag` and `Last-Modified`; HTTP's own caching
//! rules are ignored. A copy from a later time than now counts as none. A robots.txt speaks to all
//! bots, so its copy serves every user agent. An answer that there is none, or that it is
//! forbidden, serves only the user agent that got it. The site may have rules for another bot. If a
//! site gave no answer, that is remembered for an hour, beside its copy.
//!
//! The content type is ignored. Only public addresses are asked, unless that is set otherwise,
//! since a page may name any host. This module never asks unless called, and never makes a second
//! request on its own. It never reads the clock, except to keep a timeout, nor the environment, so
//! it uses no proxy.

mod address;
mod ask;
mod cache;
mod pool;
mod tls;
mod watch;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use url::Url;

pub use ask::LEAST_BODY;
use ask::{Asker, FetchResponse, NoAnswer, Reply};
use cache::{Cache, CachedAnswer};
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, MOST_REDIRECTS};
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind, StatusMeaning};
#[doc(hidden)]
pub use pool::AT_ONCE;
#[doc(hidden)]
pub use pool::at_once;

/// The maximum age of a copy that is used when the site does not answer.
const STALE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long a copy is used without asking.
const FRESH: Duration = Duration::from_secs(24 * 3600);

/// Asks sites for their robots.txt. Reusable, `Send` and `Sync`.
///
/// ```no_run
/// use heedful_input::fetch::Fetcher;
/// use std::time::SystemTime;
///
/// let fetcher = Fetcher::new("FooBot/1.0 (+https://foo.example/bot)")?.cache("robots");
/// let page = url::Url::parse("https://site.example/any/page").unwrap();
/// let fetched = fetcher.robots(&page, SystemTime::now());
/// println!("{}: {:?}", fetched.how.name(), fetched.status);
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Fetcher {
    asker: Asker,
    cache: Option<Cache>,
    max_age: Duration,
}

impl Fetcher {
    /// A fetcher that sends `user_agent`, keeps no copies, waits fifteen seconds, and asks only
    /// public addresses.
    ///
    /// # Errors
    /// When the text cannot be sent as a header.
    pub fn new(user_agent: &str) -> Result<Self> {
        let asker = Asker::new(user_agent).ok_or_else(|| {
            Error::setting(format!(
                "`{}` cannot be sent as a user agent",
                user_agent.escape_debug()
            ))
        })?;
        Ok(Self {
            asker,
            cache: None,
            max_age: FRESH,
        })
    }

    /// Takes the timeout and the number of redirects from these limits.
    pub fn limits(self, limits: &Limits) -> Self {
        self.redirects(limits.redirects)
            .timeout(Duration::from_secs(limits.fetch_seconds))
    }

    /// Sets how many redirects are followed from one file to another; the default is five. More
    /// count as no answer.
    pub fn redirects(mut self, most: u64) -> Self {
        self.asker.redirects = most.min(MOST_REDIRECTS);
        self
    }

    /// Sets how long to wait for a site's answer, redirects included.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.asker.timeout = timeout;
        self
    }

    /// Allows private addresses, at any port: for those who run their own network. Without this
    /// only global unicast addresses are asked, at port 80, port 443 or the port of the site. Names
    /// and redirects cannot change that.
    pub fn allow_private(mut self) -> Self {
        self.asker.addresses.allow_private = true;
        self
    }

    /// Allows these addresses too, public or not: a part of one's own network.
    pub fn allow_also(
        mut self,
        addresses: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.asker.addresses.also = Some(Arc::new(addresses));
        self
    }

    /// Resolves names in this way instead of the system's. The results are checked like the
    /// system's.
    pub fn resolver(
        mut self,
        lookup: impl Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Self {
        self.asker.addresses.lookup = Some(Arc::new(lookup));
        self
    }

    /// Sets how many bytes of a body are fetched, unpacked; at least [`LEAST_BODY`]. The rest is
    /// left unread.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.asker.body_limit = bytes.max(LEAST_BODY);
        self
    }

    /// Keeps copies in this folder, which is created when needed. Other processes may use it at the
    /// same time, for other bots too: the copy of a robots.txt serves every user agent.
    pub fn cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cache = Some(Cache::new(folder.as_ref().to_owned()));
        self
    }

    /// Sets the age at which a copy is no longer used without asking; the default is 24 hours.
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// The robots.txt of the site of `url`, which may be any URL of it.
    pub fn robots(&self, url: &Url, now: SystemTime) -> Fetched {
        self.site_file(SiteFile::Robots, url, now)
    }

    /// This file of the site of `url`. A tdmrep.json is fetched like a robots.txt, except that one
    /// that cannot be fetched states nothing.
    pub fn site_file(&self, file: SiteFile, url: &Url, now: SystemTime) -> Fetched {
        let Some(url) = file.on_site_of(url) else {
            return Fetched::nothing(
                file,
                NoAnswer::new(None, format!("{url} has no site that could be asked")),
                None,
            );
        };
        let kept = self.cache.as_ref().and_then(|cache| cache.read(&url));
        let copy = kept
            .filter(|kept| self.may_use(kept))
            .and_then(|kept| CachedCopy::new(file, kept, now));
        match copy {
            Some(copy) if copy.age < self.max_age => copy.fetched(RulesOrigin::Cached, None),
            copy => self.ask(file, &url, copy, now),
        }
    }

    /// Fetches the document at a URL that pages name, such as an RSL licence; no copy is kept. A
    /// document that cannot be fetched says why. Who reads it must tell one that is there and could
    /// not be read from one that is not.
    pub fn document(&self, url: &Url) -> FetchedDocument {
        if !matches!(url.scheme(), "http" | "https") {
            return FetchedDocument::Absent("only http and https are asked".to_owned());
        }
        match self.asker.ask(url, None) {
            Ok(Reply::Whole(response)) if response.status == 206 => {
                FetchedDocument::Unread("only a part of it came".to_owned())
            }
            Ok(Reply::Whole(response)) if (200..300).contains(&response.status) => {
                FetchedDocument::Whole(response.body)
            }
            Ok(Reply::Whole(response)) => {
                FetchedDocument::Absent(format!("HTTP status {}", response.status))
            }
            Ok(Reply::Unchanged) => FetchedDocument::Absent("HTTP status 304".to_owned()),
            Err(failure)
                if failure
                    .status
                    .is_some_and(|status| (200..300).contains(&status)) =>
            {
                FetchedDocument::Unread(failure.why)
            }
            Err(failure) => FetchedDocument::Absent(failure.why),
        }
    }

    /// The robots.txt files of the sites of several URLs, fetched many at a time.
    pub fn robots_of_each(&self, urls: &[Url], now: SystemTime) -> Vec<Fetched> {
        let all: Vec<_> = urls.iter().map(|url| (url, OnceLock::new())).collect();
        at_once(&all, |(url, fetched)| {
            fetched.get_or_init(|| self.robots(url, now));
        });
        all.into_iter()
            .filter_map(|(_, fetched)| fetched.into_inner())
            .collect()
    }

    /// Returns true if a copy that some user agent got may be used for ours.
    fn may_use(&self, kept: &CachedAnswer) -> bool {
        kept.is_rules() || kept.agent == self.agent()
    }

    fn agent(&self) -> &str {
        self.asker.user_agent().trim()
    }

    fn ask(&self, file: SiteFile, url: &Url, copy: Option<CachedCopy>, now: SystemTime) -> Fetched {
        let source = Source::new(SourceKind::Fetched, url.as_str())
            .fetched_at(Some(now))
            .told_to(self.agent());
        let known = self
            .cache
            .as_ref()
            .and_then(|cache| cache.trouble(url, self.agent(), now, self.max_age));
        let answer = match known {
            Some((status, why)) => Err(NoAnswer::new(status, why)),
            None => self
                .asker
                .ask(url, copy.as_ref().map(|copy| &copy.kept))
                .inspect_err(|failure| {
                    if let Some(cache) = &self.cache {
                        // A failure that cannot be remembered costs only time.
                        let _ = cache.write_trouble(
                            url,
                            self.agent(),
                            now,
                            (failure.status, &failure.why),
                        );
                    }
                }),
        };
        match (answer, copy) {
            (Ok(Reply::Unchanged), Some(copy)) => {
                self.keep(file, url, copy.kept, (RulesOrigin::Revalidated, now))
            }
            (Ok(Reply::Whole(response)), _) => {
                self.keep(file, url, kept(response, now), (RulesOrigin::Fetched, now))
            }
            (Ok(Reply::Unchanged), None) => Fetched::nothing(
                file,
                NoAnswer::new(Some(304), "HTTP status 304".to_owned()),
                Some(source),
            ),
            (Err(failure), Some(copy)) if copy.may_stand_in() => {
                copy.fetched(RulesOrigin::Stale, Some(failure.why))
            }
            (Err(failure), _) => Fetched::nothing(file, failure, Some(source)),
        }
    }

    /// Keeps what the site answered now, if it can be kept.
    fn keep(
        &self,
        file: SiteFile,
        url: &Url,
        mut kept: CachedAnswer,
        (how, now): (RulesOrigin, SystemTime),
    ) -> Fetched {
        (kept.fetched, kept.agent) = (now, self.agent().to_owned());
        let written = self
            .cache
            .as_ref()
            .map_or(Ok(()), |cache| cache.write(url, &kept));
        let trouble = written
            .err()
            .map(|error| format!("the copy could not be kept: {error}"));
        CachedCopy {
            file,
            kept,
            age: Duration::ZERO,
        }
        .fetched(how, trouble)
    }
}

fn kept(response: FetchResponse, now: SystemTime) -> CachedAnswer {
    let FetchResponse {
        url,
        status,
        etag,
        modified,
        body,
    } = response;
    CachedAnswer {
        url,
        status,
        fetched: now,
        agent: String::new(),
        etag,
        modified,
        body,
    }
}

/// A copy and its age.
struct CachedCopy {
    file: SiteFile,
    kept: CachedAnswer,
    age: Duration,
}

impl CachedCopy {
    fn new(file: SiteFile, kept: CachedAnswer, now: SystemTime) -> Option<Self> {
        let age = now.duration_since(kept.fetched).ok()?;
        Some(Self { file, kept, age })
    }

    /// Returns true if the copy may be used when the site does not answer.
    fn may_stand_in(&self) -> bool {
        self.age <= STALE && self.kept.is_rules()
    }

    fn fetched(self, how: RulesOrigin, trouble: Option<String>) -> Fetched {
        let CachedAnswer {
            url,
            status,
            fetched,
            agent,
            body,
            ..
        } = self.kept;
        let source = Source::new(how.kind(), url)
            .fetched_at(Some(fetched))
            .with_status(Some(status))
            .told_to(agent);
        let robots = self
            .file
            .read_response(status, &body)
            .with_response(Some(status), &body)
            .came_from(source);
        Fetched {
            robots,
            how,
            status: Some(status),
            age: self.age,
            trouble,
        }
    }
}

/// A document that pages name, as its URL answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchedDocument {
    /// Its bytes, all of them as far as the limit for bodies lets them be fetched.
    Whole(Vec<u8>),
    /// It is there and could not be fetched whole, for this reason. It may deny anything.
    Unread(String),
    /// There is none, or it could not be asked for, for this reason.
    Absent(String),
}

/// The origin of the rules in a [`Fetched`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesOrigin {
    /// The site sent it now, or did not answer.
    Fetched,
    /// A copy that is still fresh.
    Cached,
    /// A copy that is still good, according to the site.
    Revalidated,
    /// An old copy, because the site does not answer.
    Stale,
}

heedful_base::display!(RulesOrigin);

impl RulesOrigin {
    /// The stable name of the rule.
    pub fn name(self) -> &'static str {
        self.kind().name()
    }

    fn kind(self) -> SourceKind {
        match self {
            Self::Fetched => SourceKind::Fetched,
            Self::Cached => SourceKind::Cached,
            Self::Revalidated => SourceKind::Revalidated,
            Self::Stale => SourceKind::Stale,
        }
    }
}

/// The robots.txt of a site, and how it was obtained.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// The rules. They let nobody in if nothing could be obtained.
    pub robots: RobotsTxt,
    /// The origin of the rules.
    pub how: RulesOrigin,
    /// The status of the answer that they are from; None if there was no answer.
    pub status: Option<u16>,
    /// The age of that answer.
    pub age: Duration,
    /// What went wrong, for people: why the site gave no answer, or why a copy could not be
    /// kept.
    pub trouble: Option<String>,
}

impl Fetched {
    fn nothing(file: SiteFile, failure: NoAnswer, source: Option<Source>) -> Self {
        let robots = match failure.status {
            Some(status) if StatusMeaning::from_status(status) != StatusMeaning::Rules => {
                file.read_response(status, b"")
            }
            None if file != SiteFile::Robots => file.read_response(404, b""),
            _ => file.unreadable("it is there and could not be fetched whole"),
        };
        let robots = match source {
            Some(source) => robots.came_from(source.with_status(failure.status)),
            None => robots,
        };
        Self {
            robots,
            how: RulesOrigin::Fetched,
            status: failure.status,
            age: Duration::ZERO,
            trouble: Some(failure.why),
        }
    }
}
