//! Checks that an explanation accounts for every word of a real page. If a browser's tree has a
//! word that the filtered page lacks, the explanation must mark that word as withheld or as inert.
//!
//! Each explained page is parsed again by html5ever alone (scripting on). The parser gets the
//! source in pieces, so that the place of each letter in the source is known. Numbers are put into
//! the text nodes, including those of scripts, styles and templates, so that each node can be found
//! in the tree. A word is a run of letters without white space or a separating tag inside. The
//! class of a letter of a text node depends only on the tree and the exclusions. It is one of
//! three:
//! * withheld: the letter is in the range of an exclusion of `index` ([`Page::exclusions`]);
//! * inert: one of the elements that contain the letter is `script`, `style`, `template`,
//!   `noscript`, `iframe`, `noembed`, `noframes`, or a second `title`;
//! * kept: all other letters. Words are cut where withheld letters begin or end. The kept words
//!   must be the words of the title, the alternative texts (svg's `title` and `desc`) or the
//!   phrases, in the same order and number.
//!
//! The phrases of the filtered page contain no words other than those of the class "kept". The
//! parts of the explanation must agree for each letter (text or inert, denied or not). A NUL, which
//! the tree drops, counts as U+FFFD, as in docs/semantics.md.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::cell::{Cell, RefCell};
use std::ops::Range;

use heedful::{Bot, BotId, Conventions, Explanation, Filter, Page, PartKind, Use};
use heedful_input::{Inputs, Item};
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::support::{self, RealPage};

const CONVENTIONS: [&str; 2] = ["web", "all"];

#[test]
fn every_word_of_every_real_page_is_accounted_for() {
    let files = ["real-pages.jsonl.gz", "real-exclusion.jsonl.gz"]
        .into_iter()
        .flat_map(support::pages);
    let pages: Vec<RealPage> = files
        .chain(support::fragments())
        .chain(archived())
        .collect();
    let (mut tally, mut wrong, mut refused) = (Tally::default(), Vec::new(), Vec::new());
    for page in &pages {
        let (mut tree, mut last): (Option<Tree>, Option<Account>) = (None, None);
        for conventions in CONVENTIONS {
            let Ok(explanation) = explained(conventions, page) else {
                refused.push(page.id.clone());
                continue;
            };
            if page.is_text {
                assert!(
                    page.html.ends_with(explanation.source().as_bytes()),
                    "{}: another source",
                    page.id
                );
            }
            let tree = tree.get_or_insert_with(|| Tree::of(explanation.source()));
            for bot in (0..BOTS.len()).map(BotId::nth) {
                let account = Account::of(&explanation, bot);
                // Most pages say the same to all bots.
                if last.as_ref() == Some(&account) {
                    continue;
                }
                match account.settle(tree) {
                    Ok(more) => tally.add(&more),
                    Err(fault) => wrong.push(format!(
                        "{} ({conventions}, bot {}): {fault}",
                        page.id,
                        bot.index()
                    )),
                }
                last = Some(account);
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} pages:\n{}",
        wrong.len(),
        pages.len(),
        wrong.join("\n")
    );
    assert!(refused.is_empty(), "refused: {refused:?}");
    assert!(
        pages.is_empty() || tally.kept.min(tally.withheld).min(tally.inert) > 10_000,
        "{tally:?}"
    );
}

/// A function that inserts a fault into the account of a page, to test that the fault is found.
type Plant<'a> = &'a dyn Fn(&mut Account);

/// Inserts each possible fault into the account of an explained page, and checks that the fault is
/// found.
#[test]
fn planted_faults_are_noticed() {
    let html = b"<title>the first</title><title>the second</title><p>dark <!--noindex-->rye<!--/noindex--> bread, \
                 d<b>ark</b> bread<script>var dark</script><svg><title>a loaf</title></svg><template>bread</template>"
        .to_vec();
    let explanation = explained(
        "web",
        &RealPage {
            id: String::new(),
            html,
            is_text: true,
        },
    )
    .unwrap();
    let tree = Tree::of(explanation.source());
    let account = || Account::of(&explanation, BotId::FIRST);
    assert_eq!(
        account().settle(&tree).unwrap(),
        Tally {
            kept: 8,
            withheld: 1,
            inert: 5
        }
    );
    let faulty = |plant: Plant<'_>| {
        let mut account = account();
        plant(&mut account);
        account.settle(&tree).unwrap_err()
    };
    let faults: [(Plant<'_>, &str); 9] = [
        (
            &|account| account.excluded.clear(),
            "denied, but in no exclusion",
        ),
        (
            &|account| account.excluded[0].end += 20,
            "in an exclusion, but not denied",
        ),
        (&|account| account.phrases[0].clear(), "`dark` is lost"),
        (
            &|account| account.phrases[1] = "dark bread".to_owned(),
            "`bread,` is lost",
        ),
        (
            &|account| account.phrases[1] = "bread, dark".to_owned(),
            "`bread` is lost",
        ),
        (
            &|account| account.phrases.push("bread".to_owned()),
            "`bread` is too much",
        ),
        (&|account| account.title.clear(), "`the` is lost"),
        (&|account| account.alternative.clear(), "`a` is lost"),
        (
            &|account| account.parts.retain(|part| part.kind != PartKind::Inert),
            "no part",
        ),
    ];
    for (plant, expected) in faults {
        let fault = faulty(plant);
        assert!(fault.contains(expected), "{expected}: {fault}");
    }
}

const BOTS: [&str; 2] = ["FooBot", "googlebot"];

fn explained(conventions: &str, page: &RealPage) -> heedful::Result<Explanation> {
    let filter = Filter::for_bots(BOTS.map(|name| Bot::new(name).unwrap()).into())?;
    let mut pass = filter
        .conventions(Conventions::parse(conventions)?)
        .explain("https://site.example/dir/page")?;
    if page.is_text {
        pass.assume_utf8();
    }
    pass.write(&page.html)?;
    pass.end()
}

/// Returns the pages of the real archives, for the test of explanations.
fn archived() -> Vec<RealPage> {
    let Some(folder) = support::data() else {
        return Vec::new();
    };
    let mut pages = Vec::new();
    for input in Inputs::default().open(&[folder.join("warc")]).unwrap() {
        for (item, _) in input.items().unwrap() {
            let Item::Document(document) = item else {
                continue;
            };
            let (id, html) = (document.origin().to_string(), document.bytes().to_vec());
            pages.push(RealPage {
                id,
                html,
                is_text: document.is_decoded(),
            });
        }
    }
    pages
}

/// The number of words of a page in each class: withheld, inert or kept.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    kept: usize,
    withheld: usize,
    inert: usize,
}

