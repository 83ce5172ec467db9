//! The `Robots-Tag` header (docs/semantics.md, section 4.2). `member` has the parts of its syntax
//! that may also occur in an `X-Robots-Tag`.
//!
//! Implements draft-illyes-repext-03: a list of RFC 9651, whose members are product tokens with
//! their rules as parameters. The member `*` means all bots, and all rules for a bot add up. A rule
//! only restricts, so none of them allows anything. Departures: the words of META are rules too. If
//! a line does not parse as a list, the denials of its members are obeyed. A member whose name is
//! in doubt is for all bots. If rules are in the syntax of X-Robots-Tag, only their denials have an
//! effect.

use sfv::{BareItem, Item, List, ListEntry, Parameters, Parser};

use crate::note::NoteKind;
use crate::policy::Extent;
use heedful_base::bot::BotSet;

use super::collector::StatementCollector;
use super::header::line as old_line;
use super::member::{NOT_BOT_NAMES, format_date, is_name, is_valued, member_bots, plain_rule};
use super::terms::{StatementContext, TermWords, has_keyword};

pub(super) const CONVENTION: &str = "robots-tag";

pub(crate) fn header(value: &str, collector: &mut StatementCollector<'_>) {
    // Rules ignore case by the draft, and keys of RFC 9651 are in lower case.
    let value = value.to_ascii_lowercase();
    if !value.contains(';') && has_keyword(&value) {
        let before = collector.statements.len();
        old_line(&value, context(collector.bots.all()), collector);
        let denied = collector.bots_denied_since(before);
        if !denied.is_empty() {
            let message = "this is the syntax of X-Robots-Tag: its denials count".to_owned();
            collector.complain(NoteKind::Lookalike, denied, CONVENTION, message);
        }
        return;
    }
    match Parser::new(&value).parse::<List>() {
        Ok(list) => {
            for entry in &list {
                read_entry(entry, collector);
            }
        }
        Err(_) => {
            let message = format!(
                "`{value}` is no list of product tokens: only what it plainly denies counts"
            );
            collector.complain(
                NoteKind::UnreadableValue,
                collector.bots.all(),
                CONVENTION,
                message,
            );
            for member in value.split(',') {
                read_broken_member(member, collector);
            }
        }
    }
}

pub(super) fn is_header(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(CONVENTION)
}

/// Returns the properties that all statements of one `Robots-Tag` member share. `bots` are the bots
/// that the member addresses. Allowing words such as `index` have no effect, since the draft of
/// `Robots-Tag` defines only restrictions.
fn context(bots: BotSet) -> StatementContext {
    StatementContext {
        convention: CONVENTION,
        extent: Extent::Response,
        bots,
        only_denies: true,
    }
}

fn read_entry(entry: &ListEntry, collector: &mut StatementCollector<'_>) {
    match entry {
        ListEntry::Item(Item {
            bare_item: BareItem::String(name),
            params,
        }) if is_string_name(name.as_str()) => {
            let bots = collector.bots.with_name(name.as_str());
            TermWords::parse(&rules(params)).read_all(context(bots), collector);
        }
        ListEntry::Item(Item { bare_item, params }) => {
            report_rules(
                &text(bare_item).unwrap_or_default(),
                &rules(params),
                collector,
            );
        }
        ListEntry::InnerList(list) => report_rules("", &rules(&list.params), collector),
    }
}

/// True if a quoted string in a `Robots-Tag` may be the name of a bot. The name may have several
/// words.
fn is_string_name(name: &str) -> bool {
    let may_be = |word: &str| is_name(word) || NOT_BOT_NAMES.contains(&word);
    name != "*" && name.split(' ').all(may_be) && name.split(' ').any(is_name)
}

/// Converts the parameters of a `Robots-Tag` member to directives in the syntax of META robots.
fn rules(params: &Parameters) -> String {
    let rule = |(key, value): (&sfv::Key, &BareItem)| match (value, text(value)) {
        (BareItem::Boolean(false), _) => None,
        (_, Some(value)) if is_valued(key.as_str()) => Some(format!("{}: {value}", key.as_str())),
        _ => Some(key.as_str().to_owned()),
    };
    params
        .iter()
        .filter_map(rule)
        .collect::<Vec<_>>()
        .join("; ")
}

fn text(item: &BareItem) -> Option<String> {
    Some(match item {
        BareItem::Token(token) => token.as_str().to_owned(),
        BareItem::String(string) => string.as_str().to_owned(),
        BareItem::Integer(number) => number.to_string(),
        BareItem::Date(date) => format_date(date.unix_seconds().into())?,
        _ => return None,
    })
}

/// Reads one member (a part between commas) of a `Robots-Tag` line. The line is not a valid list of
/// RFC 9651.
fn read_broken_member(member: &str, collector: &mut StatementCollector<'_>) {
    let member = member.replace(['"', '\''], "");
    match member.split_once(';') {
        None => old_line(&member, context(collector.bots.all()), collector),
        Some((name, rules)) => {
            let rules: Vec<_> = rules.split(';').filter_map(plain_rule).collect();
            report_rules(name.trim(), &rules.join("; "), collector);
        }
    }
}

/// Reads the directives `rules` for the bots that `name` addresses. If no bot can have this name,
/// `rules` are for all bots, and `name` is read as a directive too.
fn report_rules(name: &str, rules: &str, collector: &mut StatementCollector<'_>) {
    let bots = member_bots(name, collector);
    if !is_name(name) {
        TermWords::parse(name).read_all(context(bots), collector);
    }
    TermWords::parse(rules).read_all(context(bots), collector);
}
