//! The syntax of a question: its tree, or the place where it stops being well formed, in words.
//!
//! The grammar is tantivy's, and so is the place. Its messages name rules of the grammar, so they
//! are replaced here. A message that is not known here is passed on as it is. The caller checks the
//! limits of a question first.
//!
//! The grammar takes each apostrophe for a quote. One between two letters or digits belongs to its
//! word (`don't`), and so does one after a word that closes nothing (`dogs'`). The parser sees a
//! mark in its place.

use tantivy::query_grammar::{
    Delimiter, UserInputAst, UserInputBound, UserInputLeaf, parse_query, parse_query_lenient,
};

/// The parser sees this in place of an apostrophe in a word. It is a control character, so no plain
/// question has one.
const APOSTROPHE: char = '\u{1}';

/// The signs that end a word.
const SIGNS: [char; 9] = ['^', '`', '{', '}', '"', '\'', '[', ']', '\\'];

/// The reason if something else than a number follows a tilde.
const NEARNESS: &str = "a small whole number is wanted behind `~`, as \"dark rye\"~3";

/// Why a question has no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxFault {
    /// The byte of the question, if the parser can tell.
    pub(super) at: Option<usize>,
    /// The reason, such as "a quote is not closed".
    pub(super) reason: String,
}

/// The tree of a question.
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

/// Finds out where and why a question is not well formed. `plain` is its plain form.
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

/// The fault of a `~3` that a blank parts from its phrase: the grammar takes it for a word.
fn lone_nearness(text: &str, tree: &UserInputAst) -> Option<SyntaxFault> {
    let word = words(tree).into_iter().find(|word| is_nearness(word))?;
    let at = text
        .match_indices(word)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with('"'));
    Some(SyntaxFault::new(
        at,
        "a tilde stands right behind its phrase, without a blank, as \"dark rye\"~3",
    ))
}

/// True for a tilde and a number.
fn is_nearness(word: &str) -> bool {
    match word.strip_prefix('~') {
        Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()),
        None => false,
    }
}

/// A message about a sign that has no effect in a word without quotes.
pub(super) fn idle_sign(text: &str) -> Option<String> {
    let tree = tree(text).ok()?;
    let words = words(&tree);
    if let Some(word) = words.iter().find(|word| word.contains('*')) {
        return Some(idle_message("star", word, "\"dark ry\"*"));
    }
    let word = words
        .iter()
        .find(|word| word.trim_start_matches('~').contains('~'))?;
    Some(idle_message("tilde", word, "\"dark rye\"~3"))
}

fn idle_message(sign: &str, word: &str, example: &str) -> String {
    format!("the {sign} in `{word}` says nothing: a {sign} stands behind a phrase, as {example}")
}

/// The words of a question that are not in quotes.
fn words(tree: &UserInputAst) -> Vec<&str> {
    match tree {
        UserInputAst::Clause(clauses) => clauses.iter().flat_map(|(_, tree)| words(tree)).collect(),
        UserInputAst::Boost(tree, _) => words(tree),
        UserInputAst::Leaf(leaf) => match &**leaf {
            UserInputLeaf::Literal(literal) if literal.delimiter == Delimiter::None => {
                vec![&literal.phrase]
            }
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

    /// The fault in the question that has it, for a message.
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

/// The place of a sign that is in a word or right after it, where the grammar ends the word.
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

/// A message of the parser, for those who do not know its grammar.
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

/// An upper bound of how deep the parser recurses.
pub(super) fn depth(text: &str) -> usize {
    text.matches('(').count() + text.matches("NOT").count()
}

/// A question as the parser is to see it. Control characters go: they are the index's own marks
/// (see `packed`).
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

/// The tree of a plain question, with its apostrophes.
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

/// The texts of a leaf that may hold a word.
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

/// The place in a question of a byte of its plain form.
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
