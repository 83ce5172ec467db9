//! What can be typed. Nothing is opened or read here, but settings are made from the words.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heedful::fetch::Fetcher;
use heedful::index::Terms;
use heedful::input::{Input, Kind};
use heedful::run::{Gate, NamesPages};
use heedful::{Bot, Dialects, Error, ErrorKind, Facets, Filter, Mode, Names, Result, RobotsTxt};
use url::Url;

use super::setting;

/// Index, search and inspect web pages the way their publishers ask.
#[derive(Debug, Parser)]
#[command(name = "heedful", version, max_term_width = 100, arg_required_else_help = true)]
pub(super) struct Program {
    #[command(subcommand)]
    pub(super) verb: Verb,
    /// Colour in the output
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true)]
    pub(super) color: Color,
}

#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Gate, filter and index folders, WARC files and JSON Lines
    Index(IndexArgs),
    /// Search an index
    Search(SearchArgs),
    /// Say what an index holds, what it knows of a URL, and whether it is whole
    Stats(StatsArgs),
    /// Take out of an index what may not be there any more
    Purge(PurgeArgs),
    /// Make an index small again; no answer changes
    Compact(CompactArgs),
    /// Everything about each page, as JSON Lines: the verb for pipelines
    Filter(FilterArgs),
    /// The text that may be indexed, one phrase a line
    Text(PageArgs),
    /// The links, and what may be done with them
    Links(PageArgs),
    /// The pages themselves, without what may not be archived, with a mark at each cut
    Snapshot(SnapshotArgs),
    /// Ask a robots.txt: may this bot fetch that URL, and which line says so
    Check(CheckArgs),
    /// List the conventions, on or off, with an example each; with --count, count them in pages
    Dialects(DialectsArgs),
    /// Compare what is let through with what a finished tree says: exit 1 where anything leaks
    Verify(VerifyArgs),
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    pub(super) fn apply(self) {
        let choice = match self {
            Self::Auto => return,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InputKind {
    Auto,
    Html,
    Warc,
    Jsonl,
}

impl InputKind {
    fn kind(self) -> Option<Kind> {
        match self {
            Self::Auto => None,
            Self::Html => Some(Kind::Html),
            Self::Warc => Some(Kind::Warc),
            Self::Jsonl => Some(Kind::Jsonl),
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct IndexArgs {
    /// The index; made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// Keep each page's snapshot too
    #[arg(long)]
    pub(super) snapshot: bool,
    /// Do not keep what pages call each other
    #[arg(long)]
    pub(super) no_anchors: bool,
    /// Make what was read searchable every N records, and at the end
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) commit_every: u64,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// Give each page's snapshot too
    #[arg(long)]
    pub(super) snapshot: bool,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct PageArgs {
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct SnapshotArgs {
    /// A folder for the files, or a .warc or .warc.gz; a single page may go to standard output
    #[arg(short, long, value_name = "DIR|WARC")]
    pub(super) output: Option<PathBuf>,
    /// Give back the copies that this index keeps; the inputs are then URLs
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "map", "mark", "mark_class", "bot", "url", "headers", "robots", "dialects", "dialect_file", "deny_region", "deny_element",
        "deny", "names", "profile", "require_robots", "fetch_robots", "strict", "jobs", "input",
    ], requires = "inputs")]
    pub(super) from: Option<PathBuf>,
    /// Say here what was left out of each page, from where to where and by which directive, as JSON Lines
    #[arg(long, value_name = "FILE")]
    pub(super) map: Option<PathBuf>,
    /// What stands where something was left out
    #[arg(long, value_name = "TEXT", default_value = "[...]")]
    pub(super) mark: String,
    /// Make the mark a `span` of this class
    #[arg(long, value_name = "NAME")]
    pub(super) mark_class: Option<String>,
    /// Put in a `base`, so that links and pictures lead to the publisher's site
    #[arg(long)]
    pub(super) base: bool,
    /// Put in a line that says where the page is from, and when it was fetched if that is known
    #[arg(long)]
    pub(super) banner: bool,
    /// Put in a policy that lets no script run
    #[arg(long)]
    pub(super) no_scripts: bool,
    /// --base, --banner and --no-scripts
    #[arg(long)]
    pub(super) dress: bool,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct DialectsArgs {
    /// Count what the pages of the input say in each, to the first bot
    #[arg(long)]
    pub(super) count: bool,
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// Compare each page again with a mark put on N of its elements, one at a time, and with N pairs of a denial and an
    /// allowance; fewer where there are not so many
    #[arg(long, value_name = "N")]
    pub(super) inject: Option<usize>,
    /// Which elements; the same number gives the same ones
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "inject")]
    pub(super) seed: u64,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// The index
    pub(super) dir: PathBuf,
    /// Words (all of them), "a phrase", "words near"~3, "a prefix phra"*, -without, one OR other, title:word, site:host
    #[arg(required = true)]
    pub(super) query: Vec<String>,
    /// The most hits
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(super) most: usize,
    /// Which page of so many hits
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) page: u32,
    /// Say what each word adds to the score, and in which field; `anchor` is what others call the page
    #[arg(long)]
    pub(super) explain: bool,
    /// The clock: pages that expired before are not found [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) at: Option<SystemTime>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct StatsArgs {
    /// The index
    pub(super) dir: PathBuf,
    /// Read all of it and compare checksums; exit 1 where something is damaged
    #[arg(long)]
    pub(super) check: bool,
    /// Say what is known of this URL, and what others call it
    #[arg(long, value_name = "URL", conflicts_with = "check")]
    pub(super) of: Option<String>,
    /// The clock: what has expired before is not there [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "of")]
    pub(super) at: Option<SystemTime>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["expired", "robots", "fetch", "noarchive"]))]
