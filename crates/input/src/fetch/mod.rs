//! Fetches a site's robots.txt, or another site file, over HTTP or from a copy on disk.
//!
//! The rules for responses follow RFC 9309, section 2.3.1. A 2xx response is parsed. A 4xx
//! response, except 429, allows everything. Up to five redirects are followed, also to other hosts.
//! Everything else forbids everything: 429, 5xx, a sixth redirect, no connection, a timeout, and a
//! body that is truncated, longer than declared or impossible to unpack. In these cases, a copy of
//! the robots.txt that is at most 30 days old is used instead. A stored status "not found" is never
//! used instead. The same rules apply to a tdmrep.json, with one exception: a tdmrep.json that
//! cannot be fetched states nothing.
//!
//! Copies of site files are used for 24 hours without a request, then revalidated by `ETag` and
//! `Last-Modified`; HTTP's own caching rules are ignored. A copy with a time in the future is
//! ignored. A robots.txt addresses all bots, so its copy serves every user agent. A response "not
//! found" or "forbidden" serves only the user agent that received it, because a site may respond to
//! other bots differently. A failed request is remembered for an hour, in a file beside the copy.
//!
//! The content type of a response is ignored. Only public addresses are contacted unless the caller
//! allows others, since a page may name any host. This module sends a request only when called, and
//! never retries. It reads the clock only for timeouts. It never reads the environment, so it uses
//! no proxy.

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
use ask::{Asker, FetchFailure, FetchResponse, Reply};
use cache::{Cache, CachedResponse};
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, MOST_REDIRECTS};
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind, StatusMeaning};
#[doc(hidden)]
pub use pool::AT_ONCE;
#[doc(hidden)]
pub use pool::at_once;

/// Maximum age at which a stored copy of a site file is still used if the site does not respond.
const STALE: Duration = Duration::from_secs(30 * 24 * 3600);
/// Default age below which a stored copy of a site file is used without a request.
const FRESH: Duration = Duration::from_secs(24 * 3600);

