//! The options that set how a verb fetches robots.txt files, and the creation of the fetcher from
//! them.

use std::path::{Path, PathBuf};

use clap::Args;
use heedful::{Bot, Result};
use heedful_input::fetch::Fetcher;

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// Store fetched files in this folder, and reuse them for a day
    #[arg(
        long = "robots-cache",
        value_name = "DIR",
        requires = "fetch",
        hide_short_help = true
    )]
    cache: Option<PathBuf>,
    /// The user agent to send [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetch", hide_short_help = true)]
    user_agent: Option<String>,
    /// Allow hosts in private networks too, at any port
    #[arg(long, requires = "fetch", hide_short_help = true)]
    allow_private: bool,
}

impl FetchArgs {
    pub(crate) fn fetcher(&self, bot: &Bot) -> Result<Fetcher> {
        fetcher(
            self.user_agent.as_deref(),
            bot,
            self.cache.as_deref(),
            self.allow_private,
        )
    }
}

/// Creates a fetcher of robots.txt files. Its user agent is `user_agent`, or else the bot's name.
/// It caches responses in the folder `cache`, and requests private addresses only if
/// `allow_private` is true.
pub(crate) fn fetcher(
    user_agent: Option<&str>,
    bot: &Bot,
    cache: Option<&Path>,
    allow_private: bool,
) -> Result<Fetcher> {
    let fetcher = match user_agent {
        Some(text) => Fetcher::new(text)?,
        None if bot.names().next().is_none() => Fetcher::new("heedful/1.0")?,
        None => Fetcher::new(&format!("{}/1.0", bot.name()))?,
    };
    let fetcher = if allow_private {
        fetcher.allow_private()
    } else {
        fetcher
    };
    Ok(match cache {
        Some(folder) => fetcher.cache(folder),
        None => fetcher,
    })
}
