//! A file in which a site speaks of its pages, as an input brings it.

use std::time::SystemTime;

use url::Url;

use heedful_base::address;
use heedful_robots::{RobotsTxt, SiteFile, Source, SourceKind};

/// A robots.txt, or another file in which a site speaks of its pages, found in an input.
#[derive(Debug)]
pub struct Robots {
    authority: String,
    file: SiteFile,
    answer: RobotsAnswer,
    fetched: Option<SystemTime>,
    is_of_part: bool,
}

impl Robots {
    /// The answer of the site with this root.
    pub(super) fn new(site: &Url, file: SiteFile, answer: RobotsAnswer) -> Self {
        let place = format!("{}{}", authority(site), file.path());
        let answer = match answer {
            RobotsAnswer::Rules(file) => {
                RobotsAnswer::Rules(file.came_from(Source::new(SourceKind::Input, place)))
            }
            other => other,
        };
        Self {
            authority: authority(site),
            file,
            answer,
            fetched: None,
            is_of_part: false,
        }
    }

    /// Marks it as the file of a part of the site alone. It can forbid, and is no answer of the
    /// site.
    pub(super) fn of_part(self, is_of_part: bool) -> Self {
        Self { is_of_part, ..self }
    }

    /// True if it is in a part of the site alone: then it can forbid, and is not the site's
    /// answer.
    pub fn is_of_part(&self) -> bool {
        self.is_of_part
    }

    /// Sets the time at which the site sent it, and adds the status that it came with.
    pub(super) fn fetched_at(self, time: Option<SystemTime>) -> Self {
        let answer = match self.answer {
            RobotsAnswer::Rules(file) => {
                let source = file
                    .source()
                    .cloned()
                    .map(|source| source.fetched_at(time).with_status(file.response_status()));
                RobotsAnswer::Rules(match source {
                    Some(source) => file.came_from(source),
                    None => file,
                })
            }
            other => other,
        };
        Self {
            answer,
            fetched: time,
            ..self
        }
    }

    /// When the site sent it, if that is known.
    pub fn fetched(&self) -> Option<SystemTime> {
        self.fetched
    }

    /// The scheme, host and port that it is for.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The kind of file that this is.
    pub fn file(&self) -> SiteFile {
        self.file
    }

    /// The file, if the site answered with one or with a status.
    #[doc(hidden)]
    pub fn rules(&self) -> Option<&RobotsTxt> {
        if let RobotsAnswer::Rules(rules) = &self.answer {
            Some(rules)
        } else {
            None
        }
    }

    /// The answer of the site.
    pub fn into_answer(self) -> RobotsAnswer {
        self.answer
    }
}

/// The answer of a site that was asked for such a file.
#[derive(Clone, Debug)]
pub enum RobotsAnswer {
    /// The file, or the meaning of its status.
    Rules(RobotsTxt),
    /// The file is elsewhere.
    Redirect(String),
    /// The file is not available.
    Unknown,
}

/// Parses the URL of a site's file, and finds which file it is. None for any other URL.
pub(super) fn parse_site_file(url: &str) -> Option<(Url, SiteFile)> {
    let url = Url::parse(url).ok()?;
    let file = SiteFile::from_url(&url)?;
    Some((url, file))
}

/// True if this is the URL of a site's file about its pages.
pub fn is_site_file(url: &str) -> bool {
    SiteFile::parse_url(url).is_some()
}

/// Scheme, host and port, to which one robots.txt applies.
pub fn authority(url: &Url) -> String {
    address::authority(url)
}