/// An HTTP client that fetches the robots.txt files and other site files of sites. It can be used
/// many times, and is `Send` and `Sync`.
///
/// ```
/// # use std::io::{Read, Write};
/// # fn site(response: &'static str) -> url::Url {
/// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
/// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
/// #     std::thread::spawn(move || for stream in listener.incoming() {
/// #         let mut stream = stream.unwrap();
/// #         let _ = stream.read(&mut [0; 4096]);
/// #         let _ = stream.write_all(response.as_bytes());
/// #     });
/// #     url
/// # }
/// use std::time::SystemTime;
///
/// use heedful_input::fetch::Fetcher;
///
/// let page = site("HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nUser-agent: *\nDisallow: /\n");
/// // A server on this machine is not at a public address.
/// let fetcher = Fetcher::new("FooBot/1.0 (+https://foo.example/bot)")?.allow_private();
/// let fetched = fetcher.robots(&page, SystemTime::now());
///
/// assert_eq!((fetched.rules_source.name(), fetched.status), ("fetched", Some(200)));
/// assert!(!fetched.robots.ruling(&"FooBot".parse()?, page.as_str()).allowed());
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
    /// Creates an HTTP client that sends `user_agent`. The client stores no copies of responses. It
    /// has a timeout of 15 seconds, and contacts only public addresses.
    ///
    /// # Errors
    /// A setting error if `user_agent` is blank or cannot be sent as a header.
    ///
    /// ```
    /// use heedful_input::fetch::Fetcher;
    ///
    /// assert!(Fetcher::new("FooBot/1.0").is_ok());
    /// assert!(Fetcher::new("FooBot\r\nCookie: a").is_err());
    /// ```
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

    /// Sets the timeout and the maximum number of redirects to the values in `limits`.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_base::limits::Limits;
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let page = site("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    /// let mut limits = Limits::default();
    /// limits.redirects = 0;
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private().limits(&limits);
    /// let fetched = fetcher.robots(&page, SystemTime::now());
    ///
    /// assert_eq!(fetched.trouble.as_deref(), Some("more than 0 redirects"));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn limits(self, limits: &Limits) -> Self {
        self.redirects(limits.redirects)
            .timeout(Duration::from_secs(limits.fetch_seconds))
    }

    /// Sets the maximum number of redirects for one request; the default is five. A site that
    /// redirects more often is handled like a site that does not respond.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let page = site("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private().redirects(1);
    /// let fetched = fetcher.robots(&page, SystemTime::now());
    ///
    /// assert_eq!(fetched.trouble.as_deref(), Some("more than 1 redirects"));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn redirects(mut self, most: u64) -> Self {
        self.asker.redirects = most.min(MOST_REDIRECTS);
        self
    }

    /// Sets the timeout for fetching a file of one site, including all redirects.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// // This site accepts connections, but never answers.
    /// let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// let page = url::Url::parse(&format!("http://{}/rye", silent.local_addr()?))?;
    /// let fetcher = Fetcher::new("FooBot/1.0")?
    ///     .allow_private()
    ///     .timeout(Duration::from_millis(50));
    ///
    /// assert_eq!(fetcher.robots(&page, SystemTime::now()).status, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.asker.timeout = timeout;
        self
    }

    /// Allows requests to private addresses and to all ports. This setting is for operators who
    /// crawl their own network. By default only global unicast addresses are contacted, at port 80,
    /// port 443 or the port in the page's URL. Host names and redirects cannot circumvent this
    /// default.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let page = site("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?;
    ///
    /// assert_eq!(fetcher.robots(&page, SystemTime::now()).status, None);
    /// assert_eq!(fetcher.allow_private().robots(&page, SystemTime::now()).status, Some(404));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn allow_private(mut self) -> Self {
        self.asker.addresses.allow_private = true;
        self
    }

    /// Allows requests to the addresses for which the predicate `addresses` returns true, in
    /// addition to the public addresses. The predicate may accept a part of the operator's own
    /// network, for example.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let page = site("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    /// let public_only = Fetcher::new("FooBot/1.0")?;
    /// let fetcher = public_only.clone().allow_also(|address| address.is_loopback());
    ///
    /// assert_eq!(public_only.robots(&page, SystemTime::now()).status, None);
    /// assert_eq!(fetcher.robots(&page, SystemTime::now()).status, Some(404));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn allow_also(
        mut self,
        addresses: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.asker.addresses.also = Some(Arc::new(addresses));
        self
    }

    /// Sets the function that resolves host names, in place of the system's resolver. The returned
    /// addresses are checked as usual: a request is sent only to an allowed address.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let fetcher = Fetcher::new("FooBot/1.0")?
    ///     .resolver(|_host, port| Ok(vec![([127, 0, 0, 1], port).into()]));
    /// let page = url::Url::parse("http://internal.example/").unwrap();
    /// let fetched = fetcher.robots(&page, SystemTime::now());
    ///
    /// // The address is private, so the site was never contacted.
    /// assert_eq!(
    ///     fetched.trouble.as_deref(),
    ///     Some("http://internal.example/robots.txt: no answer from a public address")
    /// );
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn resolver(
        mut self,
        lookup: impl Fn(&str, u16) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
    ) -> Self {
        self.asker.addresses.lookup = Some(Arc::new(lookup));
        self
    }

    /// Sets the maximum length of a response's body, in unpacked bytes. A value below
    /// [`LEAST_BODY`] is raised to it. The rest of a longer body is ignored.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.asker.body_limit = bytes.max(LEAST_BODY);
        self
    }

    /// Sets the folder for copies of site files; the folder is created when needed. Several
    /// processes may share the folder, also for different bots: the copy of a robots.txt serves
    /// every user agent.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::{Fetcher, RulesSource};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let page = site("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private().cache(folder.path());
    ///
    /// let now = SystemTime::now();
    /// assert_eq!(fetcher.robots(&page, now).rules_source, RulesSource::Fetched);
    /// assert_eq!(fetcher.robots(&page, now).rules_source, RulesSource::Cached);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cache = Some(Cache::new(folder.as_ref().to_owned()));
        self
    }

    /// Sets the age from which a copy of a site file is revalidated before use; the default is 24
    /// hours.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::{Duration, SystemTime};
    ///
    /// use heedful_input::fetch::{Fetcher, RulesSource};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let page = site("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?
    ///     .allow_private()
    ///     .cache(folder.path())
    ///     .max_age(Duration::ZERO);
    ///
    /// let now = SystemTime::now();
    /// assert_eq!(fetcher.robots(&page, now).rules_source, RulesSource::Fetched);
    /// assert_eq!(fetcher.robots(&page, now).rules_source, RulesSource::Fetched);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_age(mut self, age: Duration) -> Self {
        self.max_age = age;
        self
    }

    /// Returns the robots.txt of the site of `url`, which may be any URL of the site. `now` is the
    /// current time, by which the age of a stored copy is computed.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let page = site(
    ///     "HTTP/1.1 200 OK\r\nContent-Length: 31\r\n\r\nUser-agent: *\nDisallow: /drafts",
    /// );
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private();
    /// let robots = fetcher.robots(&page, SystemTime::now()).robots;
    ///
    /// let bot = "FooBot".parse()?;
    /// assert!(robots.ruling(&bot, page.as_str()).allowed());
    /// assert!(!robots.ruling(&bot, page.join("/drafts/rye").unwrap().as_str()).allowed());
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn robots(&self, url: &Url, now: SystemTime) -> Fetched {
        self.site_file(SiteFile::Robots, url, now)
    }

    /// Returns the site file `file` of the site of `url`, which may be any URL of the site. All
    /// site files are fetched in the same way. If the file cannot be fetched, a robots.txt forbids
    /// everything, and a tdmrep.json states nothing.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    /// use heedful_robots::SiteFile;
    ///
    /// let page = site("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private();
    /// let bot = "FooBot".parse()?;
    /// let allowed = |file| {
    ///     let fetched = fetcher.site_file(file, &page, SystemTime::now());
    ///     fetched.robots.ruling(&bot, page.as_str()).allowed()
    /// };
    ///
    /// assert!(!allowed(SiteFile::Robots));
    /// assert!(allowed(SiteFile::Tdmrep));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn site_file(&self, file: SiteFile, url: &Url, now: SystemTime) -> Fetched {
        let Some(url) = file.on_site_of(url) else {
            return Fetched::nothing(
                file,
                FetchFailure::new(None, format!("{url} has no site that could be asked")),
                None,
            );
        };
        let kept = self.cache.as_ref().and_then(|cache| cache.read(&url));
        let copy = kept
            .filter(|kept| self.may_use(kept))
            .and_then(|kept| CachedCopy::new(file, kept, now));
        match copy {
            Some(copy) if copy.age < self.max_age => copy.fetched(RulesSource::Cached, None),
            copy => self.ask(file, &url, copy, now),
        }
    }

    /// Fetches a document that pages link to, such as an RSL licence. No copy of the document is
    /// stored. The result distinguishes a missing document from a document that exists but could
    /// not be read. Callers should treat a document that could not be read as a denial, because its
    /// content is unknown.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use heedful_input::fetch::{FetchedDocument, Fetcher};
    ///
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private();
    /// let licence = site("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<rsl/>");
    /// let truncated = site("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<r");
    ///
    /// assert_eq!(fetcher.document(&licence), FetchedDocument::Whole(b"<rsl/>".to_vec()));
    /// assert!(matches!(fetcher.document(&truncated), FetchedDocument::Unread(_)));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
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

    /// Returns the robots.txt of the site of each URL, in the order of `urls`. Up to 256 sites are
    /// contacted in parallel.
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # fn site(response: &'static str) -> url::Url {
    /// #     let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    /// #     let url = format!("http://{}/rye", listener.local_addr().unwrap()).parse().unwrap();
    /// #     std::thread::spawn(move || for stream in listener.incoming() {
    /// #         let mut stream = stream.unwrap();
    /// #         let _ = stream.read(&mut [0; 4096]);
    /// #         let _ = stream.write_all(response.as_bytes());
    /// #     });
    /// #     url
    /// # }
    /// use std::time::SystemTime;
    ///
    /// use heedful_input::fetch::Fetcher;
    ///
    /// let open = site("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    /// let overloaded = site("HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n");
    /// let fetcher = Fetcher::new("FooBot/1.0")?.allow_private();
    /// let fetched = fetcher.robots_of_each(&[open, overloaded], SystemTime::now());
    ///
    /// assert_eq!((fetched[0].status, fetched[1].status), (Some(404), Some(429)));
    /// # Ok::<(), heedful_robots::Error>(())
    /// ```
    pub fn robots_of_each(&self, urls: &[Url], now: SystemTime) -> Vec<Fetched> {
        let all: Vec<_> = urls.iter().map(|url| (url, OnceLock::new())).collect();
        at_once(&all, |(url, fetched)| {
            fetched.get_or_init(|| self.robots(url, now));
        });
        all.into_iter()
            .filter_map(|(_, fetched)| fetched.into_inner())
            .collect()
    }

    /// True if a stored response is valid for this client's user agent. A response with a site
    /// file, such as robots.txt, is valid for all user agents. Any other response is valid only for
    /// the user agent that received it.
    fn may_use(&self, kept: &CachedResponse) -> bool {
        kept.is_rules() || kept.agent == self.agent()
    }

    fn agent(&self) -> &str {
        self.asker.user_agent().trim()
    }

    fn ask(&self, file: SiteFile, url: &Url, copy: Option<CachedCopy>, now: SystemTime) -> Fetched {
        let source = Source::new(SourceKind::Fetched, url.as_str())
            .fetched_at(Some(now))
            .with_user_agent(self.agent());
        let known = self
            .cache
            .as_ref()
            .and_then(|cache| cache.trouble(url, self.agent(), now, self.max_age));
        let answer = match known {
            Some((status, why)) => Err(FetchFailure::new(status, why)),
            None => self
                .asker
                .ask(url, copy.as_ref().map(|copy| &copy.response))
                .inspect_err(|failure| {
                    if let Some(cache) = &self.cache {
                        // A failure that cannot be written down costs only the time of another
                        // request.
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
                self.store_response(file, url, copy.response, (RulesSource::Revalidated, now))
            }
            (Ok(Reply::Whole(response)), _) => self.store_response(
                file,
                url,
                cached_response(response, now),
                (RulesSource::Fetched, now),
            ),
            (Ok(Reply::Unchanged), None) => Fetched::nothing(
                file,
                FetchFailure::new(Some(304), "HTTP status 304".to_owned()),
                Some(source),
            ),
            (Err(failure), Some(copy)) if copy.may_stand_in() => {
                copy.fetched(RulesSource::Stale, Some(failure.why))
            }
            (Err(failure), _) => Fetched::nothing(file, failure, Some(source)),
        }
    }

    /// Converts a site's response into the result of a fetch. If a folder for copies is set, also
    /// writes the response there.
    fn store_response(
        &self,
        file: SiteFile,
        url: &Url,
        mut response: CachedResponse,
        (how, now): (RulesSource, SystemTime),
    ) -> Fetched {
        (response.fetched, response.agent) = (now, self.agent().to_owned());
        let written = self
            .cache
            .as_ref()
            .map_or(Ok(()), |cache| cache.write(url, &response));
        let trouble = written
            .err()
            .map(|error| format!("the copy could not be kept: {error}"));
        CachedCopy {
            file,
            response,
            age: Duration::ZERO,
        }
        .fetched(how, trouble)
    }
}

fn cached_response(response: FetchResponse, now: SystemTime) -> CachedResponse {
    let FetchResponse {
        url,
        status,
        etag,
        modified,
        body,
    } = response;
    CachedResponse {
        url,
        status,
        fetched: now,
        agent: String::new(),
        etag,
        modified,
        body,
    }
}

/// A stored copy of a site's response to a request for a site file, with the copy's age.
struct CachedCopy {
    file: SiteFile,
    response: CachedResponse,
    age: Duration,
}

impl CachedCopy {
    fn new(file: SiteFile, response: CachedResponse, now: SystemTime) -> Option<Self> {
        let age = now.duration_since(response.fetched).ok()?;
        Some(Self {
            file,
            response,
            age,
        })
    }

    /// True if the copy may be used when the site does not respond. The copy must contain a site
    /// file, and be at most 30 days old.
    fn may_stand_in(&self) -> bool {
        self.age <= STALE && self.response.is_rules()
    }

    fn fetched(self, rules_source: RulesSource, trouble: Option<String>) -> Fetched {
        let CachedResponse {
            url,
            status,
            fetched,
            agent,
            body,
            ..
        } = self.response;
        let source = Source::new(rules_source.kind(), url)
            .fetched_at(Some(fetched))
            .with_status(Some(status))
            .with_user_agent(agent);
        let robots = self
            .file
            .read_response(status, &body)
            .with_response(Some(status), &body)
            .with_source(source);
        Fetched {
            robots,
            rules_source,
            status: Some(status),
            age: self.age,
            trouble,
        }
    }
}

/// Result of fetching a document that a page links to, such as an RSL licence.
///
/// ```
/// use heedful_input::fetch::{FetchedDocument, Fetcher};
///
/// let may_deny = |fetched: &FetchedDocument| match fetched {
///     FetchedDocument::Whole(licence) => licence.starts_with(b"<rsl"),
///     FetchedDocument::Unread(_) => true,
///     FetchedDocument::Absent(_) => false,
/// };
/// let fetched = Fetcher::new("FooBot/1.0")?.document(&"ftp://example.com/rsl".parse().unwrap());
///
/// assert_eq!(fetched, FetchedDocument::Absent("only http and https are asked".to_owned()));
/// assert!(!may_deny(&fetched));
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchedDocument {
    /// The document exists, and was fetched. The bytes are its body, up to the body limit.
    Whole(Vec<u8>),
    /// The document exists, but could not be fetched completely. The string is the reason of the
    /// failure. Callers should treat the document as a denial, because its content is unknown.
    Unread(String),
    /// The document does not exist, or no request for it succeeded. The string is the reason.
    Absent(String),
}

/// Source of the rules in a [`Fetched`]: a request, or a stored copy.
///
/// ```
/// use heedful_input::fetch::RulesSource;
///
/// let is_from_disk = |source: RulesSource| match source {
///     RulesSource::Cached | RulesSource::Revalidated | RulesSource::Stale => true,
///     _ => false,
/// };
/// assert!(is_from_disk(RulesSource::Stale));
/// assert!(!is_from_disk(RulesSource::Fetched));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RulesSource {
    /// The rules follow from the site's response to a new request, or from the failure to get a
    /// usable response. If the failure of an earlier request is still recorded, the rules follow
    /// from it, and no new request is sent.
    Fetched,
    /// The rules are from a stored copy that is young enough to be used without a request.
    Cached,
    /// The rules are from a stored copy that the site has confirmed as current (304).
    Revalidated,
    /// The rules are from an old stored copy, which is used because the site gave no usable
    /// response.
    Stale,
}

