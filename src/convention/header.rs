//! The `X-Robots-Tag` header (docs/semantics.md, section 4.2).
//!
//! Each field line is parsed by itself. The name before a colon is a bot, unless it is a directive
//! with a value. The words that follow are for that bot, up to the next bot or the end of the line.
//! An empty name or `*` means every bot. A member in the syntax of Robots-Tag, such as
//! `foobot;noindex`, is for that bot alone. A header with a similar name, such as `X-Robot-Tag` or
//! `Robots`, is read too, but only its denials have an effect.

use crate::policy::Extent;
use heedful_base::lenient::near::near;

use super::collector::StatementCollector;
use super::member::{continues_date, member};
use super::terms::{StatementContext, TermWords};

pub(super) const NAME: &str = "x-robots-tag";

pub(crate) fn header(value: &str, collector: &mut StatementCollector<'_>) {
    let context = StatementContext {
        convention: "header",
        extent: Extent::Response,
        bots: collector.bots.all(),
        only_denies: false,
    };
    line(value, context, collector);
}

/// True if a header called `name` is read as an `X-Robots-Tag`. The name is then `X-Robots-Tag` or
/// a similar name.
pub(super) fn is_name(name: &str) -> bool {
    is_exactly_named(name) || is_nearly_named(name)
}

pub(super) fn is_exactly_named(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(NAME)
}

/// True if `name` resembles `X-Robots-Tag` but differs from it, or is `robots` or `x-robots`.
pub(super) fn is_nearly_named(name: &str) -> bool {
    let name = name.trim();
    if SHORT.iter().any(|short| name.eq_ignore_ascii_case(short)) {
        return true;
    }
    if is_exactly_named(name) {
        return false;
    }
    let letters = name.trim_start_matches(|c: char| !c.is_alphanumeric());
    letters.starts_with(['x', 'X']) && near(&letters.to_ascii_lowercase(), [NAME]).is_some()
}

const SHORT: [&str; 2] = ["robots", "x-robots"];

/// True if `name` cannot be the name of a bot: it is `robots`, or the name of a robots header.
pub(super) fn is_no_bot(name: &str) -> bool {
    // A version is not part of a bot's name.
    let name = name.split('/').next().unwrap_or_default();
    ["robots-tag", NAME]
        .iter()
        .any(|no_bot| name.eq_ignore_ascii_case(no_bot))
        || is_nearly_named(name)
}

/// Reads the value of one field line of `X-Robots-Tag`, and adds its statements to `collector`. The
/// words before the first name of a bot apply to the bots of `context`.
pub(super) fn line(value: &str, context: StatementContext, collector: &mut StatementCollector<'_>) {
    let mut from = 0;
    let mut at = 0;
    while at < value.len() {
        let mut end = comma(value, at);
        if member(&value[at..end], collector).is_some() {
            while value
                .get(end + 1..)
                .is_some_and(|next| continues_date(&value[at..end], next))
            {
                end = comma(value, end + 1);
            }
        }
        if let Some((bots, rules)) = member(&value[at..end], collector) {
            words(&value[from..at], context, collector);
            TermWords::parse(&rules).read_all(StatementContext { bots, ..context }, collector);
            from = (end + 1).min(value.len());
        }
        at = end + 1;
    }
    words(&value[from..], context, collector);
}

/// Returns the offset of the first comma in `value` at or after the offset `from`. If there is no
/// comma, returns the length of `value`.
fn comma(value: &str, from: usize) -> usize {
    value
        .get(from..)
        .and_then(|rest| rest.find(','))
        .map_or(value.len(), |at| from + at)
}

/// Reads a part of an `X-Robots-Tag`, which consists of directives and names of bots. A colon
/// follows each name. Directives after a name apply to the bot with that name. Directives before
/// the first name apply to the bots of `context`.
fn words(value: &str, mut context: StatementContext, collector: &mut StatementCollector<'_>) {
    let mut words = TermWords::parse(value);
    while !words.is_over() {
        let Some(before) = words.bot_ahead() else {
            words.read_term(context, collector);
            continue;
        };
        let name = before.rsplit(' ').next().unwrap_or_default();
        let whole = if matches!(before.as_str(), "" | "*") {
            collector.bots.all()
        } else {
            collector.bots.with_name(&before)
        };
        let last = collector.bots.with_name(name);
        // With several bots in a pass, one may be called by all words before the colon and another
        // by the last word.
        words.read_terms_before_colon(
            StatementContext {
                bots: context.bots.without(whole),
                ..context
            },
            collector,
        );
        words.skip_past_colon();
        context = StatementContext {
            bots: whole.or(last),
            ..context
        };
    }
}
