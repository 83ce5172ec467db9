//! The arguments of the program's command line, and their parsing. This file opens and reads no
//! files.

#[cfg(feature = "full")]
mod full;
mod of_check;
mod of_index;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heedful::{Landmarks, Result, Uses};
use heedful_export::Engine;
use heedful_index::Forms;
use heedful_lint::vendor::{VENDORS, Vendor};

use crate::output::{Color, Format};
use crate::run_args::{RunArgs, limit, memory};
#[cfg(feature = "full")]
pub(crate) use full::*;
pub(crate) use of_check::{CheckArgs, asker};
pub(crate) use of_index::{CompactArgs, MergeArgs, PurgeArgs, SearchArgs, StatsArgs};

/// Index, search and inspect web pages the way their publishers ask.
#[derive(Debug, Parser)]
#[command(
    name = "heedful",
    version,
    max_term_width = 80,
    arg_required_else_help = true
)]
#[command(subcommand_help_heading = "Verbs", subcommand_value_name = "VERB")]
#[command(after_help = "\
Examples:
  heedful index site -u https://site.example/ -o site.index
  heedful search site.index 'rye bread'
  heedful help index

Exit status:
  0    done, or yes
  1    nothing found, or no
  2    trouble
  3    yes, but not yet (check --at)
  130  interrupted by Ctrl-C

Environment:
  HEEDFUL_CONFIG  a TOML file with options to use where none are typed")]
pub(crate) struct Program {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    /// When to colour the output
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, global = true, display_order = 900, hide_short_help = true)]
    pub(crate) color: Color,
}

/// The verbs of the program. The help of each verb ends with examples. In the examples, `site` is a
/// folder with the HTML pages of a site.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Gate, filter and index pages: sites, archives, JSON Lines, tables
    #[command(after_help = "\
Examples:
  heedful index site -u https://site.example/ -o site.index
  heedful index crawl.warc.gz -b foobot -o crawl.index --snapshot")]
    Index(IndexArgs),
    /// Search an index
    #[command(after_help = "\
Examples:
  heedful search site.index rye bread
  heedful search site.index '\"bravo charlie\" -drafts' -n 3")]
    Search(SearchArgs),
    /// Show facts about an index or one of its URLs, or find damage
    #[command(after_help = "\
Examples:
  heedful stats site.index --check
  heedful stats site.index --of https://site.example/about.html
  heedful stats site.index --list --format json")]
    Stats(StatsArgs),
    /// Remove from an index what may no longer be in it
    #[command(override_usage = "heedful purge [OPTIONS] <--url|--expired|--robots|...> <DIR>")]
    #[command(after_help = "\
Examples:
  heedful purge site.index --expired --dry-run
  heedful purge site.index --url '/drafts/*' --why 'asked by mail'
  heedful purge site.index --robots site/robots.txt")]
    Purge(PurgeArgs),
    /// Merge indexes that were built separately into one
    #[command(after_help = "\
Examples:
  heedful index crawl.warc.gz -o second.index
  heedful merge site.index second.index -o whole.index")]
    Merge(MergeArgs),
    /// Shrink an index that grew over many runs
    #[command(after_help = "\
Examples:
  heedful compact site.index")]
    Compact(CompactArgs),
    /// Write files for search engines, tables, or texts (WET)
    #[command(after_help = "\
Examples:
  heedful export --to solr site -u https://site.example/ -o for-solr
  heedful export --to wet crawl.warc.gz --use train -o texts")]
    Export(ExportArgs),
    /// Everything about each page, as JSON Lines: the verb for pipelines
    #[command(after_help = "\
Examples:
  heedful filter site -u https://site.example/ > pages.jsonl
  heedful filter crawl.warc.gz --snapshot | gzip > pages.jsonl.gz")]
    Filter(FilterArgs),
    /// Print the body's text that may be indexed, one phrase per line
    #[command(after_help = "\
