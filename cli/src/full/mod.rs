//! The verbs that only a build with the feature `full` has. They need a web server, a second HTML
//! parser, and a generator of manual pages.
//!
//! If a user calls a verb of the feature `full` in a build without it, the error message names the
//! feature (see `tip`). The name of each new verb must be added to `args::OF_FULL`.

mod census;
mod evidence;
mod generate;
mod mask;
mod serve;
mod verify;
mod verify_text;

use heedful::Result;

use crate::args::FullVerb;
use crate::ending::RunEnding;

/// Runs a verb of the feature `full`.
pub(crate) fn run(verb: &FullVerb) -> Result<RunEnding> {
    match verb {
        FullVerb::Mask(args) => mask::run(args),
        FullVerb::Evidence(args) => evidence::run(args),
        FullVerb::Census(args) => census::run(args),
        FullVerb::Serve(args) => serve::run(args),
        FullVerb::Verify(args) if args.text => verify_text::run(args),
        FullVerb::Verify(args) => verify::run(args),
        FullVerb::Generate(args) => generate::run(args),
    }
}

#[cfg(test)]
mod tests {
    use clap::Subcommand;

    use super::*;
    use crate::args::OF_FULL;

    #[test]
    fn a_build_without_them_knows_their_names() {
        let mut named = OF_FULL;
        named.sort_unstable();
        let mut verbs: Vec<_> = FullVerb::augment_subcommands(clap::Command::new("x"))
            .get_subcommands()
            .map(|verb| verb.get_name().to_owned())
            .collect();
        verbs.sort_unstable();
        assert_eq!(named[..], verbs);
    }
}
