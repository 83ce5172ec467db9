//! Parses the text of a query into a syntax tree. If the text is malformed, explains in words where
//! and why.
//!
//! The grammar of queries and the position of a syntax error are tantivy's. tantivy's messages name
//! rules of its grammar, so they are replaced here by plain ones. An unknown message is returned
//! unchanged. This module does not check the limits of a query; its caller must check them first.
//!
//! tantivy's grammar treats each apostrophe as a quote. Here an apostrophe between two letters or
//! digits belongs to its word (`don't`). An apostrophe after a word belongs to the word too if no
//! quote is open (`dogs'`). The parser gets a placeholder instead of an apostrophe that belongs to
//! a word.

use std::borrow::Cow;

use heedful_base::error::{Error, ErrorKind};
use tantivy::query_grammar::{
    Delimiter, UserInputAst, UserInputBound, UserInputLeaf, UserInputLiteral, parse_query,
    parse_query_lenient,
};

/// Placeholder for an apostrophe that belongs to a word. It is a control character. All other
/// control characters of a query become blanks before it is parsed.
const APOSTROPHE: char = '\u{1}';

/// Characters at which tantivy's query grammar ends a word.
const SIGNS: [char; 9] = ['^', '`', '{', '}', '"', '\'', '[', ']', '\\'];

/// Error message for a tilde that is not followed by a number.
const NEARNESS: &str = "a small whole number must follow `~`, as \"dark rye\"~3";

/// The reason why a query cannot be parsed, and the position of the error in the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    /// Byte offset of the error in the query's text. None if the parser does not report it.
    pub(super) at: Option<usize>,
    /// Description of the error, such as "a quote is not closed".
    pub(super) reason: String,
}

/// Creates an error for a query that cannot be answered. `message` says why.
pub(super) fn query_error(message: &str) -> Error {
    ErrorKind::Query(message.to_owned()).into()
}

/// Parses the text of a query into its syntax tree.
pub(super) fn tree(text: &str) -> Result<UserInputAst, SyntaxFault> {
    let plain = plain(text);
    let Ok(tree) = parse_query(&plain) else {
        return Err(fault(text, &plain));
    };
    let tree = with_apostrophes(tree);
    match lone_nearness(text, &tree) {
        Some(fault) => Err(fault),
        None => Ok(tree),
    }
}

/// Returns the position and the reason of a syntax error. `text` is the query. `plain` is the form
/// of the query that the parser got, without control characters and with placeholders for
/// apostrophes in words.
fn fault(text: &str, plain: &str) -> SyntaxFault {
    let errors = parse_query_lenient(plain).1;
    if let Some(error) = errors.into_iter().min_by_key(|error| error.pos) {
        let rest = plain.get(error.pos..).unwrap_or_default();
        let reason = if rest.starts_with('~') {
            NEARNESS
        } else {
            plain_message(&error.message)
        };
        return SyntaxFault::new(Some(original(text, error.pos)), reason);
    }
    if ends_in_operator(plain) {
        return SyntaxFault::new(Some(text.len()), plain_message("expected word"));
    }
    let at = sign_in_word(plain).map(|at| original(text, at));
    SyntaxFault::new(at, "it is not well formed")
}

/// Returns an error if a blank separates a phrase from its tilde and number, as in `"dark rye" ~3`.
/// tantivy's grammar would accept the tilde and number as a word. Returns None for any other query.
fn lone_nearness(text: &str, tree: &UserInputAst) -> Option<SyntaxFault> {
    let unquoted = literals(tree)
        .into_iter()
        .filter(|literal| literal.delimiter == Delimiter::None);
    let word = unquoted
        .map(|literal| literal.phrase.as_str())
        .find(|word| is_nearness(word))?;
    let at = text
        .match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with('"'));
    Some(SyntaxFault::new(
        at,
        "a tilde must follow its phrase without a space, as \"dark rye\"~3",
    ))
}

/// True if a word is a tilde followed by digits.
fn is_nearness(word: &str) -> bool {
    match word.strip_prefix('~') {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => false,
    }
}

/// Minimum number of characters before a star. A shorter prefix would match too many words of the
/// index.
const LEAST_BEGUN: usize = 2;
/// Minimum number of characters of a word with a tilde. A shorter word is at one edit from too many
/// other words.
const LEAST_EDITED: usize = 4;
/// Suffix with which a query word also finds similar words. These are all words at one edit from
/// the query word.
const ONE_EDIT: &str = "~1";

