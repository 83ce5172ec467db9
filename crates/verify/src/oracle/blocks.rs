//! Finds the blocks of a page in its finished tree: the line breaks between its words, and for each
//! word the kind of its block, its table row and its landmark.
//!
//! This is a second implementation of the rules for blocks (docs/semantics.md, section 5). It
//! follows the HTML standard's algorithm for `innerText`, with the elements' `display` by the
//! standard's rendering section, and HTML-AAM for landmarks. Unlike the streaming filter, it reads
//! the elements around a text from the tree, and it knows which cell is the last of its row.

use std::collections::HashMap;

use super::grown::{GrownTree, NUMBER, NodeKind};
use super::stamp::{BEGIN, END, numbers};

/// Properties of a text that depend on the elements around it: kind of block, level, table row,
/// landmark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockLook {
    /// Name of the kind of the block that contains the text.
    pub(crate) kind: &'static str,
    /// Level of a heading, or number of lists around a list item. `None` for other kinds of blocks.
    pub(crate) level: Option<u8>,
    /// Number of the table row that contains the text, counted from 1 in the whole page. `None`
    /// outside of tables.
    pub(crate) row: Option<u32>,
    /// Name of the innermost landmark that contains the text. `None` outside of landmarks.
    pub(crate) landmark: Option<&'static str>,
}

/// A piece of the text of one block. It contains no line break and no tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockRun {
    /// Line breaks and tabs between the previous text and this one. Empty for the first text of a
    /// page.
    pub(crate) space: String,
    /// True if the text is at the beginning of a block.
    pub(crate) begins: bool,
    pub(crate) look: BlockLook,
    /// Characters of the text without white space.
    pub(crate) text: String,
}

/// The body text of a finished tree, in the order of the tree.
#[derive(Debug, Default)]
pub(crate) struct TreeBlocks {
    pub(crate) runs: Vec<BlockRun>,
    /// True if the tree builder had to repair the page, for example to move or insert an element.
    pub(crate) is_repaired: bool,
    /// True if the tree lacks some body text, or has the texts in another order than the page's
    /// source.
    pub(crate) is_moved: bool,
}

impl TreeBlocks {
    /// Reads the blocks of a tree. `texts` has the body texts, except those that are only white
    /// space. A key of `texts` is the number of the text's token.
    pub(super) fn new(grown: &GrownTree, texts: &HashMap<usize, String>) -> Self {
        let mut walk = Walk::new(grown, texts);
        walk.read();
        let is_whole = walk.seen.len() == walk.texts.len();
        Self {
            is_moved: !is_whole || !walk.seen.is_sorted(),
            is_repaired: grown.is_repaired,
            runs: walk.lines.runs,
        }
    }
}

/// Names of the elements that have a line break before and after them in `innerText`. The HTML
/// standard displays these elements as blocks, list items, tables or captions.
const BLOCKS: &str = " html body address blockquote center dialog div figure figcaption footer form header hr legend \
    listing main plaintext pre search xmp article aside h1 h2 h3 h4 h5 h6 hgroup nav section dir dd dl dt menu ol ul \
    li details summary fieldset optgroup option table caption ";

fn is_in(names: &str, name: &str) -> bool {
    names.contains(&format!(" {name} "))
}

/// A separator between two texts that the walk over the tree has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    Required(u8),
    /// A line break or tab that the algorithm for `innerText` inserts, or a white space character
    /// of preformatted text.
    Sign(char),
}

/// Builds runs of text from characters and the separators between them.
#[derive(Default)]
struct Lines {
    runs: Vec<BlockRun>,
    pending: Vec<Separator>,
    begins: bool,
    /// True if no separator was added after the last character. The next character then belongs to
    /// the same word.
    goes_on: bool,
}

impl Lines {
    fn require(&mut self, breaks: u8) {
        self.begins = true;
        self.goes_on = false;
        match self.pending.last_mut() {
            Some(Separator::Required(last)) => *last = breaks.max(*last),
            _ => self.pending.push(Separator::Required(breaks)),
        }
    }

    fn sign(&mut self, sign: char) {
        self.goes_on = false;
        self.pending.push(Separator::Sign(sign));
    }

    fn character(&mut self, character: char, look: &BlockLook) {
        if self.goes_on
            && let Some(last) = self.runs.last_mut()
            && last.look == *look
        {
            return last.text.push(character);
        }
        let mut space = String::new();
        for separator in self.pending.drain(..) {
            match separator {
                Separator::Required(breaks) => space.extend((0..breaks).map(|_| '\n')),
                Separator::Sign(sign @ ('\n' | '\t')) => space.push(sign),
                Separator::Sign(_) => {}
            }
        }
        let before = self.runs.last_mut();
        let begins = self.begins || before.as_ref().is_none_or(|before| before.look != *look);
        if before.is_none() {
            space.clear();
        }
        (self.begins, self.goes_on) = (false, true);
        match before {
            Some(before) if !begins && space.is_empty() => before.text.push(character),
            _ => self.runs.push(BlockRun {
                space,
                begins,
                look: look.clone(),
                text: character.into(),
            }),
        }
    }
}

