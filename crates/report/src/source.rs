//! Renders the source of a page as HTML that displays it without interpreting it. Each part of the
//! source has CSS classes for the uses from which it is withheld.
//!
//! All characters of the source are escaped. Invisible characters, and those that change the
//! direction of text, are replaced by their code points. Long lines are split into rows, and rows
//! are grouped into blocks, so that a browser need not lay out hidden blocks.

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};

use heedful::{DirectiveId, Explanation, PartKind, Place, SourcePart, Use, Verdict, VerdictId};
use heedful_base::bot::BotSet;

use super::wording;

/// Number of rows in a block of a page's source.
const BLOCK_ROWS: usize = 100;
/// Maximum number of characters in a row of a page's source. A longer line is split into rows.
const ROW_LENGTH: usize = 2000;

/// Row of a page's source, as the target of a link. Each line of the source is shown in rows of at
/// most [`ROW_LENGTH`] characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SourceAnchor {
    /// Number of the line, from 1.
    line: u32,
    /// Number of the row among the rows of the line, from 0.
    row: u32,
}

impl SourceAnchor {
    /// Returns the target for a line and a column of the source, both counted from 1. A long line
    /// has several rows, and the target is the row that contains the column.
    pub(super) fn new(line: u32, column: u32) -> Self {
        Self {
            line,
            row: column.saturating_sub(1) / ROW_LENGTH as u32,
        }
    }
}

/// Returns the link target for the line and column of a directive or link of the page.
pub(super) fn anchor(place: Place) -> SourceAnchor {
    SourceAnchor::new(place.line(), place.column())
}

impl fmt::Display for SourceAnchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.row {
            0 => write!(f, "L{}", self.line),
            row => write!(f, "L{}-{}", self.line, row + 1),
        }
    }
}

/// Returns the letter that represents a use of a page in the names of CSS classes.
pub(super) fn letter(usage: Use) -> char {
    match usage {
        Use::Index => 'i',
        Use::Follow => 'f',
        Use::Anchor => 'a',
        Use::Archive => 'c',
        Use::Snippet => 's',
        Use::Image => 'g',
        Use::Translate => 'l',
        Use::Train => 't',
        Use::Input => 'n',
    }
}

/// Renders the source of an explained page as HTML, with an `id` for each row in `anchors`. When
/// the report is opened, a browser that supports `scroll-initial-target` scrolls to the row
/// `first`.
pub(super) fn source(
    explanation: &Explanation,
    anchors: &BTreeSet<SourceAnchor>,
    first: Option<SourceAnchor>,
) -> String {
    let mut view = SourceView {
        explanation,
        anchors,
        first,
        looks: HashMap::new(),
        out: String::with_capacity(explanation.source().len() * 3 / 2),
        at: SourceAnchor { line: 0, row: 0 },
        rows: 0,
        width: 0,
        after_return: false,
    };
    view.begin_line();
    for part in explanation.parts() {
        let look = view.look(part);
        view.part(&explanation.source()[part.range()], &look);
    }
    view.out.push_str("</span></div>");
    view.out
}

/// State of the renderer while it renders the source of a page part by part.
struct SourceView<'a> {
    explanation: &'a Explanation,
    /// Rows of the source to which links lead. Each of these rows gets an `id`.
    anchors: &'a BTreeSet<SourceAnchor>,
    first: Option<SourceAnchor>,

    /// Cache of the opening `<span>` tags that the renderer writes before parts of the source. A
    /// tag depends only on the verdict and the kind of a part, so many parts get the same tag.
    looks: HashMap<(VerdictId, PartKind), String>,
    /// HTML that was rendered up to now.
    out: String,
    /// Current line of the source, and the current row in it.
    at: SourceAnchor,
    /// Number of rows that were rendered up to now.
    rows: usize,
    /// Number of characters in the current row of the source.
    width: usize,
    /// True if the last line ended with a carriage return. A line feed after it belongs to the same
    /// line end.
    after_return: bool,
}

