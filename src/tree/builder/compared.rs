//! Compares this builder with html5ever's: whatever tokens come, the sink is told the same in the same order.
//!
//! The sink answers for names as the real ones do (`standard`), so names must be asked in the same order where it counts.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QualName, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{ExpandedName, LocalName, ns};

use crate::standard::{self, Answers, Role};

use super::Builder;

const NAMES: &str = "a b i nobr font code p div address li dd dt h1 h3 pre form button applet object table caption colgroup \
    col tbody thead tfoot tr td th select option optgroup input hr br img image param textarea xmp iframe noembed noscript \
    title style script link meta template head body html frameset frame noframes svg math desc foreignobject mi \
    annotation-xml mglyph isindex search ruby rb rt rtc marquee ul span x plaintext";
const ATTRIBUTES: [(&str, &str); 6] = [
    ("type", "hidden"),
    ("color", "x"),
    ("encoding", "text/html"),
    ("LIKE", "likeness of one"),
    ("MARK", "1"),
    ("y", ""),
];

#[derive(Debug)]
struct Node {
    number: u32,
    name: QualName,
    role: Role,
    holds_html: bool,
}

/// Writes down what it is told.
#[derive(Default)]
struct Scribe {
    told: RefCell<Vec<String>>,
    made: Cell<u32>,
    answers: Answers,
}

impl Scribe {
    fn node(&self, name: QualName, holds_html: bool) -> Rc<Node> {
        self.made.set(self.made.get() + 1);
        let role = Role::of(name.expanded(), holds_html);
        Rc::new(Node { number: self.made.get(), name, role, holds_html })
    }

    fn tell(&self, told: String) {
        self.told.borrow_mut().push(told);
    }
}

fn told(child: &NodeOrText<Rc<Node>>) -> String {
    match child {
        NodeOrText::AppendNode(node) => node.number.to_string(),
        NodeOrText::AppendText(_) => "text".to_owned(),
    }
}

fn nameless() -> QualName {
    QualName::new(None, ns!(), LocalName::from(""))
}

fn written(attributes: &[Attribute]) -> String {
    attributes.iter().map(|attribute| format!(" {}={}", attribute.name.local, attribute.value)).collect()
}

impl TreeSink for Scribe {
    type Handle = Rc<Node>;
    type Output = ();
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Rc<Node> {
        self.node(nameless(), false)
    }

    fn elem_name<'a>(&'a self, target: &'a Rc<Node>) -> ExpandedName<'a> {
        let own = target.name.expanded();
        self.answers.is_seeking_beyond(own);
        self.answers.name(own, target.role)
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Rc<Node> {
        self.tell(format!("create {} {}{}", &*name.ns, &*name.local, written(&attributes)));
        self.node(name, flags.mathml_annotation_xml_integration_point)
    }

    fn create_comment(&self, _: StrTendril) -> Rc<Node> {
        self.node(nameless(), false)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Rc<Node> {
        self.node(nameless(), false)
    }

    fn append(&self, parent: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.tell(format!("{} in {}", told(&child), parent.number));
    }

    fn append_based_on_parent_node(&self, element: &Rc<Node>, previous: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.tell(format!("{} before {} or in {}", told(&child), element.number, previous.number));
    }

    fn append_before_sibling(&self, sibling: &Rc<Node>, child: NodeOrText<Rc<Node>>) {
        self.tell(format!("{} before {}", told(&child), sibling.number));
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Rc<Node>) -> Rc<Node> {
        target.clone()
    }

    fn same_node(&self, one: &Rc<Node>, other: &Rc<Node>) -> bool {
        one.number == other.number
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Rc<Node>, attributes: Vec<Attribute>) {
        self.tell(format!("{} gets{}", target.number, written(&attributes)));
    }

    fn remove_from_parent(&self, target: &Rc<Node>) {
        self.tell(format!("{} leaves", target.number));
    }

    fn reparent_children(&self, node: &Rc<Node>, new_parent: &Rc<Node>) {
        self.tell(format!("children of {} to {}", node.number, new_parent.number));
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Rc<Node>) -> bool {
        handle.holds_html
    }
}

/// Chance that is the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or(0) % most
    }