Examples:
  heedful text site/about.html -u https://site.example/about.html
  heedful text - --input html -H 'X-Robots-Tag: nosnippet' < site/about.html")]
    Text(PageArgs),
    /// Print the links, and what may be done with each
    #[command(after_help = "\
Examples:
  heedful links site/about.html -u https://site.example/about.html
  heedful links site -u https://site.example/ --format json")]
    Links(PageArgs),
    /// Write pages with a mark in place of what may not be archived
    #[command(after_help = "\
Examples:
  heedful snapshot site/about.html -u https://site.example/about.html --dress
  heedful snapshot site -u https://site.example/ -o copies.warc.gz")]
    Snapshot(SnapshotArgs),
    /// Show why each page is read as it is: directives and effects
    #[command(after_help = "\
Examples:
  heedful explain site/about.html -u https://site.example/about.html
  heedful explain crawl.warc.gz -b foobot --html report.html
  heedful explain site -u https://site.example/ -b foobot -b barbot --diff")]
    Explain(ExplainArgs),
    /// Ask a robots.txt if a bot may fetch a URL, and by which line
    #[command(after_help = "\
Examples:
  heedful check -r site/robots.txt /private/ /about.html
  heedful check -r site/robots.txt -b foobot=foo -b greedybot /shop/")]
    Check(CheckArgs),
    /// List the conventions, on or off, or count their use in pages
    #[command(after_help = "\
Examples:
  heedful conventions
  heedful conventions --count site -u https://site.example/")]
    Conventions(ConventionsArgs),
    /// List the limits, each with its value and what it bounds
    #[command(after_help = "\
Examples:
  heedful limits
  heedful limits --limit page_bytes=1M --format json")]
    Limits(LimitsArgs),
    /// Report faults in the markup of pages; exit 1 if there are any
    #[command(after_help = "\
Examples:
  heedful lint site -u https://site.example/
  heedful lint site -u https://site.example/ --format sarif > lint.sarif
  heedful lint --robots site/robots.txt
  heedful lint --rules")]
    Lint(LintArgs),
    #[cfg(feature = "full")]
    #[command(flatten)]
    Full(Box<FullVerb>),
}

/// The names of the verbs that only a build with the feature `full` has.
pub(crate) const OF_FULL: [&str; 6] = ["mask", "evidence", "census", "serve", "verify", "generate"];

#[derive(Clone, Debug, Args)]
pub(crate) struct IndexArgs {
    /// The index; created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Store the snapshot of each page too
    #[arg(long)]
    pub(crate) snapshot: bool,
    #[command(flatten)]
    pub(crate) landmarks: LandmarkArgs,
    /// Do not store what pages call each other (anchor texts)
    #[arg(long, hide_short_help = true)]
    pub(crate) no_anchors: bool,
    /// The forms of a word that a query finds. exact: only the word itself. folded: also other case
    /// and accents. stemmed: also words with the same stem, on pages that declare their language.
    /// An existing index keeps its forms [default: stemmed]
    #[arg(long, value_name = "FORMS", value_parser = Forms::parse, hide_short_help = true)]
    pub(crate) forms: Option<Forms>,
    /// End each phrase at the end of its block: a paragraph, heading, list item or table cell. An
    /// existing index keeps its setting
    #[arg(long, hide_short_help = true)]
    pub(crate) blocks: bool,
    /// Continue where the last run over the same inputs was interrupted; begin anew if none was
    #[arg(long)]
    pub(crate) resume: bool,
    /// Commit the index after every N records and at the end. A search finds only committed pages.
    /// An archive in a pipe is committed only at its end
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub(crate) commit_every: u64,
    /// Keep evidence of each decision in this folder. An index that has evidence goes on with it,
    /// and needs this only if the folder has moved
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,
    /// With --evidence, begin new evidence in place of what is lost
    #[arg(long, requires = "evidence", hide_short_help = true)]
    pub(crate) new_evidence: bool,
    /// The input is the whole site: also remove the pages under --url that the input lacks, in one
    /// commit. Refused if the input is damaged, or lacks more than half of them
    #[arg(long, requires = "url", conflicts_with_all = ["resume", "commit_every"])]
    pub(crate) whole: bool,
    /// With --whole, remove the pages even if they are more than half, or if the input is damaged
    #[arg(long, requires = "whole", hide_short_help = true)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The option that selects landmarks of a page. Only the text in them is read.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LandmarkArgs {
    /// Take only the text in these landmarks: main, navigation (nav), banner, contentinfo,
    /// complementary, search, form, and none for text in none of them. `all,-nav` is all but
    /// navigation [default: all; for `index`, the landmarks of an existing index]
    #[arg(
        long,
        value_name = "LIST",
        allow_hyphen_values = true,
        hide_short_help = true
    )]
    pub(crate) landmarks: Option<Landmarks>,
}

