//! Stores copies of robots.txt and tdmrep.json files on disk, each in a text file of this form:
//!
//! ```text
//! url: https://site.example/robots.txt
//! status: 200
//! fetched: 2026-11-21T08:00:00Z
//! agent: FooBot/1.0
//! etag: "abc"
//! length: 26
//!
//! User-agent: *
//! Disallow: /a
//! ```
//!
//! A copy is written to a temporary file and renamed, so no program ever reads an incomplete copy,
//! even if the process is killed. A kill may leave a `.heedful-*` file behind. A copy that is no
//! regular file is neither read nor replaced. A copy that cannot be
//! parsed, or whose length differs from `length`, is ignored: a truncated copy would forbid less.
//! The field `agent` is the user agent that received the response. A failed request is recorded in
//! a separate file beside the copy, with `url`, `fetched`, `agent` and `trouble`. The record is
//! valid for an hour. This module never reads the clock, never locks or deletes a file, and never
//! makes a fetch fail.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use heedful_base::new_file::{self, NewFile};
use jiff::Timestamp;
use url::Url;

use heedful_robots::{SiteFile, StatusMeaning};

/// Time for which the record of a failed request to a site is valid.
const FAILED: Duration = Duration::from_secs(3600);
/// Length in bytes of the longest file name that all file systems accept.
const LONGEST_NAME: usize = 255;

#[derive(Clone, Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// A stored response of a site to a request for its robots.txt or another site file.
pub(super) struct CachedResponse {
    /// URL that sent the response, after redirects.
    pub(super) url: String,
    pub(super) status: u16,
    pub(super) fetched: SystemTime,
    /// User agent that received the response.
    pub(super) agent: String,
    pub(super) etag: Option<String>,
    pub(super) modified: Option<String>,
    pub(super) body: Vec<u8>,
}

impl CachedResponse {
    /// True if the response contains a site file, such as robots.txt. False if the response is only
    /// a status, such as "not found" or "forbidden".
    pub(super) fn is_rules(&self) -> bool {
        StatusMeaning::from_status(self.status) == StatusMeaning::Rules
    }
}

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub(super) fn read(&self, url: &Url) -> Option<CachedResponse> {
        parse(&self.bytes(&name(url)?)?)
    }

    pub(super) fn write(&self, url: &Url, kept: &CachedResponse) -> io::Result<()> {
        self.replace(name(url), &[head(kept)?.as_bytes(), &kept.body])
    }

    /// Returns the last failed request of the user agent `agent` for `url`. The result has the
    /// status code of the response, if there was one, and the reason of the failure. `None` if no
    /// failure is recorded, or if the record is too old. The maximum age is one hour, or `max_age`
    /// if that is shorter.
    pub(super) fn trouble(
        &self,
        url: &Url,
        agent: &str,
        now: SystemTime,
        max_age: Duration,
    ) -> Option<(Option<u16>, String)> {
        let text = String::from_utf8(self.bytes(&failure_file_name(&name(url)?))?).ok()?;
        let time: SystemTime = field(&text, "fetched")?.parse::<Timestamp>().ok()?.into();
        let age = now.duration_since(time).ok()?;
        let is_ours = field(&text, "agent")? == agent && text.ends_with("\n\n");
        if !is_ours || age >= FAILED.min(max_age) {
            return None;
        }
        let status = field(&text, "status").and_then(|status| status.parse().ok());
        Some((status, field(&text, "trouble")?.to_owned()))
    }

    /// Records a failed request of the user agent `agent` for `url`. The record has the time `now`,
    /// the status of the response and the reason of the failure. The status is `None` if there was
    /// no response.
    pub(super) fn write_trouble(
        &self,
        url: &Url,
        agent: &str,
        now: SystemTime,
        (status, why): (Option<u16>, &str),
    ) -> io::Result<()> {
        let why = why.replace(char::is_control, " ");
        let status = match status {
            Some(status) => format!("status: {status}\n"),
            None => String::new(),
        };
        let text = format!(
            "url: {url}\n{status}fetched: {}\nagent: {agent}\ntrouble: {why}\n\n",
            whole_seconds(now)?
        );
        self.replace(
            name(url).map(|name| failure_file_name(&name)),
            &[text.as_bytes()],
        )
    }

    fn replace(&self, name: Option<String>, parts: &[&[u8]]) -> io::Result<()> {
        let Some(name) = name else {
            return Err(io::Error::other("the name of the site is too long"));
        };
        std::fs::create_dir_all(&self.folder)?;
        let mut file = NewFile::create(&self.folder.join(name))?;
        for part in parts {
            file.write_all(part)?;
        }
        file.finish()
    }

    /// Reads the file `name` in the folder for stored copies. `None` if the file is missing or not
    /// a regular file. Reading a FIFO, for example, might never end.
    fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.folder.join(name);
        let found = new_file::check(&path).ok().flatten()?;
        found.is_file().then(|| std::fs::read(path).ok()).flatten()
    }
}

