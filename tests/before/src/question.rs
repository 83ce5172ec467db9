//! What both libraries are asked, and what they told: plain data that belongs to neither of them.

/// The names of a bot, the first one before its aliases. No name: a bot that nobody names.
pub(crate) type BotNames = Vec<String>;

/// A robots.txt, how it is read, and the status that it came with.
#[derive(Clone, Debug)]
pub(crate) struct RobotsFile {
    pub(crate) bytes: Vec<u8>,
    pub(crate) status: Option<u16>,
    pub(crate) mode: String,
}

impl RobotsFile {
    pub(crate) fn new(bytes: impl Into<Vec<u8>>, mode: &str) -> Self {
        Self { bytes: bytes.into(), status: None, mode: mode.to_owned() }
    }
}

/// A page, and all that stands round it.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageQuestion {
    pub(crate) url: String,
    pub(crate) bots: Vec<BotNames>,
    pub(crate) html: Vec<u8>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) robots: Option<RobotsFile>,
    pub(crate) tdmrep: Option<Vec<u8>>,
    pub(crate) rsl: Option<Vec<u8>>,
    pub(crate) names: Option<Vec<u8>>,
    pub(crate) dialects: String,
    pub(crate) toml: String,
    pub(crate) now: u64,
    pub(crate) profile: Option<String>,
    pub(crate) deny: Option<String>,
    pub(crate) regions: Option<u64>,
    pub(crate) depth: Option<u64>,
    pub(crate) is_cut: bool,
}

impl PageQuestion {
    /// A page by itself.
    pub(crate) fn new(html: impl Into<Vec<u8>>, dialects: &str) -> Self {
        Self {
            url: "https://site.example/dir/page".to_owned(),
            bots: ["FooBot", "BarBot"].map(|name| vec![name.to_owned()]).to_vec(),
            html: html.into(),
            dialects: dialects.to_owned(),
            ..Self::default()
        }
    }
}

/// A robots.txt, and who asks it about what.
#[derive(Clone, Debug)]
pub(crate) struct RobotsQuestion {
    pub(crate) file: RobotsFile,
    pub(crate) bots: Vec<BotNames>,
    pub(crate) urls: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Question {
    Page(Box<PageQuestion>),
    Robots(RobotsQuestion),
}

impl Question {
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Page(page) => page.html.len() + page.headers.iter().map(|(_, value)| value.len()).sum::<usize>(),
            Self::Robots(robots) => robots.file.bytes.len(),
        }
    }

    /// A smaller example has less of them.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Page(page) => &page.html,
            Self::Robots(robots) => &robots.file.bytes,
        }
    }

    pub(crate) fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::Page(page) => page.html = bytes,
            Self::Robots(robots) => robots.file.bytes = bytes,
        }
        other
    }
}

/// The answers of a robots.txt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RobotsTold {
    /// Kind and line.
    pub(crate) notes: Vec<(String, u32)>,
    pub(crate) bots: Vec<BotTold>,
    /// The records that are for nobody in particular, by kind.
    pub(crate) others: Vec<(&'static str, Vec<String>)>,
}

/// The answers of a robots.txt to one bot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BotTold {
    pub(crate) name: String,
    pub(crate) delay: Option<f64>,
    pub(crate) rates: Vec<String>,
    pub(crate) visits: Vec<String>,
    /// Seconds after the time of the question.
    pub(crate) next_fetch: f64,
    /// Groups, rules and records of use, as they would be listed.
    pub(crate) listed: Vec<String>,
    pub(crate) rulings: Vec<RulingTold>,
}

/// The answer about one URL.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RulingTold {
    pub(crate) allowed: bool,
    pub(crate) line: Option<u32>,
    pub(crate) rule: Option<String>,
    pub(crate) group: Option<String>,
    pub(crate) reason: String,
    /// Key, line and value.
    pub(crate) usages: Vec<(String, u32, String)>,
    /// The facets that the records of use deny to a page that may be fetched.
    pub(crate) denied: Vec<&'static str>,
}