impl Tally {
    fn add(&mut self, more: &Self) {
        self.kept += more.kept;
        self.withheld += more.withheld;
        self.inert += more.inert;
    }
}

/// What an explanation states about a page for one bot: its exclusions, its parts, and its texts.
#[derive(PartialEq, Eq)]
struct Account {
    excluded: Vec<Range<usize>>,
    parts: Vec<Said>,
    phrases: Vec<String>,
    title: Vec<String>,
    alternative: Vec<String>,
}

/// A part of a page and its verdict, as an explanation reports it.
#[derive(PartialEq, Eq)]
struct Said {
    range: Range<usize>,
    kind: PartKind,
    is_denied: bool,
}

/// Class of a word of a page: withheld, inert or kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lot {
    Withheld,
    Inert,
    Kept(Field),
}

impl Account {
    fn of(explanation: &Explanation, bot: BotId) -> Self {
        let page = explanation.page(bot).unwrap();
        let said = |part: &heedful::SourcePart| Said {
            range: part.range(),
            kind: part.kind(),
            is_denied: explanation.denied(part, Use::Index).contains(bot),
        };
        Self {
            excluded: excluded(page),
            parts: explanation.parts().iter().map(said).collect(),
            phrases: page.phrases().to_vec(),
            title: page.title().to_vec(),
            alternative: page.alternative().to_vec(),
        }
    }