/// The way in which a word or phrase of a query is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// Words in quotes. Only these exact words match.
    Quoted,
    /// Words without quotes. Their other forms match too.
    Plain,
    /// A word that is followed by a star. All words that begin with it match.
    Begun(String),
    /// A word that is followed by `~1`. All words at one edit from it match.
    Edited(String),
    /// Words without quotes, with a star or tilde that has no effect. The string says why.
    Idle(String),
}

/// Returns the way in which a word or phrase of a query is searched, from its quotes, star or
/// tilde.
pub(super) fn written(literal: &UserInputLiteral) -> Written {
    let text = literal.phrase.as_str();
    if literal.delimiter != Delimiter::None {
        // A prefix of several words is a phrase whose last word is only begun.
        return match only_word(text).filter(|_| literal.prefix) {
            Some(word) if word.chars().count() >= LEAST_BEGUN => Written::Begun(word),
            _ => Written::Quoted,
        };
    }
    let is_address = matches!(literal.field_name.as_deref(), Some("site" | "url"));
    let has_star = text.contains('*');
    if !has_star && !text.trim_start_matches('~').contains('~') {
        return Written::Plain;
    }
    if is_address {
        let (sign, example) = if has_star {
            ("star", "rye*")
        } else {
            ("tilde", "bread~1")
        };
        return Written::Idle(format!(
            "the {sign} in `{text}` has no effect: it must follow a word, as {example}"
        ));
    }
    if has_star {
        let word = text.strip_suffix('*').and_then(only_word);
        return match word.filter(|word| word.chars().count() >= LEAST_BEGUN) {
            Some(word) => Written::Begun(word),
            None => Written::Idle(format!(
                "the star in `{text}` has no effect: a star must follow one word of at least \
                 {LEAST_BEGUN} characters, as rye*, or a phrase, as \"dark ry\"*"
            )),
        };
    }
    let word = text.strip_suffix(ONE_EDIT).and_then(only_word);
    match word.filter(|word| word.chars().count() >= LEAST_EDITED) {
        Some(word) => Written::Edited(word),
        None => Written::Idle(format!(
            "the tilde in `{text}` has no effect: {ONE_EDIT} must follow one word of at least \
             {LEAST_EDITED} characters, as bread~1, or a number must follow a phrase, as \"dark rye\"~3"
        )),
    }
}

/// Returns the word that `text` consists of, case-folded as in an index. Returns None if `text` is
/// not exactly one word.
fn only_word(text: &str) -> Option<String> {
    let mut words = heedful::words(text);
    let word = words.next()?;
    if words.next().is_some() || word.text() != text {
        return None;
    }
    word.folded().map(Cow::into_owned)
}

/// Returns a note about the first unquoted word of the query whose star or tilde has no effect.
/// Returns None if all stars and tildes have an effect, or if the query is malformed.
pub(super) fn idle_sign(text: &str) -> Option<String> {
    let tree = tree(text).ok()?;
    let mut notes = literals(&tree).into_iter().map(written);
    notes.find_map(|written| match written {
        Written::Idle(note) => Some(note),
        _ => None,
    })
}

/// Returns the words and phrases of a query. Sets and ranges are left out.
fn literals(tree: &UserInputAst) -> Vec<&UserInputLiteral> {
    match tree {
        UserInputAst::Clause(clauses) => clauses
            .iter()
            .flat_map(|(_, tree)| literals(tree))
            .collect(),
        UserInputAst::Boost(tree, _) => literals(tree),
        UserInputAst::Leaf(leaf) => match &**leaf {
            UserInputLeaf::Literal(literal) => vec![literal],
            _ => Vec::new(),
        },
    }
}

impl SyntaxFault {
    fn new(at: Option<usize>, reason: &str) -> Self {
        Self {
            at,
            reason: reason.to_owned(),
        }
    }

    /// Formats this error as a message. The message quotes the query, which is `text`.
    pub(super) fn message_for(&self, text: &str) -> String {
        match self.at {
            Some(at) if text[at..].trim().is_empty() => {
                format!("at the end of `{text}` {}", self.reason)
            }
            Some(at) => format!(
                "at character {} of `{text}` {}",
                text[..at].chars().count() + 1,
                self.reason
            ),
            None => format!("`{text}`: {}", self.reason),
        }
    }
}

