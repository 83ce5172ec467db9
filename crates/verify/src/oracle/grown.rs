//! The finished tree of a page, built by html5ever or by a browser.

use std::collections::HashSet;

use html5ever::ns;
use markup5ever_rcdom::{Handle, NodeData, RcDom};

/// Name of the attribute that is inserted into a start tag to hold the tag's number. No page can
/// have an attribute with this name, since parsers convert the names in pages to lower case.
pub(crate) const NUMBER: &str = "NUMBER";

/// Nodes of a finished tree. Each node is later in the list than its parent. The first node is the
/// document.
#[derive(Debug, Default)]
pub(crate) struct GrownTree {
    pub(crate) nodes: Vec<GrownNode>,
    /// Numbers of the template tags that make shadow roots.
    pub(crate) roots: HashSet<usize>,
    /// True if the elements of the page are wrongly nested. The tree builder then had to ignore,
    /// move, copy or insert something.
    pub(crate) is_repaired: bool,
}

#[derive(Debug)]
pub(crate) struct GrownNode {
    /// Index of the node's parent in [`GrownTree::nodes`].
    pub(crate) parent: usize,
    pub(crate) kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Element {
        name: String,
        is_foreign: bool,
        attributes: Vec<(String, String)>,
    },
    Text(String),
    Comment(String),
    /// Root of a tree: the document, the content of a template, or a shadow root. A root contains
    /// other nodes, and has no markup of its own that could deny a use.
    Root,
}

impl GrownTree {
    pub(super) fn new(dom: &RcDom, roots: HashSet<usize>) -> Self {
        let mut grown = Self {
            roots,
            ..Self::default()
        };
        let mut open = vec![(dom.document.clone(), 0)];
        while let Some((node, parent)) = open.pop() {
            let Some(kind) = kind(&node) else { continue };
            let own = grown.nodes.len();
            grown.nodes.push(GrownNode { parent, kind });
            open.extend(
                node.children
                    .borrow()
                    .iter()
                    .rev()
                    .map(|child| (child.clone(), own)),
            );
            if let NodeData::Element {
                template_contents, ..
            } = &node.data
                && let Some(contents) = &*template_contents.borrow()
            {
                open.push((contents.clone(), own));
            }
        }
        grown
    }

    /// Returns a bool for each node of the tree. It is true if the node is in a `selectedcontent`
    /// element. A browser fills such an element with a copy of an `option`.
    pub(super) fn copies(&self) -> Vec<bool> {
        let mut copies: Vec<bool> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let holder = self.nodes.get(node.parent).map(|holder| &holder.kind);
            let is_filled =
                matches!(holder, Some(NodeKind::Element { name, .. }) if name == "selectedcontent");
            copies.push(is_filled || copies.get(node.parent) == Some(&true));
        }
        copies
    }

    /// Returns the index of the first child for each node of the tree, or `None` for a node without
    /// children. A shadow root is not a child of its host element.
    pub(super) fn first_children(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.nodes.len()];
        let nodes = self.nodes.iter().enumerate().skip(1);
        for (at, node) in nodes.filter(|(_, node)| !matches!(node.kind, NodeKind::Root)) {
            first[node.parent].get_or_insert(at);
        }
        first
    }
}

fn kind(node: &Handle) -> Option<NodeKind> {
    Some(match &node.data {
        NodeData::Text { contents } => NodeKind::Text(contents.borrow().to_string()),
        NodeData::Comment { contents } => NodeKind::Comment(contents.to_string()),
        NodeData::Element { name, attrs, .. } => NodeKind::Element {
            name: name.local.to_string(),
            is_foreign: name.ns != ns!(html),
            attributes: attrs
                .borrow()
                .iter()
                .map(|a| (a.name.local.to_string(), a.value.to_string()))
                .collect(),
        },
        NodeData::Document => NodeKind::Root,
        NodeData::Doctype { .. } | NodeData::ProcessingInstruction { .. } => return None,
    })
}
