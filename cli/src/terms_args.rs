//! The options for the bots, the conventions and the user's own rules by which pages are judged.
//! Also the parsers of the values of these options.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use heedful::{Bot, Conventions, Error, Filter, Limits, ProfileNames, Result, Url, Uses};
use heedful_index::Terms;

use crate::ending::{io_error, setting};

const WHO: &str = "Bot and conventions";
const OWN: &str = "Rules of your own";

/// The name of the bot for which pages are judged if `--bot` is not given.
const BOT: &str = "heedful";

/// The options that set the bots, the conventions and the user's own rules by which pages are
/// judged.
#[derive(Clone, Debug, Args)]
pub(crate) struct TermsArgs {
    /// The bot to read as: NAME, or NAME=ALIAS,... May be repeated where a verb serves several
    /// [default: heedful; for `index`, the bot of an existing index]
    #[arg(short, long, value_name = "NAME", value_parser = Bot::parse, help_heading = WHO)]
    pub(crate) bot: Vec<Bot>,
    /// Conventions to honour: seed, web, all or none, then +name, -name [default: web; for `index`,
    /// those of an existing index]
    #[arg(long, value_name = "LIST", value_parser = conventions, allow_hyphen_values = true, help_heading = WHO)]
    pub(crate) conventions: Option<Conventions>,
    /// The time at which pages are checked for expiry, such as 2026-12-31 [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, help_heading = WHO, hide_short_help = true)]
    pub(crate) at: Option<SystemTime>,
    /// A Names page (list of bots, Robot Exclusion Profile) for all pages that link to any Names
    /// page; URL=FILE is only for links to URL. May be repeated
    #[arg(long, value_name = "FILE", value_parser = names, help_heading = WHO, hide_short_help = true)]
    pub(crate) names: Vec<NamedFile<ProfileNames>>,
    /// The URI by which pages declare the Robot Exclusion Profile [default: the draft's]
    #[arg(long, value_name = "URI", value_parser = profile, help_heading = WHO, hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Withhold pages by URL, as noindex,nofollow=/path*; PATTERN is a path as in robots.txt, a
    /// whole URL, or * for all pages. May be repeated
    #[arg(long, value_name = "WORDS=PATTERN", value_parser = denial, help_heading = OWN, hide_short_help = true)]
    pub(crate) deny: Vec<(Uses, String)>,
    /// Withhold elements, as noindex=.menu; SELECTOR is a tag, .class, #id, [attribute] or
    /// [attribute="a value"]. May be repeated
    #[arg(long, value_name = "WORDS=SELECTOR", value_parser = denial, help_heading = OWN, hide_short_help = true)]
    pub(crate) deny_element: Vec<(Uses, String)>,
    /// Withhold the content between two comments, whose texts are parted by three dots:
    /// noindex=menu.../menu. May be repeated
    #[arg(long, value_name = "WORDS=OPEN...CLOSE", value_parser = region, help_heading = OWN, hide_short_help = true)]
    pub(crate) deny_region: Vec<(Uses, String, String)>,
    /// Read more rules about pages, elements and regions from a TOML file. May be repeated
    #[arg(long, value_name = "FILE", help_heading = OWN, hide_short_help = true)]
    pub(crate) convention_file: Vec<PathBuf>,
    /// True if `deny` was copied from the rules that an index stores.
    #[arg(skip)]
    pub(crate) has_lent_denials: bool,
    /// True if `deny_region` and `deny_element` were copied from the rules that an index stores.
    #[arg(skip)]
    pub(crate) has_lent_conventions: bool,
}