    /// Compares this account of a page with the letters of a browser's tree. Returns the number of
    /// words in each class, or a description of the difference.
    fn settle(&self, tree: &Tree) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let mut kept: [Vec<String>; 3] = Default::default();
        for (lot, word) in self.words(tree)? {
            match lot {
                Lot::Withheld => tally.withheld += 1,
                Lot::Inert => tally.inert += 1,
                Lot::Kept(field) => {
                    tally.kept += 1;
                    kept[field as usize].push(word);
                }
            }
        }
        let [body, title, alternative] = &kept;
        same(body, &self.phrases)?;
        same(title, &self.title)?;
        // Texts of images are among them.
        let mut claimed = self
            .alternative
            .iter()
            .flat_map(|text| text.split_whitespace());
        let lost = alternative
            .iter()
            .find(|word| !claimed.any(|claimed| claimed == *word));
        lost.map_or(Ok(tally), |lost| Err(format!("`{lost}` is lost")))
    }

    /// Returns the words of a browser's tree in source order, each with its class.
    fn words(&self, tree: &Tree) -> Result<Vec<(Lot, String)>, String> {
        let mut words: Vec<(Lot, String)> = Vec::new();
        let mut goes_on = false;
        let mut known: Option<(Lot, Range<usize>, Option<Field>)> = None;
        for letter in &tree.letters {
            goes_on &= !letter.is_apart;
            if letter.is.is_whitespace() {
                goes_on = false;
                continue;
            }
            // Most letters have the same range as the letter before them.
            let still = known
                .take()
                .filter(|(_, here, field)| here.contains(&letter.at) && *field == letter.field);
            let (lot, ..) = *known.insert(match still {
                Some(still) => still,
                None => (self.lot(letter)?, self.around(letter.at), letter.field),
            });
            match words.last_mut().filter(|(last, _)| goes_on && *last == lot) {
                Some((_, word)) => word.push(letter.is),
                None => words.push((lot, letter.is.to_string())),
            }
            goes_on = true;
        }
        Ok(words)
    }

    /// Returns the range of source bytes from `at` to the next byte at which the class of letters
    /// may change.
    fn around(&self, at: usize) -> Range<usize> {
        let part = holding(&self.parts, at, |said| &said.range).map_or(at, |said| said.range.end);
        let edges = self
            .excluded
            .iter()
            .flat_map(|range| [range.start, range.end]);
        at..edges
            .filter(|edge| *edge > at)
            .chain([part])
            .min()
            .unwrap_or(part)
    }

    /// Returns the class of a letter of the page. Fails if exclusions and parts of the explanation
    /// do not agree about the letter.
    fn lot(&self, letter: &Letter) -> Result<Lot, String> {
        let fault = |what: &str| Err(format!("`{}` at byte {}: {what}", letter.is, letter.at));
        let Some(said) = holding(&self.parts, letter.at, |said| &said.range) else {
            return fault("in no part");
        };
        let is_withheld = holding(&self.excluded, letter.at, |range| range).is_some();
        let is_inert = letter.field == Some(Field::Inert);
        let kind = if is_inert {
            PartKind::Inert
        } else {
            PartKind::Text
        };
        match (is_withheld, said.is_denied) {
            (true, false) => fault("in an exclusion, but not denied"),
            (false, true) => fault("denied, but in no exclusion"),
            _ if said.kind != kind => fault(&format!(
                "{kind:?} by the tree, but told as {:?}",
                said.kind
            )),
            (true, true) => Ok(Lot::Withheld),
            _ if is_inert => Ok(Lot::Inert),
            _ => Ok(Lot::Kept(letter.field.unwrap_or(Field::Body))),
        }
    }
}