/// Options of an export, other than the engine.
#[derive(Debug, Args)]
pub(crate) struct EngineArgs {
    /// The name of the index in the engine [default: heedful]
    #[arg(long, value_name = "NAME", requires = "to", hide_short_help = true)]
    pub(crate) name: Option<String>,
    /// Export only pages that allow all of these uses; all other pages are written as deletions.
    /// Uses, separated by commas: index, follow, anchor, archive, snippet, image, translate, train,
    /// input
    #[arg(long = "use", value_name = "USES", value_parser = Uses::parse_names, requires = "to")]
    pub(crate) need: Option<Uses>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The format to write: elasticsearch, opensearch, solr, quickwit, manticore (also sphinx),
    /// ciff, parquet, wet
    #[arg(long, value_name = "ENGINE", value_parser = Engine::parse)]
    pub(crate) to: Engine,
    /// A folder for the files; it must be empty, and is created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Include the blocks of each page: its paragraphs, headings, list items, table cells (parquet)
    #[arg(long, hide_short_help = true)]
    pub(crate) blocks: bool,
    #[command(flatten)]
    pub(crate) landmarks: LandmarkArgs,
    /// Start a new file before one gets longer than N bytes [default: 64 MiB; quickwit 8 MiB, wet 1
    /// GiB, parquet 512 MiB before it is packed; ciff is one file]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub(crate) file_bytes: Option<u64>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Write the format of this engine instead: elasticsearch, opensearch, solr, quickwit,
    /// manticore (also sphinx), wet
    #[arg(long, value_name = "ENGINE", value_parser = Engine::parse, conflicts_with_all = ["snapshot", "format"])]
    pub(crate) to: Option<Engine>,
    #[command(flatten)]
    pub(crate) engine: EngineArgs,
    /// Include the snapshot of each page
    #[arg(long)]
    pub(crate) snapshot: bool,
    /// Include the blocks of each page: its paragraphs, headings, list items, table cells
    #[arg(long, conflicts_with = "to", hide_short_help = true)]
    pub(crate) blocks: bool,
    #[command(flatten)]
    pub(crate) landmarks: LandmarkArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Json)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct PageArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) landmarks: LandmarkArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct SnapshotArgs {
    /// A folder for the files, or a .warc or .warc.gz file; a single page may go to a .html file,
    /// or to standard output
    #[arg(short, long, value_name = "DIR|WARC|HTML")]
    pub(crate) output: Option<PathBuf>,
    /// Give back the copies that this index stores: those of the URLs that are named as inputs, or
    /// all
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "map", "mark", "mark_class", "bot", "url", "headers", "robots", "conventions", "convention_file", "deny_region", "deny_element",
        "deny", "names", "profile", "require_robots", "fetch_robots", "strict", "jobs", "input", "hidden",
    ])]
    pub(crate) from: Option<PathBuf>,
    /// Write here, as JSON Lines, which byte ranges were left out of each page and by which
    /// directive
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(crate) map: Option<PathBuf>,
    /// The text that marks where something was left out
    #[arg(
        long,
        value_name = "TEXT",
        default_value = "[...]",
        hide_short_help = true
    )]
    pub(crate) mark: String,
    /// Make the mark a `span` with this class
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) mark_class: Option<String>,
    /// Add a `base` element, so that links and images lead to the publisher's site
    #[arg(long, hide_short_help = true)]
    pub(crate) base: bool,
    /// Add a line that says where the page is from and, if known, when it was fetched
    #[arg(long, hide_short_help = true)]
    pub(crate) banner: bool,
    /// Add a policy that lets no script run
    #[arg(long, hide_short_help = true)]
    pub(crate) no_scripts: bool,
    /// Short for --base --banner --no-scripts
    #[arg(long)]
    pub(crate) dress: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "html")]
    pub(crate) output: Option<PathBuf>,
    /// Show only what some of the bots may have and others may not; exit 1 if there is any
    #[arg(long, conflicts_with = "html")]
    pub(crate) diff: bool,
    /// Write HTML: one page with its source, or a report on many pages, with a view of each page
    /// that it names
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Show also how others would read each page, by the rules that they document, use by use
    /// beside our own reading: google, bing, amazon, yandex, marginalia, or all
    #[arg(long = "as", value_name = "NAMES", value_parser = vendors, conflicts_with = "diff")]
    pub(crate) vendors: Option<Vendors>,
    /// The maximum number of rows in each table of a report
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100,
        requires = "html",
        hide_short_help = true
    )]
    pub(crate) rows: usize,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text, conflicts_with = "html")]
    pub(crate) format: Format,
}

