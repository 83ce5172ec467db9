//! Checks snapshots of pages. Withheld content is nowhere in a snapshot, and all other content
//! stays in its place in the tree. Filtering a snapshot again changes nothing.
//!
//! The tests of snapshots run over the corpus and over real pages if they are available, with an
//! HTML class on random elements. They also run over tag soup (`HEEDFUL_SEED`, `HEEDFUL_SECONDS`,
//! as in oracle.rs). html5ever builds the trees. Three trees are compared: that of the page, that
//! of the page with every tag but without withheld text and attributes, and that of the snapshot.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a long run tells what it did")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use heedful::{
    Bot, Conventions, CutMark, Dressing, Filter, Judged, Page, PageEnd, Result, Sink, Snapshot,
    TokenKind, Use, VerdictId,
};
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use crate::case;
use crate::soup;
use crate::support;

const URL: &str = "https://site.example/dir/page";
const MARK: &str = "⟦cut⟧";
/// Character that replaces withheld text in the compared trees.
const GONE: char = '¤';

fn filter() -> Filter {
    let conventions = Conventions::parse("all").unwrap().toml(soup::OWN).unwrap();
    let uses = heedful::Uses::parse("noarchive").unwrap();
    let conventions = conventions
        .region("cut", "uncut", uses)
        .unwrap()
        .element(".uncached", uses)
        .unwrap();
    Filter::new(Bot::new("FooBot").unwrap())
        .conventions(conventions)
        .snapshots()
}

fn dressing() -> Dressing {
    Dressing::default().mark(CutMark::new(MARK))
}

fn page(filter: &Filter, text: &str) -> Option<Page> {
    let mut pass = filter.open(URL).unwrap();
    pass.assume_utf8();
    pass.write(text.as_bytes()).ok()?;
    pass.end().ok()
}

/// Tokens of a page, as a sink gets them, and facts about them.
#[derive(Default)]
struct Tokens {
    tokens: Vec<(TokenKind, String, VerdictId)>,
    /// Positions in `tokens` of texts that consist only of white space.
    blank: HashSet<usize>,
    /// Positions in `tokens` of the tags that close themselves.
    closing: HashSet<usize>,
    denied: HashSet<VerdictId>,
    /// True if HTML ignores at least one token of the page.
    has_dropped: bool,
}

impl Sink for Tokens {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        if judged.is_dropped() {
            self.has_dropped = true;
            return Ok(());
        }
        let raw = judged.token().raw();
        if raw.chars().all(is_blank) {
            self.blank.insert(self.tokens.len());
        }
        if judged.is_region_mark() && judged.token().kind() == TokenKind::Comment {
            // The doctype stays, wherever it is.
            self.tokens.push((
                judged.token().kind(),
                judged.token().raw().to_owned(),
                VerdictId::default(),
            ));
            return Ok(());
        }
        if judged.token().is_self_closing() {
            self.closing.insert(self.tokens.len());
        }
        self.tokens.push((
            judged.token().kind(),
            judged.token().raw().to_owned(),
            judged.id(),
        ));
        Ok(())
    }

    fn finish(&mut self, outcome: &PageEnd) -> Result<()> {
        let ids = self.tokens.iter().map(|(.., id)| *id);
        self.denied = ids
            .filter(|id| !outcome.verdict(*id).denied(Use::Archive).is_empty())
            .collect();
        Ok(())
    }
}

impl Tokens {
    fn of(filter: &Filter, text: &str) -> Self {
        let mut pass = filter.open_with(URL, Self::default()).unwrap();
        pass.assume_utf8();
        pass.write(text.as_bytes()).unwrap();
        pass.into_sink().unwrap()
    }

    fn withheld(&self) -> impl Iterator<Item = &str> {
        self.tokens
            .iter()
            .filter(|(.., id)| self.denied.contains(id))
            .map(|(_, raw, _)| raw.as_str())
    }