pub(super) struct PurgeArgs {
    /// The index
    pub(super) dir: PathBuf,
    /// What has expired
    #[arg(long)]
    pub(super) expired: bool,
    /// The clock, for pages that expire [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "expired")]
    pub(super) at: Option<SystemTime>,
    /// What this robots.txt keeps out, of all pages or of a site's; or those in a WARC. May be given again
    #[arg(short, long, value_name = "[SITE=]FILE")]
    pub(super) robots: Vec<String>,
    /// What the sites' robots.txt keep out now
    #[arg(long)]
    pub(super) fetch: bool,
    /// Keep what was fetched in this folder for a day
    #[arg(long, value_name = "DIR", requires = "fetch")]
    pub(super) cache: Option<PathBuf>,
    /// What to say of ourselves when asking [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetch")]
    pub(super) user_agent: Option<String>,
    /// The snapshots of pages; the pages stay
    #[arg(long)]
    pub(super) noarchive: bool,
    /// Of this host, and the hosts in it, alone. May be given again
    #[arg(long, value_name = "HOST")]
    pub(super) site: Vec<String>,
    /// Take nothing out, but say what would go
    #[arg(short = 'n', long)]
    pub(super) dry_run: bool,
    /// Pages judged at the same time [default: one for each core]
    #[arg(short, long, value_name = "N")]
    pub(super) jobs: Option<usize>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Args)]
pub(super) struct CompactArgs {
    /// The index
    pub(super) dir: PathBuf,
    /// Say nothing
    #[arg(short, long)]
    pub(super) quiet: bool,
}

#[derive(Debug, Args)]
pub(super) struct CheckArgs {
    /// Whole URLs, or paths; `-` reads them from standard input, one a line
    pub(super) urls: Vec<String>,
    /// The robots.txt
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["batch", "diff", "fetch"])]
    pub(super) robots: Option<PathBuf>,
    /// Ask each URL's site for its robots.txt
    #[arg(long, conflicts_with_all = ["robots", "batch", "diff"])]
    pub(super) fetch: bool,
    /// Keep what was fetched in this folder for a day
    #[arg(long, value_name = "DIR", requires = "fetch")]
    pub(super) cache: Option<PathBuf>,
    /// What to say of ourselves when asking [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetch")]
    pub(super) user_agent: Option<String>,
    /// More URLs: a list, one a line; a sitemap, perhaps gzip; or the pages of an index
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "batch")]
    pub(super) urls_from: Vec<PathBuf>,
    /// Who asks; aliases after `=`. May be given again: then there is a table
    #[arg(short, long, value_name = "NAME[=ALIAS,...]", value_parser = bot, default_value = "heedful")]
    pub(super) bot: Vec<Bot>,
    /// Whose way of reading: rfc9309, google, 1994, 1996, spiderline, lycos
    #[arg(long, value_name = "MODE", value_parser = Mode::parse, default_value = "rfc9309")]
    pub(super) mode: Mode,
    /// Say also whether the bot is asked to come at this time
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(super) at: Option<SystemTime>,
    /// Answer JSON Lines from standard input: `robots` or `robots_b64`, `bot`, `url`, and `mode` if it is another
    #[arg(long, conflicts_with_all = ["robots", "urls", "diff"])]
    pub(super) batch: bool,
    /// Say for which of the URLs two files differ
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "robots")]
    pub(super) diff: Vec<PathBuf>,
    /// Say more: the rules that match and do not decide, and what looks wrong in the file
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