    fn tag(&mut self, names: &[&str], kind: TagKind) -> Tag {
        let mut attrs = Vec::new();
        for (name, value) in ATTRIBUTES {
            if kind == TagKind::StartTag && self.below(6) == 0 {
                attrs.push(Attribute { name: QualName::new(None, ns!(), LocalName::from(name)), value: value.into() });
            }
        }
        let (name, self_closing) = (LocalName::from(names[self.below(names.len())]), self.below(12) == 0);
        Tag { kind, name, self_closing, attrs, had_duplicate_attributes: false }
    }

    fn doctype(&mut self) -> Token {
        const PUBLIC: [&str; 4] = [
            "-//W3C//DTD HTML 3.2//EN",
            "-//W3C//DTD HTML 4.01 Transitional//EN",
            "-//W3C//DTD XHTML 1.0 Strict//EN",
            "html",
        ];
        let public_id = PUBLIC.get(self.below(6)).map(|id| StrTendril::from(*id));
        let system_id = [None, Some("about:legacy-compat".into())][self.below(2)].clone();
        let name = Some(["html", "html", "html", "svg"][self.below(4)].into());
        let doctype = Doctype { name, public_id, system_id, force_quirks: self.below(9) == 0 };
        Token::DoctypeToken(standard::corrected(doctype))
    }

    fn token(&mut self, names: &[&str]) -> Token {
        match self.below(24) {
            0 => Token::CommentToken(StrTendril::new()),
            1 => Token::NullCharacterToken,
            2 => Token::CharacterTokens(["\n", "\n ", " "][self.below(3)].into()),
            3 | 4 => Token::CharacterTokens("x".into()),
            5 if self.below(3) == 0 => self.doctype(),
            5..14 => Token::TagToken(self.tag(names, TagKind::EndTag)),
            _ => Token::TagToken(self.tag(names, TagKind::StartTag)),
        }
    }
}

fn copy(token: &Token) -> Token {
    match token {
        Token::TagToken(tag) => Token::TagToken(tag.clone()),
        Token::CommentToken(text) => Token::CommentToken(text.clone()),
        Token::CharacterTokens(text) => Token::CharacterTokens(text.clone()),
        Token::DoctypeToken(doctype) => Token::DoctypeToken(doctype.clone()),
        _ => Token::NullCharacterToken,
    }
}

#[test]
fn the_sink_is_told_what_html5ever_tells() {
    let all: Vec<&str> = NAMES.split_ascii_whitespace().collect();
    let mut chance = Chance(1);
    let mut told = 0;
    for page in 0..40_000 {
        // Few names at a time, so that they meet.
        let names: Vec<&str> = (0..2 + chance.below(14)).map(|_| all[chance.below(all.len())]).collect();
        let options = TreeBuilderOpts { drop_doctype: true, ..TreeBuilderOpts::default() };
        let (theirs, mut ours) = (TreeBuilder::new(Scribe::default(), options), Builder::new(Scribe::default()));
        let (mut raw, mut given) = (None, Vec::new());
        for _ in 0..1 + chance.below(60) {
            let token = match raw.take() {
                Some(name) => {
                    Token::TagToken(Tag { kind: TagKind::EndTag, name, ..chance.tag(&names, TagKind::EndTag) })
                }
                None => chance.token(&names),
            };
            given.push(copy(&token));
            theirs.sink.answers.begin(&token);
            ours.sink.answers.begin(&token);
            let result = theirs.process_token(copy(&token), 1);
            let is_raw = matches!(result, TokenSinkResult::RawData(_) | TokenSinkResult::Plaintext);
            if let (TokenSinkResult::RawData(_), Token::TagToken(tag)) = (result, &token) {
                raw = Some(tag.name.clone());
            }
            assert_eq!(ours.process(token), is_raw, "page {page}: {given:?}");
            let (one, other) = (ours.sink.told.take(), theirs.sink.told.take());
            told += one.len();
            assert_eq!(one, other, "page {page}: {given:?}");
        }
    }
    assert!(told > 1_000_000, "{told}");
}