    /// Returns the page `text` without the tokens that HTML ignores, for example beside frames.
    fn whole(&self, text: &str) -> String {
        let kept = || self.tokens.iter().map(|(_, raw, _)| raw.as_str()).collect();
        if self.has_dropped {
            kept()
        } else {
            text.to_owned()
        }
    }

    /// Returns the page with every tag, but without withheld text and attributes.
    fn bare(&self) -> String {
        let mut bare = String::new();
        for (at, (kind, raw, id)) in self.tokens.iter().enumerate() {
            match kind {
                _ if !self.denied.contains(id) => bare.push_str(raw),
                TokenKind::Start if self.closing.contains(&at) => {
                    bare.push_str(&format!("<{}/>", name(&raw[1..])));
                }
                TokenKind::Start if holds_html(raw) => {
                    bare.push_str("<annotation-xml encoding=text/html>");
                }
                TokenKind::Start => bare.push_str(&format!("<{}>", name(&raw[1..]))),
                TokenKind::End => bare.push_str(&format!("</{}>", name(&raw[2..]))),
                TokenKind::Text if self.blank.contains(&at) => {
                    bare.push_str(&raw.replace('\0', ""));
                }
                TokenKind::Text => bare.push(GONE),
                TokenKind::Doctype => bare.push_str(raw),
                _ => {}
            }
        }
        bare
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0C' | '\0')
}

fn name(tag: &str) -> &str {
    tag.split(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>')
        .next()
        .unwrap()
}

/// True if a tag is that of a formula's annotation (`annotation-xml`) whose encoding is HTML.
/// Browsers parse the content of such an annotation as HTML.
fn holds_html(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    name(&tag[1..]) == "annotation-xml"
        && ["text/html", "application/xhtml+xml"]
            .iter()
            .any(|kind| tag.contains(kind))
}

/// Node of a tree for comparison: a text, or an element with its children.
#[derive(Debug, PartialEq, Eq)]
enum Node {
    Text(String),
    Element(String, Vec<Node>),
}

/// Parses a page and returns its tree without withheld text, marks of cuts, white space, and empty
/// elements without directives.
fn essence(text: &str) -> Vec<Node> {
    nodes(
        &tree(text),
        &|text| {
            text.replace([GONE], "")
                .replace(MARK, "")
                .split_whitespace()
                .collect()
        },
        true,
    )
}

/// Parses a page and returns its tree of elements and texts, without the letters of the texts.
fn shape(text: &str) -> Vec<Node> {
    let some = |text: &str| {
        if text.chars().all(is_blank) {
            String::new()
        } else {
            "x".to_owned()
        }
    };
    nodes(&tree(text), &some, false)
}

fn tree(text: &str) -> Handle {
    let options = html5ever::ParseOpts::default();
    html5ever::parse_document(RcDom::default(), options)
        .one(text.trim_start_matches('\u{FEFF}'))
        .document
}

fn nodes(parent: &Handle, read: &dyn Fn(&str) -> String, pruned: bool) -> Vec<Node> {
    let mut found: Vec<Node> = Vec::new();
    let mut text = String::new();
    let end_text = |text: &mut String, found: &mut Vec<Node>| {
        let read = read(&std::mem::take(text));
        found.extend((!read.is_empty()).then_some(Node::Text(read)));
    };
    for child in parent.children.borrow().iter() {
        match &child.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element {
                name,
                attrs,
                template_contents,
                ..
            } => {
                let mut inner = nodes(child, read, pruned);
                if let Some(contents) = template_contents.borrow().as_ref() {
                    inner.extend(nodes(contents, read, pruned));
                }
                let is_image = attrs
                    .borrow()
                    .iter()
                    .any(|attribute| attribute.value.contains("robots-noarchive"));
                if pruned && &*name.local == "img" && is_image {
                    continue;
                }
                // A mark is text, and HTML reopens formatting elements before text.
                let formatting = [
                    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike",
                    "strong", "tt", "u",
                ];
                let is_bare =
                    formatting.contains(&&*name.local) || &*name.local == "annotation-xml";
                let says = !attrs.borrow().is_empty() && !is_bare;
                if !pruned || !inner.is_empty() || says {
                    end_text(&mut text, &mut found);
                    found.push(Node::Element(name.local.to_string(), inner));
                }
            }
            _ => {}
        }
    }
    end_text(&mut text, &mut found);
    found
}

/// Checks the snapshot of a page. Returns a pair: a message about the first mistake, or None if
/// there is no mistake, and the number of withheld tokens. Returns None instead of the pair if
/// there is no snapshot.
fn fault(filter: &Filter, text: &str) -> Option<(Option<String>, usize)> {
    let snapshot = page(filter, text)?.snapshot(&dressing())?;
    let tokens = Tokens::of(filter, text);
    let withheld = tokens.withheld().count();
    let kept = text_of(
        tokens
            .tokens
            .iter()
            .filter(|(.., id)| !tokens.denied.contains(id))
            .map(|(_, raw, _)| raw),
        false,
    );
    let kept: HashSet<&str> = words(&kept)
        .chain([
            "robots",
            "noarchive",
            "class",
            "color",
            "encoding",
            "text",
            "html",
        ])
        .collect();
    // If only an image is withheld, its address stays.
    let is_image = |raw: &str| {
        raw.starts_with("<img") && raw.contains("robots-noarchive") && !raw.contains(" alt=")
    };
    if page(filter, &snapshot).is_none() {
        return Some((Some(format!("it is refused: {snapshot:?}")), withheld));
    }
    let left = Tokens::of(filter, &snapshot);
    let left = text_of(
        left.tokens
            .iter()
            .map(|(_, raw, _)| raw)
            .filter(|raw| !is_image(raw)),
        true,
    );
    let left: HashSet<&str> = words(&left).collect();
    let gone = text_of(
        tokens
            .tokens
            .iter()
            .filter(|(.., id)| tokens.denied.contains(id))
            .map(|(_, raw, _)| raw),
        true,
    );
    let leaked = words(&gone).find(|word| !kept.contains(word) && left.contains(word));
    let fault = if let Some(leaked) = leaked {
        Some(format!("{leaked:?} leaks"))
    } else if withheld == 0 && snapshot != tokens.whole(text) {
        Some("nothing is withheld and yet it differs".to_owned())
    } else if is_exact(text)
        && shape(text) == shape(&tokens.bare())
        && essence(&tokens.bare()) != essence(&snapshot)
    {
        Some(format!(
            "the tree differs: {}",
            difference(&essence(&tokens.bare()), &essence(&snapshot), "").unwrap()
        ))
    } else {
        // Attributes of a second `html` tag count if the first one has lost its own. Without its
        // declaration the profile allows nothing.
        let is_undeclared = ["profile=", "robots-profile#"]
            .iter()
            .any(|part| text.contains(part) && !snapshot.contains(part));
        // An inclusive element denies all content outside of it; if its attributes are withheld,
        // it no longer does.
        let lets_in = |text: &str| {
            ["include", "body", "content", "true"].map(|word| text.matches(word).count())
        };
        let is_shut = lets_in(&snapshot) != lets_in(text);
        let is_other = is_shut
            || text.contains("frameset")
            || text.matches("<html").count() > 1
            || is_undeclared;
        again(filter, &snapshot).filter(|_| !is_other)
    };
    Some((fault, withheld))
}

/// True if the trees of the page and of its snapshot have to be equal. On some pages they may
/// differ, because the mark of a cut may reopen outer formatting elements. These are pages with
/// ruby, and pages where withheld content contains content that may be archived. Pages with frames
/// may differ too, because frames depend on the content before them.
fn is_exact(text: &str) -> bool {
    !["robots-archive", "frameset", "<ruby"]
        .iter()
        .any(|part| text.contains(part))
}

/// Returns the path of the first node at which two trees differ. Returns None if they are equal.
fn difference(one: &[Node], other: &[Node], path: &str) -> Option<String> {
    for at in 0..one.len().max(other.len()) {
        let (one, other) = (one.get(at), other.get(at));
        match (one, other) {
            _ if one == other => {}
            (Some(Node::Element(name, one)), Some(Node::Element(same, other))) if name == same => {
                return difference(one, other, &format!("{path}/{name}"));
            }
            _ => {
                let short =
                    |node: Option<&Node>| format!("{node:?}").chars().take(120).collect::<String>();
                return Some(format!("{path}[{at}]: {} | {}", short(one), short(other)));
            }
        }
    }
    None
}

/// Filters a snapshot again, and compares the result with the snapshot. Returns the difference, or
/// None if they are equal.
fn again(filter: &Filter, snapshot: &str) -> Option<String> {
    let second = page(filter, snapshot).and_then(|page| page.snapshot(&dressing()));
    // A heading that was cut begins no section, so the section of the heading before may extend
    // over the whole copy.
    if second.is_none() && snapshot.contains("data-search-exclude") {
        return None;
    }
    (second.as_deref() != Some(snapshot))
        .then(|| format!("again it differs: {snapshot:?} {second:?}"))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 3)
}