/// The vendors of crawlers that the user selects with the option `--as` of `heedful explain`.
#[derive(Clone, Debug)]
pub(crate) struct Vendors(pub(crate) Vec<&'static Vendor>);

pub(crate) fn vendors(names: &str) -> Result<Vendors> {
    if names == "all" {
        return Ok(Vendors(VENDORS.iter().collect()));
    }
    names
        .split(',')
        .map(|name| Vendor::parse(name.trim()))
        .collect::<Result<_>>()
        .map(Vendors)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LintFormat {
    Text,
    Json,
    Sarif,
    Github,
}

impl LintFormat {
    /// Returns the [`Format`] with which the output is opened. It is text for the lint format that
    /// people read, and JSON for the lint formats that programs read.
    pub(crate) fn output(self) -> Format {
        match self {
            Self::Text => Format::Text,
            Self::Json | Self::Sarif | Self::Github => Format::Json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Check only these rules, hints included; separated by commas. May be repeated
    #[arg(long, value_name = "RULES")]
    pub(crate) only: Vec<String>,
    /// Leave out these rules; separated by commas. May be repeated
    #[arg(long, value_name = "RULES")]
    pub(crate) skip: Vec<String>,
    /// Also report hints: markup that is correct but fragile
    #[arg(long)]
    pub(crate) hints: bool,
    /// List the rules
    #[arg(long, conflicts_with_all = ["inputs", "only", "skip", "hints"])]
    pub(crate) rules: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub(crate) format: LintFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ConventionsArgs {
    /// Count what the pages of the input say in each convention that is on, for the first bot
    #[arg(long)]
    pub(crate) count: bool,
    /// List the techniques by which publishers are advised to reserve their rights from generative
    /// AI (IPTC 2026), and whether each is read, only reported, or out of reach
    #[arg(long, conflicts_with = "count")]
    pub(crate) techniques: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct LimitsArgs {
    /// Lower the limits to what a run in this much memory has room for: bytes, also with K, M or G
    #[arg(long, value_name = "N", value_parser = memory)]
    pub(crate) memory: Option<u64>,
    /// Set a limit: NAME=N, also with K, M or G (1,024 of each). May be repeated
    #[arg(long, value_name = "NAME=N", value_parser = limit)]
    pub(crate) limit: Vec<(String, u64)>,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}