impl SourceView<'_> {
    fn begin_line(&mut self) {
        self.at = SourceAnchor {
            line: self.at.line + 1,
            row: 0,
        };
        self.begin_row();
    }

    fn begin_row(&mut self) {
        let is_line = self.at.row == 0;
        if self.rows.is_multiple_of(BLOCK_ROWS) {
            let end = if self.rows > 0 { "</div>" } else { "" };
            let before = if is_line {
                self.at.line - 1
            } else {
                self.at.line
            };
            let _ = write!(
                self.out,
                "{end}<div class=block style=\"counter-reset:line {before}\">"
            );
        }
        self.rows += 1;
        self.width = 0;
        let class = match (is_line, self.first == Some(self.at)) {
            (true, false) => "row",
            (true, true) => "row first",
            (false, false) => "row more",
            (false, true) => "row more first",
        };
        let _ = if self.anchors.contains(&self.at) {
            write!(
                self.out,
                "<span class=\"{class}\" id={} tabindex=-1>",
                self.at
            )
        } else {
            write!(self.out, "<span class=\"{class}\">")
        };
    }

    fn end_row(&mut self) {
        self.out.push_str("</span>\n");
    }

    /// Returns the opening `<span>` tag that the renderer writes before `part`, from the cache
    /// `looks`. Returns an empty string for markup without denials, which gets no tag.
    fn look(&mut self, part: &SourcePart) -> String {
        let explanation = self.explanation;
        self.looks
            .entry((part.verdict(), part.kind()))
            .or_insert_with(|| look(explanation, part))
            .clone()
    }

    fn part(&mut self, text: &str, look: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let line = rest.find(['\n', '\r']).unwrap_or(rest.len());
            self.text(&rest[..line], look);
            let is_one = line == 0 && self.after_return && rest.starts_with('\n');
            self.after_return = rest[line..].starts_with('\r');
            if line < rest.len() && !is_one {
                self.end_row();
                self.begin_line();
            }
            rest = rest.get(line + 1..).unwrap_or_default();
        }
    }

    fn text(&mut self, text: &str, look: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            if self.width >= ROW_LENGTH {
                self.end_row();
                self.at.row += 1;
                self.begin_row();
            }
            let room = ROW_LENGTH - self.width;
            let end = rest
                .char_indices()
                .nth(room)
                .map_or(rest.len(), |(at, _)| at);
            self.width += if end == rest.len() {
                rest.chars().count()
            } else {
                room
            };
            self.out.push_str(look);
            escape(&rest[..end], &mut self.out);
            if !look.is_empty() {
                self.out.push_str("</span>");
            }
            rest = &rest[end..];
        }
    }
}

fn look(explanation: &Explanation, part: &SourcePart) -> String {
    let mut classes = match part.kind() {
        PartKind::Text => "text".to_owned(),
        PartKind::Comment => "comment".to_owned(),
        PartKind::Inert => "inert".to_owned(),
        _ => String::new(),
    };
    let verdict = explanation.verdict(part);
    for usage in Use::ALL {
        mark(explanation, part, usage, &mut classes);
    }
    if classes.is_empty() {
        return String::new();
    }
    let why = why(explanation, verdict);
    let why = if why.is_empty() {
        why
    } else {
        format!(" title=\"{why}\"")
    };
    format!("<span class=\"{}\"{why}>", classes.trim_start())
}

/// Appends the CSS classes for one use of `part`, a part of the source. There is one class for each
/// bot to which `usage` is denied in this part. If only some of the bots are denied this use, one
/// more class is appended.
fn mark(explanation: &Explanation, part: &SourcePart, usage: Use, classes: &mut String) {
    let pages = explanation.pages();
    let here = explanation.verdict(part).denied(usage);
    let letter = letter(usage);
    for page in pages.iter().filter(|page| here.contains(page.bot_id())) {
        let _ = write!(classes, " {letter}{}", page.bot_id().index());
    }
    let denied = explanation.denied(part, usage);
    if !denied.is_empty() && denied != BotSet::all(pages.len()) {
        let _ = write!(classes, " d{letter}");
    }
}

/// Returns the tooltip of a withheld part of the source, escaped for HTML. It names the denied uses
/// and the directives that deny them.
fn why(explanation: &Explanation, verdict: &Verdict) -> String {
    let Some(page) = explanation.pages().first() else {
        return String::new();
    };
    let mut denials: Vec<(DirectiveId, BotSet, Vec<&str>)> = Vec::new();
    for winner in verdict.winners() {
        match denials
            .iter_mut()
            .find(|(id, bots, _)| (*id, *bots) == (winner.directive, winner.bots))
        {
            Some((_, _, uses)) => uses.push(winner.usage.name()),
            None => denials.push((winner.directive, winner.bots, vec![winner.usage.name()])),
        }
    }
    let mut text = String::new();
    for (id, bots, uses) in denials {
        let Some(directive) = page.outcome().directive(id) else {
            continue;
        };
        let place = match directive.place() {
            Some(place) => format!("{}:{} ", place.line(), place.column()),
            None => String::new(),
        };
        let whom = if explanation.pages().len() == 1 {
            String::new()
        } else {
            wording::bots(explanation, bots) + ": "
        };
        let line = format!(
            "{whom}no {} by {place}{} {}",
            uses.join(", "),
            directive.convention(),
            directive.text()
        );
        text.push_str(if text.is_empty() { "" } else { "\n" });
        text.push_str(&line);
    }
    let mut escaped = String::with_capacity(text.len());
    escape(&text, &mut escaped);
    escaped
}

/// Appends `text` as escaped HTML, with invisible characters replaced by their code points.
pub(super) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            _ if is_unseen(c) => {
                let _ = write!(out, "\u{27E8}U+{:04X}\u{27E9}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
}

/// True for control characters, invisible characters, and characters that hide or reorder the text
/// around them.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180E}' | '\u{3164}' | '\u{FFA0}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}