fn excluded(page: &Page) -> Vec<Range<usize>> {
    let of_index = page
        .exclusions()
        .filter(|exclusion| exclusion.usage() == Use::Index);
    let byte = |at: u64| usize::try_from(at).unwrap();
    let mut ranges: Vec<_> = of_index
        .map(|e| byte(e.range().start)..byte(e.range().end))
        .collect();
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// Returns the item of `all` whose range contains the byte `at`. `all` is sorted by range.
fn holding<T>(all: &[T], at: usize, range: impl Fn(&T) -> &Range<usize>) -> Option<&T> {
    let behind = all.partition_point(|one| range(one).start <= at);
    all[..behind].last().filter(|one| range(one).end > at)
}

/// Checks that the words of the tree are the words of the page's phrases. A phrase may end inside a
/// word.
fn same(words: &[String], phrases: &[String]) -> Result<(), String> {
    let of_phrase = |phrase: &String| {
        let mut words: Vec<_> = phrase
            .split_whitespace()
            .map(|word| (word.to_owned(), false))
            .collect();
        if let Some((_, is_last)) = words.last_mut() {
            *is_last = true;
        }
        words
    };
    let mut claimed = phrases.iter().flat_map(of_phrase);
    for word in words {
        let mut rest = word.as_str();
        while !rest.is_empty() {
            let next = claimed.next();
            let part = next
                .as_ref()
                .filter(|(part, is_last)| rest == part || *is_last && rest.starts_with(part));
            let Some((part, _)) = part else {
                return Err(format!("`{rest}` is lost: next comes {next:?}"));
            };
            rest = &rest[part.len()..];
        }
    }
    claimed
        .next()
        .map_or(Ok(()), |(word, _)| Err(format!("`{word}` is too much")))
}

/// Letters of the tree that html5ever builds of a page, in source order.
struct Tree {
    letters: Vec<Letter>,
}

struct Letter {
    is: char,
    /// Offset in the page's source at which the letter, or the character reference for it, begins.
    at: usize,
    /// True if a tag that separates words is between the previous letter and this one.
    is_apart: bool,
    /// Field of the page that contains the letter. `None` if the tree dropped the letter.
    field: Option<Field>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Body,
    Title,
    Alternative,
    Inert,
}

/// Character that precedes the number of a text in the tree. [`END`] is the character after the
/// number.
const BEGIN: char = '\u{E000}';
const END: char = '\u{E001}';

impl Tree {
    fn of(source: &str) -> Self {
        let sink = Numberer {
            builder: TreeBuilder::new(RcDom::default(), TreeBuilderOpts::default()),
            fed: Cell::default(),
            from: Cell::default(),
            seen: RefCell::default(),
        };
        let tokenizer = Tokenizer::new(
            sink,
            TokenizerOpts {
                discard_bom: false,
                ..TokenizerOpts::default()
            },
        );
        let queue = BufferQueue::default();
        let mut rest = source;
        while !rest.is_empty() {
            let special = rest
                .find(['<', '&', '>', ';', '\r', '\0'])
                .unwrap_or(rest.len());
            let (piece, after) = rest.split_at(special.max(1));
            let before = tokenizer.sink.seen.borrow().letters.len();
            tokenizer.sink.fed.set(source.len() - after.len());
            queue.push_back(StrTendril::from(piece));
            while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
            tokenizer.sink.place(source, piece, before);
            rest = after;
        }
        let before = tokenizer.sink.seen.borrow().letters.len();
        tokenizer.end();
        tokenizer.sink.place(source, "", before);
        let Numberer { builder, seen, .. } = tokenizer.sink;
        let mut seen = seen.into_inner();
        seen.walk(&builder.sink.document, Field::Body);
        Self {
            letters: seen.letters,
        }
    }
}

/// Passes the tokens of a page to the tree builder, with a number in place of each text.
struct Numberer {
    builder: TreeBuilder<Handle, RcDom>,
    /// Number of bytes of the page's source that were passed to the tokenizer.
    fed: Cell<usize>,
    /// Offset of the first byte of the page's source that does not belong to a token yet.
    from: Cell<usize>,
    seen: RefCell<Seen>,
}

#[derive(Default)]
struct Seen {
    letters: Vec<Letter>,
    /// Ranges of letters that belong to each text. The index is the number of the text.
    texts: Vec<Range<usize>>,
    /// Index of the first letter after each start tag of a `title` of HTML.
    titles: Vec<usize>,
    is_apart: bool,
}

impl Seen {
    fn push(&mut self, text: &str) {
        let start = self.letters.len();
        for is in text.chars() {
            let is_apart = std::mem::take(&mut self.is_apart);
            self.letters.push(Letter {
                is,
                at: usize::MAX,
                is_apart,
                field: None,
            });
        }
        self.texts.push(start..self.letters.len());
    }

    /// Sets the field of each letter in `node`, by the elements that contain the letter. `field` is
    /// the field of text in the node's parent.
    fn walk(&mut self, node: &Handle, field: Field) {
        let mut field = field;
        match &node.data {
            NodeData::Text { contents } => {
                for number in contents
                    .borrow()
                    .split(BEGIN)
                    .skip(1)
                    .filter_map(|text| text.split(END).next())
                {
                    self.found(number.parse().unwrap(), field);
                }
            }
            NodeData::Element {
                name,
                template_contents,
                ..
            } => {
                if let Some(contents) = &*template_contents.borrow() {
                    self.walk(contents, Field::Inert);
                }
                field = inside(&name.local, &name.ns == "http://www.w3.org/2000/svg", field);
            }
            _ => {}
        }
        for child in node.children.borrow().iter() {
            self.walk(child, field);
        }
    }

    fn found(&mut self, number: usize, field: Field) {
        let range = self.texts[number].clone();
        let is_later = field == Field::Title
            && self
                .titles
                .get(1)
                .is_some_and(|second| range.start >= *second);
        for letter in &mut self.letters[range] {
            assert_eq!(letter.field, None, "two copies of a text");
            letter.field = Some(if is_later { Field::Inert } else { field });
        }
    }
}

/// Returns the field of text inside an element of this name. `around` is the field of text around
/// the element.
fn inside(name: &str, is_svg: bool, around: Field) -> Field {
    match name {
        _ if around == Field::Inert => Field::Inert,
        "title" | "desc" if is_svg => Field::Alternative,
        "script" | "style" => Field::Inert,
        "template" | "noscript" | "iframe" | "noembed" | "noframes" if !is_svg => Field::Inert,
        "title" => Field::Title,
        _ => around,
    }
}

impl Numberer {
    /// Sets the places in the source for two kinds of letters: those in the last piece, and those
    /// that the tokenizer returned late. `before` is the number of letters that were placed before.
    fn place(&self, source: &str, piece: &str, before: usize) {
        let (seen, fed) = (&mut *self.seen.borrow_mut(), self.fed.get());
        let fresh = &mut seen.letters[before..];
        if fresh.is_empty() {
            return;
        }
        // `<` and `&` are held back until it is known what they begin, except in CDATA and
        // plaintext.
        let is_held = matches!(piece, "<" | "&") && source[self.from.get()..fed] != *piece;
        let end = fed - usize::from(is_held);
        let mut bytes = source[self.from.get()..end].char_indices();
        let mut open = fresh.len();
        while let Some(at) = open.checked_sub(1) {
            let mut left = bytes.clone();
            let Some((byte, _)) = left
                .next_back()
                .filter(|(_, is)| reads_as(*is) == fresh[at].is)
            else {
                break;
            };
            fresh[at].at = self.from.get() + byte;
            (bytes, open) = (left, at);
        }
        let reference = bytes.as_str().rfind('&').unwrap_or(bytes.as_str().len());
        for letter in &mut fresh[..open] {
            letter.at = self.from.get() + reference;
        }
        self.from.set(end);
    }

    fn text(&self, text: &str, line: u64) -> TokenSinkResult<Handle> {
        let seen = &mut *self.seen.borrow_mut();
        seen.push(text);
        let solid = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
        let mut numbered = text[..text.len() - solid.len()].to_owned();
        if !solid.is_empty() {
            numbered.extend([
                BEGIN.to_string(),
                (seen.texts.len() - 1).to_string(),
                END.to_string(),
            ]);
        }
        self.builder
            .process_token(Token::CharacterTokens(StrTendril::from(numbered)), line)
    }
}

/// Returns the character that a browser's tree has for a character of the source.
fn reads_as(is: char) -> char {
    match is {
        '\r' => '\n',
        '\0' => '\u{FFFD}',
        is => is,
    }
}

impl TokenSink for Numberer {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        match token {
            Token::CharacterTokens(text) => return self.text(&text, line),
            Token::NullCharacterToken => self.seen.borrow_mut().push("\u{FFFD}"),
            Token::TagToken(ref tag) => {
                self.from.set(self.fed.get());
                let is_foreign = self
                    .builder
                    .adjusted_current_node_present_but_not_in_html_namespace();
                let seen = &mut *self.seen.borrow_mut();
                seen.is_apart |= support::separates_words(&tag.name);
                if tag.kind == TagKind::StartTag && &*tag.name == "title" && !is_foreign {
                    let behind = seen.letters.len();
                    seen.titles.push(behind);
                }
            }
            Token::CommentToken(_) | Token::DoctypeToken(_) => self.from.set(self.fed.get()),
            Token::EOFToken | Token::ParseError(_) => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}