/// Finds the first of the [`SIGNS`] that directly follows a letter or digit. tantivy's query
/// grammar ends the word there. Returns the byte offset of the sign, or None if no sign follows a
/// letter or digit.
fn sign_in_word(text: &str) -> Option<usize> {
    for ((at, before), sign) in text.char_indices().zip(text.chars().skip(1)) {
        if before.is_alphanumeric() && SIGNS.contains(&sign) {
            return Some(at + before.len_utf8());
        }
    }
    None
}

fn ends_in_operator(text: &str) -> bool {
    matches!(
        text.split_whitespace().next_back(),
        Some("AND" | "OR" | "NOT")
    )
}

/// Converts an error message of tantivy's query parser to a message for users. Returns an unknown
/// message unchanged.
fn plain_message(message: &str) -> &str {
    match message {
        "missing delimiter \\\"" | "missing delimiter \\'" => "a quote is not closed",
        "expected ')'" => "a parenthesis is not closed",
        "expected word" => "a word is missing",
        "missing space" => "a blank is missing",
        "parsed possible invalid field as term" => {
            "a word with a colon, or a URL, goes in quotes (url:\"https://...\"); `site:` takes a host, as site:example.com"
        }
        "unparsed end of query" => {
            "the query cannot go on; a word with a sign in it goes in quotes"
        }
        other => other,
    }
}

/// Returns an upper bound of the parser's recursion depth for this query.
pub(super) fn depth(text: &str) -> usize {
    text.matches('(').count() + text.matches("NOT").count()
}

/// Converts a query's text to the form that tantivy's parser gets. Control characters become
/// blanks, because heedful itself uses some of them: in packed texts (module `packed`), and as the
/// placeholder [`APOSTROPHE`]. Apostrophes in words become this placeholder.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut is_in_word = false;
    let mut is_quoted = false;
    while let Some(c) = rest.next() {
        let goes_on = rest.peek().is_some_and(|next| next.is_alphanumeric());
        plain.push(match c {
            '\'' if is_in_word && (!is_quoted || goes_on) => APOSTROPHE,
            '\'' => {
                is_quoted = !is_quoted;
                c
            }
            c if c.is_control() => ' ',
            c => c,
        });
        is_in_word = c.is_alphanumeric();
    }
    plain
}

/// Replaces the placeholders in a parsed query with apostrophes.
fn with_apostrophes(tree: UserInputAst) -> UserInputAst {
    match tree {
        UserInputAst::Clause(clauses) => UserInputAst::Clause(
            clauses
                .into_iter()
                .map(|(occur, tree)| (occur, with_apostrophes(tree)))
                .collect(),
        ),
        UserInputAst::Boost(tree, boost) => {
            UserInputAst::Boost(Box::new(with_apostrophes(*tree)), boost)
        }
        UserInputAst::Leaf(mut leaf) => {
            for text in texts(&mut leaf) {
                *text = text.replace(APOSTROPHE, "'");
            }
            UserInputAst::Leaf(leaf)
        }
    }
}

/// Returns mutable references to the texts in a word, phrase, set or range that can contain
/// apostrophes.
fn texts(leaf: &mut UserInputLeaf) -> Vec<&mut String> {
    match leaf {
        UserInputLeaf::Literal(literal) => vec![&mut literal.phrase],
        UserInputLeaf::Range { lower, upper, .. } => {
            [lower, upper].into_iter().filter_map(bound).collect()
        }
        UserInputLeaf::Set { elements, .. } => elements.iter_mut().collect(),
        UserInputLeaf::Regex { pattern, .. } => vec![pattern],
        UserInputLeaf::All | UserInputLeaf::Exists { .. } => Vec::new(),
    }
}

fn bound(bound: &mut UserInputBound) -> Option<&mut String> {
    match bound {
        UserInputBound::Inclusive(text) | UserInputBound::Exclusive(text) => Some(text),
        UserInputBound::Unbounded => None,
    }
}

/// Converts the byte offset `at` in the result of [`plain`] to the corresponding offset in `text`,
/// the query itself.
fn original(text: &str, at: usize) -> usize {
    let mut plain = 0;
    for (place, c) in text.char_indices() {
        if plain >= at {
            return place;
        }
        plain += if c.is_control() { 1 } else { c.len_utf8() };
    }
    text.len()
}