/// Returns the text and the tags of some tokens as one string. If `bare` is true, the names of tags
/// are left out.
fn text_of<'a>(tokens: impl Iterator<Item = &'a String>, bare: bool) -> String {
    let mut all = String::new();
    for raw in tokens {
        match raw.strip_prefix("</").or_else(|| raw.strip_prefix('<')) {
            Some(tag) if !tag.starts_with(['!', '?']) => {
                let rest = if bare { &tag[name(tag).len()..] } else { raw };
                all.extend([" ", rest, " "]);
            }
            _ => all.push_str(raw),
        }
    }
    all
}

#[test]
fn pages_of_the_corpus() {
    let (filter, mut seen, mut cut, mut state) = (filter(), 0, 0, 1);
    let mut wrong = Vec::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let read = |path: PathBuf| {
        case::read(
            &path.display().to_string(),
            &std::fs::read_to_string(path).unwrap(),
        )
    };
    for case in case::files(&corpus).into_iter().flat_map(read) {
        let Ok(text) = std::str::from_utf8(case.bytes("html")) else {
            continue;
        };
        for text in [text, &injected(text, 3, &mut state)] {
            if let Some((fault, withheld)) = fault(&filter, text) {
                seen += 1;
                cut += usize::from(withheld > 0);
                wrong.extend(fault.map(|fault| format!("{}: {text:?}: {fault}", case.title())));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        seen > 1000 && cut > 1000,
        "{seen} pages, {cut} with something withheld"
    );
}

fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap()
}

/// Returns a page with an HTML class on some of its elements, or with regions around parts of it.
fn injected(text: &str, count: usize, state: &mut u64) -> String {
    // A page that the filter refuses stays unchanged.
    if page(&filter(), text).is_none() {
        return text.to_owned();
    }
    let tokens = Tokens::of(&filter(), text).tokens;
    let starts: Vec<_> = (0..tokens.len())
        .filter(|at| tokens[*at].0 == TokenKind::Start)
        .collect();
    let chosen: HashSet<_> = (0..count.min(starts.len()))
        .map(|_| starts[next(state) % starts.len()])
        .collect();
    let mut page = String::new();
    for (at, (_, raw, _)) in tokens.iter().enumerate() {
        if !chosen.contains(&at) {
            page.push_str(raw);
            continue;
        }
        let end = 1 + name(&raw[1..]).len();
        page.push_str(&format!(
            "{} class=robots-noarchive {}",
            &raw[..end],
            &raw[end..]
        ));
    }
    page
}

#[test]
fn real_pages() {
    let (filter, mut state) = (filter(), 1);
    let (mut seen, mut cut, mut refused, mut wrong) = (0, 0, 0, Vec::new());
    for real in support::pages("real-pages.jsonl.gz") {
        let Ok(text) = String::from_utf8(real.html) else {
            continue;
        };
        for text in [injected(&text, 20, &mut state), text] {
            match fault(&filter, &text) {
                Some((fault, withheld)) => {
                    seen += 1;
                    cut += withheld;
                    wrong.extend(fault.map(|fault| {
                        format!(
                            "{}: {}",
                            real.id,
                            fault.chars().take(600).collect::<String>()
                        )
                    }));
                }
                None => refused += 1,
            }
        }
    }
    println!("{seen} snapshots, {cut} tokens withheld; {refused} pages may not be kept or read");
    assert!(
        wrong.is_empty(),
        "{} of {seen}\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn soup() {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let now = SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap_or_default()
        .subsec_nanos();
    let seed = number("HEEDFUL_SEED").unwrap_or(u64::from(now));
    let time = Duration::from_secs(number("HEEDFUL_SECONDS").unwrap_or(5));
    let (filter, started, mut state) = (filter(), Instant::now(), seed);
    let (mut executions, mut cut) = (0, 0);
    let mut wrong = Vec::new();
    while started.elapsed() < time && wrong.len() < 5 {
        let pieces = 4 + next(&mut state) % 20;
        let text = soup::page(pieces, &mut |n| next(&mut state) % n);
        let text = text
            .replace("<!--noindex-->", "<!--cut-->")
            .replace("<!--/noindex-->", "<!--uncut-->");
        let text = text
            .replace("robots-noindex", "robots-noarchive")
            .replace("robots-index", "robots-archive");
        executions += 1;
        if let Some((found, withheld)) = fault(&filter, &text) {
            cut += usize::from(withheld > 0);
            if found.is_some() {
                let small = minimised(&filter, &text);
                let fault = fault(&filter, &small)
                    .and_then(|(fault, _)| fault)
                    .unwrap_or_default();
                wrong.push(format!("{small:?}: {fault}"));
            }
        }
    }
    println!("seed {seed}: {executions} pages, {cut} with something withheld");
    assert!(wrong.is_empty(), "seed {seed}\n{}", wrong.join("\n"));
}

/// Returns the smallest part of a page whose snapshot still has a mistake.
fn minimised(filter: &Filter, text: &str) -> String {
    let mut small = text.to_owned();
    let is_faulty = |text: &str| matches!(fault(filter, text), Some((Some(_), _)));
    for size in [40, 20, 10, 5, 2, 1] {
        let mut at = 0;
        while at + size <= small.len() {
            if small.is_char_boundary(at) && small.is_char_boundary(at + size) {
                let shorter = format!("{}{}", &small[..at], &small[at + size..]);
                if is_faulty(&shorter) {
                    small = shorter;
                    continue;
                }
            }
            at += 1;
        }
    }
    small
}

/// Checks that a streamed snapshot equals the one made at the end of the page, unless a directive
/// came too late.
#[test]
fn a_stream_gives_the_same() {
    let filter = filter();
    for text in [
        "<p>a<b class=robots-noarchive>c<i>d</i></b>e",
        "a<!--cut--><div>b</div><!--uncut-->c",
    ] {
        let mut pass = filter
            .open_with(URL, Snapshot::new(Vec::new(), CutMark::new(MARK)))
            .unwrap();
        for byte in text.bytes() {
            pass.write(&[byte]).unwrap();
        }
        let streamed = pass.into_sink().unwrap();
        assert!(!streamed.is_void());
        let whole = page(&filter, text).unwrap().snapshot(&dressing()).unwrap();
        assert_eq!(
            String::from_utf8(streamed.into_inner().unwrap()).unwrap(),
            whole
        );
    }
}
