//! Builds the finished tree of `markup5ever_rcdom` by the HTML standard. The tree builder asks this
//! sink for the names of elements, and the module `standard` corrects these names.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QualName, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::Token;
use html5ever::{ExpandedName, ns};
use markup5ever_rcdom::{Handle, NodeData, RcDom};

use heedful::internals::html;
use heedful::internals::standard::{NameAnswers, Role};

use super::grown::NUMBER;

#[derive(Default)]
pub(super) struct DomSink {
    pub(super) dom: RcDom,
    /// Numbers of the template tags that make shadow roots.
    pub(super) roots: RefCell<HashSet<usize>>,
    /// Elements of the tree that have shadow roots.
    hosts: RefCell<Vec<Handle>>,
    /// True if the tree builder had to repair the page: see [`super::GrownTree::is_repaired`].
    pub(super) is_repaired: Cell<bool>,
    /// True once the tree has an element.
    is_begun: Cell<bool>,
    answers: NameAnswers,
}

/// Error message of the tree builder for a tag such as `<div/>`. The message does not mean that the
/// page was repaired, since HTML reads this tag as `<div>`.
const SELF_CLOSING: &str = "Unacknowledged self-closing tag";

impl DomSink {
    /// Prepares the sink for the next token, which the tree builder has not processed yet.
    pub(super) fn begin(&self, token: &Token) {
        self.answers.begin(token);
    }
}

impl TreeSink for DomSink {
    type Handle = Handle;
    type Output = RcDom;
    type ElemName<'a> = ExpandedName<'a>;

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        let own = self.dom.elem_name(target);
        let holds_html = match &target.data {
            NodeData::Element {
                mathml_annotation_xml_integration_point,
                ..
            } => *mathml_annotation_xml_integration_point,
            _ => false,
        };
        self.answers.is_seeking_beyond(own);
        self.answers.name(own, Role::from_name(own, holds_html))
    }

    fn finish(self) -> RcDom {
        self.dom
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        // Errors before the first element are those of the doctype.
        if self.is_begun.get() && message != SELF_CLOSING {
            self.is_repaired.set(true);
        }
    }

    fn get_document(&self) -> Handle {
        self.dom.get_document()
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Handle {
        self.is_begun.set(true);
        self.dom.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.dom.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.dom.create_pi(target, data)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.dom.append(parent, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        self.dom
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        self.dom.append_before_sibling(sibling, child);
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.dom.append_doctype_to_document(name, public, system);
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        self.dom.get_template_contents(target)
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        self.dom.same_node(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.dom.set_quirks_mode(mode);
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        self.dom.add_attrs_if_missing(target, attributes);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.dom.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.dom.reparent_children(node, new_parent);
    }

    /// Records that a template makes a shadow root. The template nevertheless stays in the tree,
    /// since its denials apply.
    fn attach_declarative_shadow(
        &self,
        host: &Handle,
        _: &Handle,
        attributes: &[Attribute],
    ) -> bool {
        let name = self.dom.elem_name(host);
        let mut hosts = self.hosts.borrow_mut();
        if *name.ns == ns!(html)
            && html::may_host_root(name.local)
            && !hosts.iter().any(|own| Rc::ptr_eq(own, host))
        {
            hosts.push(host.clone());
            let number = attributes
                .iter()
                .find(|attribute| &*attribute.name.local == NUMBER);
            self.roots
                .borrow_mut()
                .extend(number.and_then(|number| number.value.parse::<usize>().ok()));
        }
        false
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        self.dom.is_mathml_annotation_xml_integration_point(handle)
    }
}
