//! The syntax of a question: its tree, or the place where it stops being well formed, in words.
//!
//! The grammar is tantivy's, and so is the place. Its messages name rules of the grammar, so they are told anew here. A
//! message that is not known here is passed on as it is. Whoever calls checks the limits of a question first.

use tantivy::query_grammar::{UserInputAst, parse_query, parse_query_lenient};

/// Why a question has no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The byte of the question, if the parser can tell.
    pub(super) at: Option<usize>,
    /// The reason, such as "a quote is not closed".
    pub(super) reason: String,
}

/// The tree of a question.
pub(super) fn tree(text: &str) -> Result<UserInputAst, Fault> {
    let plain = plain(text);
    parse_query(&plain).map_err(|_| {
        let first = parse_query_lenient(&plain).1.into_iter().min_by_key(|error| error.pos);
        match first {
            Some(error) => Fault { at: Some(original(text, error.pos)), reason: told(&error.message) },
            None if ends_in_operator(&plain) => Fault { at: Some(text.len()), reason: told("expected word") },
            None => Fault { at: None, reason: "it is not well formed".to_owned() },
        }
    })
}

impl Fault {
    /// The fault in the question that has it, for a message.
    pub(super) fn in_question(&self, text: &str) -> String {
        match self.at {
            Some(at) if text[at..].trim().is_empty() => format!("at the end of `{text}` {}", self.reason),
            Some(at) => format!("at character {} of `{text}` {}", text[..at].chars().count() + 1, self.reason),
            None => format!("`{text}`: {}", self.reason),
        }
    }
}

fn ends_in_operator(text: &str) -> bool {
    text.split_whitespace().next_back().is_some_and(|word| matches!(word, "AND" | "OR" | "NOT"))
}

/// A message of the parser, for those who do not know its grammar.
fn told(message: &str) -> String {
    let reason = match message {
        "missing delimiter \\\"" | "missing delimiter \\'" => "a quote is not closed",
        "expected ')'" => "a parenthesis is not closed",
        "expected word" => "a word is missing",
        "missing space" => "a blank is missing",
        "parsed possible invalid field as term" => {
            "a word with a colon, or a URL, goes in quotes (url:\"https://...\")"
        }
        "unparsed end of query" => "the query cannot go on; a word with a sign in it goes in quotes",
        other => other,
    };
    reason.to_owned()
}

/// An upper bound of how deep the parser recurses.
pub(super) fn depth(text: &str) -> usize {
    text.matches('(').count() + text.matches("NOT").count()
}

/// A question without control characters: they are the index's own marks (see `packed`).
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
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