/// What all verbs that read pages have in common.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// Folders, HTML pages, WARC files, JSON Lines; `-` or nothing is standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Who we are; aliases after `=`. May be given again, where a verb serves several
    #[arg(short, long, value_name = "NAME[=ALIAS,...]", value_parser = bot, default_value = "heedful")]
    pub(super) bot: Vec<Bot>,
    /// The URL of a single page, or of the folder that is a site
    #[arg(short, long, value_parser = url)]
    url: Option<Url>,
    /// A response header for every page, as with curl
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", value_parser = header)]
    pub(super) headers: Vec<(String, String)>,
    /// A robots.txt for every page, besides those found in the input
    #[arg(short, long, value_name = "FILE")]
    robots: Option<PathBuf>,
    /// Conventions to honour: seed, web, all or none, then +name, -name
    #[arg(long, value_name = "LIST", value_parser = dialects, default_value = "web", allow_hyphen_values = true)]
    dialects: Dialects,
    /// More conventions, from a TOML file. May be given again
    #[arg(long, value_name = "FILE")]
    dialect_file: Vec<PathBuf>,
    /// A region of your own between two comments. May be given again
    #[arg(long, value_name = "WORDS=OPEN...CLOSE", value_parser = region)]
    deny_region: Vec<(Facets, String, String)>,
    /// Elements of your own: tag, .class, #id, [attribute], [attribute=value]. May be given again
    #[arg(long, value_name = "WORDS=SELECTOR", value_parser = denial)]
    deny_element: Vec<(Facets, String)>,
    /// Deny pages by URL: noindex,nofollow=/path* (as in robots.txt), or with a whole URL. May be given again
    #[arg(long, value_name = "WORDS=PATTERN", value_parser = denial)]
    deny: Vec<(Facets, String)>,
    /// A Names page of the Robot Exclusion Profile, for all pages that name one or for the one at URL. May be given again
    #[arg(long, value_name = "[URL=]FILE", value_parser = names)]
    names: Vec<NamesPage>,
    /// The URI by which pages declare the Robot Exclusion Profile [default: the draft's]
    #[arg(long, value_name = "URI", value_parser = profile)]
    profile: Option<String>,
    /// The clock, for pages that expire [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<SystemTime>,
    /// Keep out the pages of hosts whose robots.txt is not in the input
    #[arg(long)]
    require_robots: bool,
    /// Ask hosts whose robots.txt is not in the input for it
    #[arg(long, conflicts_with = "require_robots")]
    fetch_robots: bool,
    /// Keep what was fetched in this folder for a day
    #[arg(long, value_name = "DIR", requires = "fetch_robots")]
    robots_cache: Option<PathBuf>,
    /// What to say of ourselves when asking [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetch_robots")]
    user_agent: Option<String>,
    /// Exit with 2 if some of the input was damaged or some page failed
    #[arg(long)]
    pub(super) strict: bool,
    /// Pages filtered at the same time [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<usize>,
    /// What the input is
    #[arg(long, value_enum, default_value_t = InputKind::Auto)]
    input: InputKind,
    /// Say nothing that is not asked for
    #[arg(short, long)]
    pub(super) quiet: bool,
    /// Say more: each page that failed or was kept out
    #[arg(short, long, conflicts_with = "quiet")]
    pub(super) verbose: bool,
}

impl RunArgs {
    pub(super) fn inputs(&self) -> Result<Vec<Input>> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.inputs.is_empty() { &stdin[..] } else { &self.inputs };
        paths.iter().map(|path| Input::open(path, self.input.kind(), self.url.as_ref())).collect()
    }

    /// Those of the list, and the user's own.
    pub(super) fn dialects(&self) -> Result<Dialects> {
        let mut dialects = self.dialects.clone();
        for path in &self.dialect_file {
            let named = |error: Error| setting(format!("{}: {error}", path.display()));
            dialects = dialects.file(&String::from_utf8_lossy(&contents(path)?)).map_err(named)?;
        }
        for (denies, open, close) in &self.deny_region {
            dialects = dialects.region(open, close, *denies)?;
        }
        for (denies, selector) in &self.deny_element {
            dialects = dialects.element(selector, *denies)?;
        }
        Ok(dialects)
    }

    pub(super) fn has_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// The inputs as they were typed.
    pub(super) fn typed(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.inputs.iter().map(|input| input.to_string_lossy())
    }

    pub(super) fn filter(&self) -> Result<Filter> {
        self.filter_with(NamesPages::default())
    }

    /// A filter that knows the Names pages among the inputs.
    pub(super) fn filter_with(&self, found: NamesPages) -> Result<Filter> {
        let mut filter = Filter::for_bots(self.bot.clone())?.dialects(self.dialects()?).now(self.now());
        for (denies, pattern) in &self.deny {
            filter = filter.deny(*denies, pattern)?;
        }
        if let Some(uri) = &self.profile {
            filter = filter.profile(uri);
        }
        if !self.names.is_empty() || !found.is_empty() {
            let given = self.names.clone();
            filter = filter.names(move |url| {
                let at = |page: &&NamesPage| page.url.as_ref().is_none_or(|page| page.as_str() == url);
                let names = given.iter().filter(at).map(|page| &page.names).chain(found.get(url));
                names.cloned().reduce(|all, names| all.and(&names))
            });
        }
        Ok(filter)
    }

    pub(super) fn gate(&self, inputs: &[Input]) -> Result<Gate> {
        let mut gate = Gate::of(inputs)?;
        if let Some(path) = &self.robots {
            gate = gate.everywhere(robots_txt(path)?);
        }
        if self.fetch_robots {
            let fetcher = fetcher(self.user_agent.as_deref(), &self.bot[0], self.robots_cache.as_deref())?;
            gate = gate.asking(fetcher, SystemTime::now());
        }
        Ok(if self.require_robots { gate.required() } else { gate })
    }

    pub(super) fn now(&self) -> SystemTime {
        self.at.unwrap_or_else(SystemTime::now)
    }

    pub(super) fn jobs(&self) -> usize {
        jobs(self.jobs)
    }

    /// Who judges, and by which dialects, as an index remembers it.
    pub(super) fn terms(&self) -> Result<Terms> {
        let mut terms = Terms::new(&self.bot[0], &self.dialects()?);
        if let Some(uri) = &self.profile {
            terms = terms.profile(uri);
        }
        Ok(self.deny.iter().fold(terms, |terms, (denies, pattern)| terms.deny(*denies, pattern)))
    }
}

