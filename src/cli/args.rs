//! What can be typed. Nothing is opened or read here, but settings are made from the words.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heedful::export::Engine;
use heedful::{Bot, Facets, Mode};

use super::run_args::{RunArgs, bot, time};

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
    /// Gate, filter and index pages: sites, archives, JSON Lines, tables
    Index(IndexArgs),
    /// Search an index
    Search(SearchArgs),
    /// Say what an index holds, what it knows of a URL, and whether it is whole
    Stats(StatsArgs),
    /// Take out of an index what may not be there any more
    Purge(PurgeArgs),
    /// Make an index small again; no answer changes
    Compact(CompactArgs),
    /// What search engines and readers of texts take, as files with what they must know before
    Export(ExportArgs),
    /// Everything about each page, as JSON Lines: the verb for pipelines
    Filter(FilterArgs),
    /// The text that may be indexed, one phrase a line
    Text(PageArgs),
    /// The links, and what may be done with them
    Links(PageArgs),
    /// The pages themselves, without what may not be archived, with a mark at each cut
    Snapshot(SnapshotArgs),
    /// Why each page is read as it is: every directive, how far it reached, and what became of it
    Explain(ExplainArgs),
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
    /// Go on where the last run over the same inputs was broken off; begin if none was
    #[arg(long)]
    pub(super) resume: bool,
    /// Make what was read searchable every N records, and at the end; of a pipe at its end alone
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) commit_every: u64,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

/// What is said of an engine besides its name.
#[derive(Debug, Args)]
pub(super) struct EngineArgs {
    /// What the engine calls the index [default: heedful]
    #[arg(long, value_name = "NAME", requires = "to")]
    pub(super) name: Option<String>,
    /// Only pages that allow all of these: train, snippet, archive, ...; the others are deleted
    #[arg(long, value_name = "FACETS", value_parser = Facets::named, requires = "to")]
    pub(super) need: Option<Facets>,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// For whom: elasticsearch, opensearch, solr, quickwit, wet
    #[arg(long, value_name = "ENGINE", value_parser = Engine::parse)]
    pub(super) to: Engine,
    /// A folder for the files; it must be empty, and is made if it is not there
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    /// Begin a new file before one gets longer than N bytes [default: 64 MiB; quickwit 8 MiB, wet 1 GiB]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) file_bytes: Option<u64>,
    #[command(flatten)]
    pub(super) run: RunArgs,
}

#[derive(Debug, Args)]
pub(super) struct FilterArgs {
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// Write what this engine takes instead: elasticsearch, opensearch, solr, quickwit, wet
    #[arg(long, value_name = "ENGINE", value_parser = Engine::parse, conflicts_with_all = ["snapshot", "format"])]
    pub(super) to: Option<Engine>,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
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
pub(super) struct ExplainArgs {
    /// Say only what some of the bots may have and others may not; exit 1 where there is any
    #[arg(long, conflicts_with = "html")]
    pub(super) diff: bool,
    /// Write a page to look at: one page with its source, or a report on many with a view of each beside it
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// The most rows of each table of a report
    #[arg(long, value_name = "N", default_value_t = 100, requires = "html")]
    pub(super) rows: usize,
    #[command(flatten)]
    pub(super) run: RunArgs,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "html")]
    pub(super) format: Format,
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
