//! The verbs that the main job does not need, behind the feature `full`: they bring a web server, a second reader of pages
//! and the writers of manual pages.
//!
//! A build without them names the feature (`tip`). Whoever adds a verb here adds its name to `args::OF_FULL`.

mod args;
mod census;
mod evidence;
mod generate;
mod mask;
mod serve;
mod verify;

use clap::Subcommand;
use heedful::Result;

use crate::ending::Ending;
pub(crate) use args::GenerateArgs;
use args::{CensusArgs, EvidenceArgs, MaskArgs, ServeArgs, VerifyArgs};
pub(crate) use generate::run as generate;

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum FullVerb {
    /// For each record of an archive, what it may be used for, and why
    #[command(after_help = "\
Examples:
  heedful mask crawl.warc.gz --use index,train -o crawl.mask.jsonl
  heedful mask --urls urls.txt crawl.warc.gz -b foobot -o urls.tsv
  heedful mask --diff crawl.mask.jsonl crawl.mask.jsonl > changes.jsonl")]
    Mask(MaskArgs),
    /// Prove, from a log, what allowed a page to be in an index or a data set
    #[command(subcommand)]
    #[command(after_help = "\
Examples:
  heedful index site -u https://site.example/ -o new.index --evidence log
  heedful evidence audit log --index new.index
  heedful evidence prove log https://site.example/about.html > about.proof")]
    Evidence(EvidenceArgs),
    /// Count what publishers say: which convention, of what, on how many pages
    #[command(after_help = "\
Examples:
  heedful census site -u https://site.example/
  heedful census crawl.warc.gz -o crawl.json --html crawl.html
  heedful census site -u https://site.example/ -o site.json
  heedful census --merge site.json crawl.json --html both.html")]
    Census(CensusArgs),
    /// Answer other programs on this machine: JSON over HTTP, no Rust needed
    #[command(after_help = "\
Examples:
  heedful serve
  heedful serve site.index --limit requests=100")]
    Serve(ServeArgs),
    /// Compare the output with that of a finished tree; exit 1 at a leak
    #[command(after_help = "\
Examples:
  heedful verify site -u https://site.example/
  heedful verify crawl.warc.gz --inject 20 --browser")]
    Verify(VerifyArgs),
}

/// Runs a verb.
pub(crate) fn run(verb: &FullVerb) -> Result<Ending> {
    match verb {
        FullVerb::Mask(args) => mask::run(args),
        FullVerb::Evidence(args) => evidence::run(args),
        FullVerb::Census(args) => census::run(args),
        FullVerb::Serve(args) => serve::run(args),
        FullVerb::Verify(args) => verify::run(args),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{OF_FULL, Program, Typed};

    #[test]
    fn a_build_without_them_knows_their_names() {
        let mut named: Vec<_> = OF_FULL.into_iter().filter(|name| *name != "generate").collect();
        named.sort_unstable();
        let mut verbs: Vec<_> = FullVerb::augment_subcommands(clap::Command::new("x"))
            .get_subcommands()
            .map(|verb| verb.get_name().to_owned())
            .collect();
        verbs.sort_unstable();
        assert_eq!(named, verbs);
        assert!(OF_FULL.iter().all(|name| Program::<Typed>::command().find_subcommand(name).is_some()));
    }
}