pub(super) fn jobs(asked: Option<usize>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    asked.unwrap_or_else(cores).max(1)
}

/// One that asks sites in the name of a bot.
pub(super) fn fetcher(user_agent: Option<&str>, bot: &Bot, cache: Option<&Path>) -> Result<Fetcher> {
    let fetcher = match user_agent {
        Some(text) => Fetcher::new(text)?,
        None => Fetcher::new(&format!("{}/1.0", bot.name()))?,
    };
    Ok(match cache {
        Some(folder) => fetcher.cache(folder),
        None => fetcher,
    })
}

pub(super) fn robots_txt(path: &Path) -> Result<RobotsTxt> {
    Ok(RobotsTxt::parse(&contents(path)?))
}

pub(super) fn contents(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|source| ErrorKind::Io { what: path.display().to_string(), source }.into())
}

/// A Names page, and where it stands if it is not for all pages.
#[derive(Clone, Debug)]
struct NamesPage {
    url: Option<Url>,
    names: Names,
}

fn names(text: &str) -> Result<NamesPage> {
    let with_url = text.rsplit_once('=').and_then(|(url, file)| Some((Url::parse(url).ok()?, file)));
    let (url, file) = with_url.map_or((None, text), |(url, file)| (Some(url), file));
    Ok(NamesPage { url, names: Names::read(&contents(Path::new(file))?)? })
}

fn profile(text: &str) -> std::result::Result<String, &'static str> {
    let is_word = !text.is_empty() && !text.contains(char::is_whitespace);
    if is_word { Ok(text.to_owned()) } else { Err("it stands among others, with blanks between: it cannot have any") }
}

fn bot(text: &str) -> Result<Bot> {
    let (name, aliases) = text.split_once('=').unwrap_or((text, ""));
    aliases.split(',').filter(|alias| !alias.trim().is_empty()).try_fold(Bot::new(name)?, Bot::alias)
}

fn url(text: &str) -> std::result::Result<Url, String> {
    Url::parse(text).map_err(|error| format!("{error}; a whole URL is needed, as https://site.example/"))
}

fn header(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("a header is written `Name: value`")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// `noindex,nofollow=PATTERN`: what is denied, and where.
fn denial(text: &str) -> Result<(Facets, String)> {
    let missing = "what is denied comes first: noindex=..., or nofollow,noarchive=...";
    let (words, what) = text.split_once('=').ok_or_else(|| setting(missing))?;
    Ok((Facets::parse(words)?, what.to_owned()))
}

fn region(text: &str) -> Result<(Facets, String, String)> {
    let (denies, marks) = denial(text)?;
    let missing = "the texts of two comments are needed, with three dots between: noindex=nosearch.../nosearch";
    let (open, close) = marks.split_once("...").ok_or_else(|| setting(missing))?;
    Ok((denies, open.to_owned(), close.to_owned()))
}

fn dialects(text: &str) -> Result<Dialects> {
    Dialects::parse(text)
}

fn time(text: &str) -> std::result::Result<SystemTime, String> {
    let timestamp = text.parse::<jiff::Timestamp>().or_else(|_| {
        let date = text.parse::<jiff::civil::Date>()?;
        date.to_zoned(jiff::tz::TimeZone::UTC).map(|zoned| zoned.timestamp())
    });
    timestamp.map(SystemTime::from).map_err(|_| "a time is written 2026-12-31 or 2026-12-31T23:59:59Z".to_owned())
}
