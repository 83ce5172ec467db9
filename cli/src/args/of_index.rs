//! Arguments of the verbs that ask an index, or change it.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use heedful::Facets;

use crate::output::Format;
use crate::run_args::{bytes, time};

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Words (all of them), "a phrase", "words near"~3, "a prefix phra"*, -without, one OR other, title:word, site:host
    #[arg(required = true)]
    pub(crate) query: Vec<String>,
    /// The most hits
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    pub(crate) most: usize,
    /// Which page of so many hits
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) page: u32,
    /// Only pages that may be used for this too, as `input` or `train`; with `input` title and excerpt are what may be given to a model
    #[arg(long, value_name = "FACETS", value_parser = Facets::named)]
    pub(crate) need: Option<Facets>,
    /// Say what each word adds to the score, and in which field; `anchor` is what others call the page
    #[arg(long)]
    pub(crate) explain: bool,
    /// The clock, as 2026-12-31: pages that expired before are not found [default: now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) at: Option<SystemTime>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Read all of it and compare checksums; exit 1 where something is damaged
    #[arg(long)]
    pub(crate) check: bool,
    /// Say what is known of this URL, and what others call it
    #[arg(long, value_name = "URL", conflicts_with = "check")]
    pub(crate) of: Option<String>,
    /// The clock, as 2026-12-31: what has expired before is not there [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "of")]
    pub(crate) at: Option<SystemTime>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).multiple(true).args(["expired", "robots", "fetch", "noarchive"]))]
pub(crate) struct PurgeArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// Take out what has expired
    #[arg(long)]
    pub(crate) expired: bool,
    /// The clock, as 2026-12-31, for pages that expire [default: now]
    #[arg(long, value_name = "TIME", value_parser = time, requires = "expired")]
    pub(crate) at: Option<SystemTime>,
    /// Take out what this robots.txt keeps out, or those in a WARC; as SITE=FILE of that site alone. May be given again
    #[arg(short, long, value_name = "FILE")]
    pub(crate) robots: Vec<String>,
    /// Take out what the sites' robots.txt keep out now; the sites are asked
    #[arg(long)]
    pub(crate) fetch: bool,
    /// Keep what was fetched in this folder for a day
    #[arg(long, value_name = "DIR", requires = "fetch")]
    pub(crate) cache: Option<PathBuf>,
    /// What to say of ourselves when asking [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetch")]
    pub(crate) user_agent: Option<String>,
    /// Ask hosts in private networks too, at any port
    #[arg(long, requires = "fetch")]
    pub(crate) allow_private: bool,
    /// Take out the snapshots; the pages stay
    #[arg(long)]
    pub(crate) noarchive: bool,
    /// Only of this host, and the hosts in it. May be given again
    #[arg(long, value_name = "HOST")]
    pub(crate) site: Vec<String>,
    /// Take nothing out, but say what would go
    #[arg(short = 'n', long)]
    pub(crate) dry_run: bool,
    /// Pages judged at the same time [default: one for each core]
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<usize>,
    /// What is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The index
    pub(crate) dir: PathBuf,
    /// What it may take of memory, besides files that are mapped: bytes, also with K, M or G; 64M at the least
    #[arg(long, value_name = "N", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Say nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Indexes of the same bot and dialects, or @FILE, which names one a line; of equal captures of a URL the last counts
    #[arg(required = true, value_name = "SHARD")]
    pub(crate) shards: Vec<PathBuf>,
    /// The new index; must not be there yet
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// What it may take of memory, besides files that are mapped: bytes, also with K, M or G; 64M at the least
    #[arg(long, value_name = "N", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Say nothing
    #[arg(short, long)]
    pub(crate) quiet: bool,
}