impl TermsArgs {
    #[cfg(feature = "full")]
    /// Returns the names of the options for bots, conventions and rules that the user gave.
    pub(crate) fn given_options(&self) -> Vec<&'static str> {
        let is_given = [
            ("--bot", !self.bot.is_empty()),
            ("--conventions", self.conventions.is_some()),
            ("--at", self.at.is_some()),
            ("--names", !self.names.is_empty()),
            ("--profile", self.profile.is_some()),
            ("--deny", !self.deny.is_empty()),
            ("--deny-element", !self.deny_element.is_empty()),
            ("--deny-region", !self.deny_region.is_empty()),
            ("--convention-file", !self.convention_file.is_empty()),
        ];
        let mut names = Vec::new();
        for (name, is_given) in is_given {
            if is_given {
                names.push(name);
            }
        }
        names
    }

    /// Returns the conventions that `--conventions` selects, together with the conventions that the
    /// user has defined.
    pub(crate) fn conventions(&self) -> Result<Conventions> {
        self.with_own(
            self.conventions.clone().unwrap_or_default(),
            &self.own_files()?,
        )
    }

    /// Reads the files that `--convention-file` names. Returns the path and the text of each file.
    pub(crate) fn own_files(&self) -> Result<Vec<(PathBuf, String)>> {
        let mut files = Vec::new();
        for path in &self.convention_file {
            files.push((path.clone(), text_of_file(path)?));
        }
        Ok(files)
    }

    /// Returns `conventions` together with the conventions that the user defined by options and in
    /// `files`. `files` are the paths and texts that [`own_files`](Self::own_files) returns.
    pub(crate) fn with_own(
        &self,
        mut conventions: Conventions,
        files: &[(PathBuf, String)],
    ) -> Result<Conventions> {
        for (path, text) in files {
            let named = |error: Error| setting(format!("{}:{error}", path.display()));
            let with = conventions.clone().toml(text).map_err(named)?;
            if with == conventions {
                let message =
                    "there is no new rule in it: [[region]], [[element]] and [[page]] begin one";
                return Err(setting(format!("{}: {message}", path.display())));
            }
            conventions = with;
        }
        for (denies, open, close) in &self.deny_region {
            conventions = conventions.region(open, close, *denies)?;
        }
        for (denies, selector) in &self.deny_element {
            conventions = conventions.element(selector, *denies)?;
        }
        Ok(conventions)
    }

    /// Returns the bots for which pages are judged. They are the bots of `--bot`. Without this
    /// option, the only bot is `heedful`.
    pub(crate) fn bots(&self) -> Result<Vec<Bot>> {
        if self.bot.is_empty() {
            Ok(vec![Bot::parse(BOT)?])
        } else {
            Ok(self.bot.clone())
        }
    }

    /// Fails if the user gave several bots. `verb` is the verb that the error names.
    pub(crate) fn require_one_bot(&self, verb: &str) -> Result<()> {
        if self.bot.len() > 1 {
            Err(setting(format!("{verb} is for one bot: give --bot once")))
        } else {
            Ok(())
        }
    }

    /// True if the user passed regions, elements or a convention file on the command line.
    fn has_own_conventions(&self) -> bool {
        !(self.deny_region.is_empty()
            && self.deny_element.is_empty()
            && self.convention_file.is_empty())
    }

    /// Completes these options with the stored `terms` of an index. A stored value is used if the
    /// user has not given the option. The options for regions, elements and convention files count
    /// as one option. Their stored values are used only if the user has given none of the three.
    pub(crate) fn with_defaults(mut self, terms: &Terms) -> Result<Self> {
        if self.bot.is_empty() {
            self.bot.push(terms.bot()?);
        }
        if self.conventions.is_none() {
            self.conventions = Some(terms.named_conventions()?);
        }
        if !self.has_own_conventions() {
            self.has_lent_conventions = true;
            self.deny_region = terms.regions()?;
            self.deny_element = terms.elements()?;
        }
        if self.deny.is_empty() {
            // A file has its denials of today.
            self.has_lent_denials = true;
            self.deny = if self.convention_file.is_empty() {
                terms.denials()?
            } else {
                terms.unfiled_denials()?
            };
        }
        if self.profile.is_none() {
            self.profile = terms.profile().map(str::to_owned);
        }
        Ok(self)
    }

    /// Creates a filter with `conventions` and `limits`, for the bots of these options. The filter
    /// has the user's denials by URL, and the pages of `--names`. A Names page of the Robot
    /// Exclusion Profile gives numbers to bots, for classes like `robot3-index`.
    pub(crate) fn filter(&self, conventions: Conventions, limits: Limits) -> Result<Filter> {
        let mut filter = Filter::for_bots(self.bots()?)?
            .conventions(conventions)
            .limits(limits);
        for (denies, pattern) in &self.deny {
            filter = filter.deny(*denies, pattern)?;
        }
        if let Some(uri) = &self.profile {
            filter = filter.profile(uri);
        }
        if !self.names.is_empty() {
            let given = self.names.clone();
            filter = filter.names(move |url| {
                let mut all: Option<ProfileNames> = None;
                for page in &given {
                    if page.is_at(url) {
                        all = Some(match all {
                            Some(all) => all.and(&page.file),
                            None => page.file.clone(),
                        });
                    }
                }
                all
            });
        }
        Ok(filter)
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.at.unwrap_or_else(SystemTime::now)
    }
}