/// Returns the name of the file that records a failed request. `name` is the file name of the
/// stored copy for the same URL.
fn failure_file_name(name: &str) -> String {
    match name.strip_suffix(".txt") {
        Some(site) => format!("{site}.err"),
        None => String::new(),
    }
}

/// Converts the time of a fetch to whole seconds, rounded down, for the file that records the
/// fetch. If the time were rounded up, the stored copy would seem younger than it is.
fn whole_seconds(time: SystemTime) -> io::Result<Timestamp> {
    let time = Timestamp::try_from(time).map_err(io::Error::other)?;
    Timestamp::from_second(time.as_second()).map_err(io::Error::other)
}

/// Returns the name of the file that stores a copy of the site file at `url`. The name has the
/// scheme, host and port of the URL. It is `https-site.example-443.txt` for a robots.txt, for
/// example. For a tdmrep.json it is `https-site.example-443-tdmrep.txt`. In the host, letters,
/// digits, dots and hyphens are kept. Any other byte is written as `_` and two hex digits. So
/// different sites get different names. `None` if the URL has no host or port, or if the name is
/// too long.
fn name(url: &Url) -> Option<String> {
    let mut name = format!("{}-", url.scheme());
    for byte in url.host_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' => name.push(char::from(byte)),
            _ => write!(name, "_{byte:02x}").ok()?,
        }
    }
    let which = if SiteFile::from_url(url) == Some(SiteFile::Tdmrep) {
        "-tdmrep"
    } else {
        ""
    };
    write!(name, "-{}{which}.txt", url.port_or_known_default()?).ok()?;
    (name.len() <= LONGEST_NAME).then_some(name)
}

fn head(kept: &CachedResponse) -> io::Result<String> {
    let fetched = whole_seconds(kept.fetched)?;
    let CachedResponse {
        url, status, agent, ..
    } = kept;
    let mut head = format!("url: {url}\nstatus: {status}\nfetched: {fetched}\nagent: {agent}\n");
    for (name, value) in [("etag", &kept.etag), ("last-modified", &kept.modified)] {
        if let Some(value) = value {
            head.push_str(&format!("{name}: {value}\n"));
        }
    }
    head.push_str(&format!("length: {}\n\n", kept.body.len()));
    Ok(head)
}

fn parse(bytes: &[u8]) -> Option<CachedResponse> {
    let end = memchr::memmem::find(bytes, b"\n\n")?;
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let body = &bytes[end + 2..];
    if field(head, "length")?.parse() != Ok(body.len()) {
        return None;
    }
    Some(CachedResponse {
        url: field(head, "url")?.to_owned(),
        status: field(head, "status")?.parse().ok()?,
        fetched: field(head, "fetched")?.parse::<Timestamp>().ok()?.into(),
        agent: field(head, "agent")?.to_owned(),
        etag: field(head, "etag").map(str::to_owned),
        modified: field(head, "last-modified").map(str::to_owned),
        body: body.to_vec(),
    })
}

/// Returns the value of the field `name` in `head`. `head` has the lines of a file that records a
/// fetch. Each line has a name and a value, such as `status: 200`. `None` if no line has this name.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    let (_, value) = fields.find(|(found, _)| *found == name)?;
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_distinct() {
        let name = |url: &str| name(&Url::parse(url).unwrap());
        assert_eq!(
            name("https://Site.example/a").unwrap(),
            "https-site.example-443.txt"
        );
        assert_eq!(
            name("http://site.example:8080/").unwrap(),
            "http-site.example-8080.txt"
        );
        let reservations = name("https://site.example/.well-known/tdmrep.json").unwrap();
        assert_eq!(reservations, "https-site.example-443-tdmrep.txt");
        assert_eq!(name("http://[::1]/").unwrap(), "http-_5b_3a_3a1_5d-80.txt");
        assert_eq!(name("http://a_b*\"c/").unwrap(), "http-a_5fb_2a_22c-80.txt");
        assert_eq!(name(&format!("http://{}.example/", "a".repeat(250))), None);
    }

    #[test]
    fn what_is_not_whole_is_none() {
        let kept = CachedResponse {
            url: "https://site.example/robots.txt".to_owned(),
            status: 200,
            fetched: SystemTime::UNIX_EPOCH,
            agent: "FooBot".to_owned(),
            etag: Some("\"a: b\"".to_owned()),
            modified: None,
            body: b"User-agent: *\n\nDisallow: /a\n\n".to_vec(),
        };
        let file = [head(&kept).unwrap().as_bytes(), &kept.body].concat();
        let read = parse(&file).unwrap();
        assert_eq!(
            (read.url, read.status, read.body),
            (kept.url, 200, kept.body)
        );
        assert_eq!(
            (read.fetched, read.etag, read.modified),
            (kept.fetched, kept.etag, None)
        );
        assert_eq!(read.agent, "FooBot");
        for cut in 0..file.len() {
            assert!(parse(&file[..cut]).is_none(), "cut at {cut}");
        }
    }
}
