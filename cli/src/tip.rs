//! Tips for invalid arguments, in cases in which clap's own tip would be misleading.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

use crate::args::OF_FULL;

/// Replaces the tip in clap's error about invalid arguments if there is a better tip. `arguments`
/// are the arguments of the command line; the first of them is the program's name.
pub(crate) fn with_tip(mut error: clap::Error, arguments: &[String]) -> clap::Error {
    if let Some(tip) = tip(&error, arguments) {
        let mut styled = StyledStr::new();
        let _infallible = write!(styled, "{tip}");
        let _other_verbs = error.remove(ContextKind::SuggestedSubcommand);
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![styled]),
        );
    }
    error
}

fn tip(error: &clap::Error, arguments: &[String]) -> Option<String> {
    if let Some(ContextValue::String(verb)) = error.get(ContextKind::InvalidSubcommand) {
        return OF_FULL.contains(&verb.as_str()).then(|| without_verb(verb));
    }
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    if argument == "--json" {
        return Some("JSON is `--format json`, of the verbs that print text too".to_owned());
    }
    if matches!(argument.as_str(), "-o" | "--output") {
        return Some("this verb writes to standard output: `> FILE` sends it to a file".to_owned());
    }
    if argument == "-f" {
        return Some("the format is set by `--format`".to_owned());
    }
    if arguments.get(1).is_none_or(|verb| verb != "search") {
        return None;
    }
    if argument.starts_with("--limit") {
        return Some(
            "the number of hits is `-n N`; --limit sets a bound of what a query may cost"
                .to_owned(),
        );
    }
    let is_option =
        |word: &str| word.starts_with("--") || word.trim_start_matches("-n").parse::<u64>().is_ok();
    let is_without = |word: &&String| word.len() > 2 && word.starts_with('-') && !is_option(word);
    let word = arguments
        .iter()
        .skip(2)
        .find(is_without)?
        .split(' ')
        .next()?;
    Some(format!(
        "begin the query with what must be there, and quote it: 'rye {word}'"
    ))
}

/// Returns the message for a verb that only a build with the feature `full` has. The build command
/// in the message builds from a clone of the repository, since no registry has heedful yet.
fn without_verb(verb: &str) -> String {
    format!(
        "this heedful was built without `{verb}`: cargo install --locked --path cli --features full"
    )
}