/// State of an open element during the walk over the tree.
#[derive(Clone, Debug, Default)]
struct Around {
    look: BlockLook,
    lists: u8,
    in_section: bool,
    in_main: bool,
    keeps_space: bool,
    is_inert: bool,
    /// Number of line breaks that the algorithm for `innerText` requires at the end of the element.
    required: u8,
    /// Separator after the element: a line break for a table row, or a tab for a table cell. `None`
    /// for the last row of a table, for the last cell of a row, and for all other elements.
    sign: Option<char>,
}

struct Walk<'a> {
    tree: &'a GrownTree,
    /// Body texts of the page. A key is the number of the text's token.
    texts: &'a HashMap<usize, String>,
    /// Numbers of the text tokens that the walk has met, in the order of the tree.
    seen: Vec<usize>,
    copies: Vec<bool>,
    /// A bool for each node. It is true for the last row of a table and for the last cell of a row.
    last_parts: Vec<bool>,
    rows: u32,
    lines: Lines,
}

impl<'a> Walk<'a> {
    fn new(tree: &'a GrownTree, texts: &'a HashMap<usize, String>) -> Self {
        Self {
            tree,
            texts,
            seen: Vec::new(),
            copies: tree.copies(),
            last_parts: last_parts(tree),
            rows: 0,
            lines: Lines::default(),
        }
    }

    fn read(&mut self) {
        let tree = self.tree;
        // Nodes from the root to the current one.
        let mut open: Vec<(usize, Around)> = Vec::new();
        for (at, node) in tree.nodes.iter().enumerate() {
            while open.last().is_some_and(|(last, _)| *last != node.parent) {
                if let Some((_, ended)) = open.pop() {
                    self.end(&ended);
                }
            }
            let outer = open.last().map_or_else(root, |(_, around)| around.clone());
            match &node.kind {
                NodeKind::Text(text) => self.text(text, &outer, self.copies[at]),
                NodeKind::Comment(_) => {}
                NodeKind::Root => open.push((
                    at,
                    Around {
                        required: 0,
                        sign: None,
                        ..outer
                    },
                )),
                NodeKind::Element {
                    name,
                    is_foreign,
                    attributes,
                } => {
                    let around = if *is_foreign {
                        Around {
                            required: 0,
                            sign: None,
                            ..outer
                        }
                    } else {
                        self.start(name, attributes, outer, at)
                    };
                    open.push((at, around));
                }
            }
        }
        while let Some((_, ended)) = open.pop() {
            self.end(&ended);
        }
    }

    fn start(
        &mut self,
        name: &str,
        attributes: &[(String, String)],
        outer: Around,
        at: usize,
    ) -> Around {
        let mut around = outer;
        around.is_inert |= name == "template" && !self.makes_root(attributes);
        around.sign = None;
        around.required = match name {
            _ if around.is_inert => 0,
            "p" => 2,
            _ => u8::from(is_in(BLOCKS, name)),
        };
        if around.is_inert {
            return around;
        }
        if around.required > 0 {
            self.lines.require(around.required);
        }
        match name {
            "br" => self.lines.sign('\n'),
            "tr" => {
                self.rows += 1;
                around.look.row = Some(self.rows);
                around.sign = (!self.last_parts[at]).then_some('\n');
            }
            "td" | "th" => around.sign = (!self.last_parts[at]).then_some('\t'),
            _ => {}
        }
        let is_list = is_in(" ol ul menu dir dl ", name);
        around.lists += u8::from(is_list);
        if let Some(kind) = kind(name) {
            around.look.kind = kind;
            around.look.level = match kind {
                "heading" => name[1..].parse().ok(),
                "item" => Some(around.lists).filter(|lists| *lists > 0),
                _ => None,
            };
            around.keeps_space |= kind == "preformatted";
        }
        mark_landmark(name, attributes, &mut around);
        around
    }

    fn end(&mut self, ended: &Around) {
        if ended.required > 0 {
            self.lines.require(ended.required);
        }
        if let Some(sign) = ended.sign {
            self.lines.begins |= sign == '\t';
            self.lines.sign(sign);
        }
    }

    fn makes_root(&self, attributes: &[(String, String)]) -> bool {
        let number = attributes.iter().find(|(name, _)| name == NUMBER);
        number
            .and_then(|(_, number)| number.parse().ok())
            .is_some_and(|number| self.tree.roots.contains(&number))
    }