heedful_base::display!(RulesSource);

impl RulesSource {
    /// Returns the name of the source for the program's output, such as `fetched`. The names do not
    /// change between versions.
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

/// The robots.txt or other site file of a site, and whether it is from a request or a stored copy.
///
/// ```
/// use std::time::SystemTime;
///
/// use heedful_input::fetch::Fetcher;
///
/// let page = url::Url::parse("http://10.0.0.1/rye").unwrap();
/// let fetched = Fetcher::new("FooBot/1.0")?.robots(&page, SystemTime::now());
///
/// // A private address is never contacted, and a site without an answer forbids everything.
/// assert_eq!(fetched.status, None);
/// assert!(!fetched.robots.ruling(&"FooBot".parse()?, page.as_str()).allowed());
/// # Ok::<(), heedful_robots::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fetched {
    /// Parsed rules of the site. If no response was received, the rules of a robots.txt forbid
    /// everything, and the rules of a tdmrep.json state nothing.
    pub robots: RobotsTxt,
    /// Source of the rules: a request, or a stored copy.
    pub rules_source: RulesSource,
    /// Status code of the response that contained the rules. `None` if there was no response.
    pub status: Option<u16>,
    /// Time since the response with the rules was received, or was last confirmed as current.
    pub age: Duration,
    /// Description of a problem: why the site gave no usable response, or why a copy could not be
    /// written. `None` if there was no problem.
    pub trouble: Option<String>,
}

impl Fetched {
    fn nothing(file: SiteFile, failure: FetchFailure, source: Option<Source>) -> Self {
        let robots = match failure.status {
            Some(status) if StatusMeaning::from_status(status) != StatusMeaning::Rules => {
                file.read_response(status, b"")
            }
            None if file != SiteFile::Robots => file.read_response(404, b""),
            _ => file.unreadable("it is there and could not be fetched whole"),
        };
        let robots = match source {
            Some(source) => robots.with_source(source.with_status(failure.status)),
            None => robots,
        };
        Self {
            robots,
            rules_source: RulesSource::Fetched,
            status: failure.status,
            age: Duration::ZERO,
            trouble: Some(failure.why),
        }
    }
}
