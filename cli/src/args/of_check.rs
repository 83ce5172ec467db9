//! The arguments of `heedful check`.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use heedful::{Bot, Mode, Result};

use crate::fetch_args::FetchArgs;
use crate::output::Format;
use crate::robots_args::RobotsFile;
use crate::terms_args::time;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Whole URLs, or paths; `-` reads them from standard input, one per line
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// The robots.txt file. SITE=FILE applies to paths and to the URLs of one site, as
    /// `https://site.example/=FILE`. May be repeated
    #[arg(short, long, value_name = "FILE", value_parser = RobotsFile::parse)]
    pub(crate) robots: Vec<RobotsFile>,
    /// Fetch robots.txt from the site of each URL
    #[arg(long = "fetch-robots", conflicts_with_all = ["robots", "batch", "diff"])]
    pub(crate) fetch: bool,
    #[command(flatten)]
    pub(crate) fetching: FetchArgs,
    /// List the rules for each bot instead: what it may not have, and by which lines. Takes URLs
    /// only with --fetch-robots
    #[arg(long, conflicts_with_all = ["batch", "diff", "at"])]
    pub(crate) rules: bool,
    /// More URLs: a list with one per line, a sitemap (gzip is fine), or an index folder, for its
    /// pages. May be repeated
    #[arg(long = "urls", value_name = "PATH", conflicts_with = "batch")]
    pub(crate) urls_from: Vec<PathBuf>,
    /// The bot that asks: NAME, or NAME=ALIAS,...; `*` is a bot that no rule names. Repeated, it
    /// prints a table
    #[arg(short, long, value_name = "NAME", value_parser = asker, default_value = "heedful")]
    pub(crate) bot: Vec<Bot>,
    /// How the robots.txt is read: rfc9309, google, 1994, 1996, spiderline, lycos
    #[arg(long, value_name = "MODE", value_parser = Mode::parse, default_value = "rfc9309", hide_short_help = true)]
    pub(crate) mode: Mode,
    /// Also tell whether the bot may come at this time, such as 2026-12-31T23:59:59Z; exit 3 if the
    /// robots.txt asks it to wait
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "diff", hide_short_help = true)]
    pub(crate) at: Option<SystemTime>,
    /// The time of the last fetch: the pause that the robots.txt asks for begins then; needs --at
    #[arg(long, value_name = "TIME", value_parser = time, hide_short_help = true)]
    pub(crate) last: Option<SystemTime>,
    /// Answer JSON Lines from standard input: `robots` or `robots_b64`, `bot`, `url`, and
    /// optionally `mode`, `at`, `last`
    #[arg(long, conflicts_with_all = ["robots", "urls", "diff"], hide_short_help = true)]
    pub(crate) batch: bool,
    /// Show for which of the URLs two files differ
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"], conflicts_with = "robots")]
    pub(crate) diff: Vec<PathBuf>,
    /// Show also the rules that match but do not decide, and what looks wrong in the file
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// Parses the value of `--bot` of `heedful check`: the name of a bot, or `*` for a bot that no rule
/// names.
pub(crate) fn asker(text: &str) -> Result<Bot> {
    if text.trim() == "*" {
        Ok(Bot::unnamed())
    } else {
        Bot::parse(text)
    }
}