/// Maximum size of a file that is read as a whole, in bytes. Without it, reading a device might
/// never end.
const MOST: u64 = 256 << 20;

/// Reads a whole file of settings. A FIFO, a socket or a device is refused, because it may never
/// end. A symbolic link to a FIFO is accepted, since a shell passes the output of `<(command)` in
/// this way.
pub(crate) fn contents(path: &Path) -> Result<Vec<u8>> {
    let kind = std::fs::symlink_metadata(path).map_err(io_error(path.display()))?;
    let is_readable = kind.is_file() || kind.is_dir() || kind.is_symlink();
    if !is_readable && path != Path::new("/dev/null") {
        return Err(setting(format!(
            "{} is a FIFO or a device, which may never end: name a file, or `<(command)`",
            path.display()
        )));
    }
    whole(File::open(path).map_err(io_error(path.display()))?).map_err(io_error(path.display()))
}

/// Reads a whole text file. Fails if the file is not UTF-8: a wrongly decoded letter would make a
/// rule that matches nothing.
pub(crate) fn text_of_file(path: &Path) -> Result<String> {
    String::from_utf8(contents(path)?)
        .map_err(|_| setting(format!("{} is not UTF-8", path.display())))
}

/// Reads all bytes of `from`. Fails if there are more than [`MOST`] bytes.
pub(crate) fn whole(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MOST + 1).read_to_end(&mut bytes)?;
    let is_too_long = bytes.len() as u64 > MOST;
    if is_too_long {
        Err(io::Error::other("it has more than 256 MiB"))
    } else {
        Ok(bytes)
    }
}

/// A file that the user passes for a document on the web. The document is one to which pages refer,
/// such as a licence. `url` is the URL of the document. If `url` is `None`, the file counts as the
/// document at every URL.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile<T> {
    pub(crate) url: Option<Url>,
    pub(crate) file: T,
    pub(crate) bytes: Vec<u8>,
}

impl<T> NamedFile<T> {
    pub(crate) fn is_at(&self, url: &str) -> bool {
        self.url.as_ref().is_none_or(|own| own.as_str() == url)
    }

    /// Parses the value `FILE` or `URL=FILE` of an option, and reads the file. `read` parses the
    /// bytes of the file.
    pub(crate) fn read(text: &str, read: impl FnOnce(&[u8]) -> Result<T>) -> Result<Self> {
        let mut url = None;
        let mut file = text;
        if let Some((before, after)) = text.rsplit_once('=')
            && let Ok(parsed) = Url::parse(before)
        {
            url = Some(parsed);
            file = after;
        }
        let bytes = contents(Path::new(file))?;
        Ok(Self {
            url,
            file: read(&bytes)?,
            bytes,
        })
    }
}

fn names(text: &str) -> Result<NamedFile<ProfileNames>> {
    NamedFile::read(text, ProfileNames::read)
}

fn profile(text: &str) -> std::result::Result<String, &'static str> {
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("a profile URI must not be empty or contain spaces")
    }
}

/// Parses a denial such as `noindex,nofollow=PATTERN`, which denies uses for all URLs that match
/// the pattern. Returns the denied uses, and the pattern as text. Fails if a part is missing or
/// invalid.
fn denial(text: &str) -> Result<(Uses, String)> {
    let missing = "what is denied comes first: noindex=..., or nofollow,noarchive=...";
    let (words, what) = text.split_once('=').ok_or_else(|| setting(missing))?;
    Ok((Uses::parse(words)?, what.to_owned()))
}

fn region(text: &str) -> Result<(Uses, String, String)> {
    let (denies, marks) = denial(text)?;
    let missing = "the texts of two comments are needed, with three dots between: noindex=nosearch.../nosearch";
    let (open, close) = marks.split_once("...").ok_or_else(|| setting(missing))?;
    Ok((denies, open.to_owned(), close.to_owned()))
}

fn conventions(text: &str) -> Result<Conventions> {
    Conventions::parse(text)
}

pub(crate) fn time(text: &str) -> std::result::Result<SystemTime, String> {
    if let Ok(timestamp) = text.parse::<jiff::Timestamp>() {
        return Ok(timestamp.into());
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>()
        && let Ok(zoned) = date.to_zoned(jiff::tz::TimeZone::UTC)
    {
        return Ok(zoned.timestamp().into());
    }
    Err("a time is written 2026-12-31 or 2026-12-31T23:59:59Z".to_owned())
}