    /// Reads a text node of the tree. In `stamped`, each part of the text that is not white space
    /// is replaced by a number. If `is_copy` is true, the text belongs to a copy of an `option`,
    /// and is ignored.
    fn text(&mut self, stamped: &str, around: &Around, is_copy: bool) {
        if is_copy || around.is_inert {
            return;
        }
        for piece in stamped.split_inclusive(END) {
            let blanks = piece.split(BEGIN).next().unwrap_or_default();
            let number = numbers(piece).next();
            let text = number.and_then(|number| self.texts.get(&number));
            if number.is_some() && text.is_none() {
                continue;
            }
            self.seen.extend(number);
            let solid = text.map_or("", |text| text.trim_start_matches(is_html_blank));
            for character in blanks.chars().chain(solid.chars()) {
                if !character.is_whitespace() {
                    if character != '\u{FFFD}' {
                        self.lines.character(character, &around.look);
                    }
                } else if around.keeps_space {
                    self.lines.sign(character);
                }
            }
        }
    }
}

fn root() -> Around {
    Around {
        look: BlockLook {
            kind: "paragraph",
            ..BlockLook::default()
        },
        ..Around::default()
    }
}

fn is_html_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\u{c}' | '\r')
}

fn kind(name: &str) -> Option<&'static str> {
    Some(match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "li" | "dt" | "dd" => "item",
        "td" | "th" => "cell",
        "pre" | "listing" | "xmp" | "plaintext" => "preformatted",
        "blockquote" => "quote",
        "caption" | "figcaption" | "legend" => "caption",
        "option" | "optgroup" => "choice",
        _ => return None,
    })
}

/// Returns a bool for each node of the tree. It is true if the node is the last row of its table,
/// or the last cell of its row.
fn last_parts(tree: &GrownTree) -> Vec<bool> {
    let name = |at: usize| match &tree.nodes[at].kind {
        NodeKind::Element {
            name,
            is_foreign: false,
            ..
        } => name.as_str(),
        _ => "",
    };
    let mut last: HashMap<(usize, bool), usize> = HashMap::new();
    for at in 1..tree.nodes.len() {
        let is_row = name(at) == "tr";
        if !is_row && !matches!(name(at), "td" | "th") {
            continue;
        }
        let whole = if is_row { "table" } else { "tr" };
        let mut parent = tree.nodes[at].parent;
        while parent > 0 && name(parent) != whole {
            parent = tree.nodes[parent].parent;
        }
        last.insert((parent, is_row), at);
    }
    let mut is_last = vec![false; tree.nodes.len()];
    for at in last.into_values() {
        is_last[at] = true;
    }
    is_last
}

/// Roles of WAI-ARIA 1.2 that are not landmarks. If such a role comes first in an attribute `role`,
/// the element is no landmark. A landmark role after it has no effect.
const ROLES: &str = " alert alertdialog application article blockquote button caption cell checkbox code columnheader \
    combobox comment definition deletion dialog directory document emphasis feed figure generic grid gridcell group \
    heading img image insertion link list listbox listitem log mark marquee math menu menubar menuitem \
    menuitemcheckbox menuitemradio meter none note option paragraph presentation progressbar radio radiogroup region \
    row rowgroup rowheader scrollbar searchbox separator slider spinbutton status strong subscript suggestion \
    superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem ";
const LANDMARKS: [&str; 7] = [
    "main",
    "navigation",
    "banner",
    "contentinfo",
    "complementary",
    "search",
    "form",
];

/// Sets the landmark in `around` if the element is a landmark. If its attribute `role` has a known
/// role, that role decides. Otherwise the name of the element decides. These are the rules of
/// HTML-AAM.
fn mark_landmark(name: &str, attributes: &[(String, String)], around: &mut Around) {
    let value = |wanted: &str| {
        let found = attributes.iter().find(|(name, _)| name == wanted);
        found.map_or("", |(_, value)| value.as_str())
    };
    let is_named = ["aria-label", "aria-labelledby", "title"]
        .iter()
        .any(|name| !value(name).trim().is_empty());
    let words = value("role").to_ascii_lowercase();
    let role = words
        .split_ascii_whitespace()
        .find(|word| LANDMARKS.contains(word) || is_in(ROLES, word) || word.starts_with("doc-"));
    let is_of_page = !around.in_section && !around.in_main;
    let found = match (role, name) {
        (Some(role), _) => role,
        (None, "main" | "search" | "form") => name,
        (None, "nav") => "navigation",
        (None, "header") if is_of_page => "banner",
        (None, "footer") if is_of_page => "contentinfo",
        (None, "aside") if !around.in_section || is_named => "complementary",
        _ => "",
    };
    let landmark = LANDMARKS
        .into_iter()
        .find(|landmark| *landmark == found)
        .filter(|landmark| *landmark != "form" || is_named);
    around.look.landmark = landmark.or(around.look.landmark);
    let is_section = |name: &str| {
        is_in(
            " article aside nav section complementary navigation region ",
            name,
        )
    };
    around.in_section |= is_section(name) || role.is_some_and(is_section);
    around.in_main |= name == "main" || role == Some("main");
}
