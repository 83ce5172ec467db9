//! Other programs that parse a page, with as little work as possible: the tokenizer that the lexer
//! uses, and a browser's tree builder.
//!
//! The handlers of `lol_html` in this file only read the location of a token. All functions of this
//! file assume that a page is UTF-8.

use std::cell::RefCell;
use std::hint::black_box;

use html5ever::tendril::TendrilSink;
use lol_html::html_content::TextType;
use lol_html::{HtmlRewriter, Settings};
use markup5ever_rcdom::{NodeData, RcDom};

/// Runs `lol_html` without handlers on a page: it only copies the bytes.
pub(crate) fn pass_through(page: &[u8]) {
    read(page, Settings::new());
}

/// Runs `lol_html` on a page, with a minimal handler for each start tag, text, comment and doctype.
pub(crate) fn every_token(page: &[u8]) {
    let element = lol_html::element!("*", |element| {
        black_box(element.source_location());
        Ok(())
    });
    read(page, others().append_element_content_handler(element));
}

/// Runs `lol_html` on a page, with handlers for all that a lexer needs. These also cover
/// attributes, and the end tags of elements that have one.
pub(crate) fn every_part(page: &[u8]) {
    let element = lol_html::element!("*", |element| {
        for attribute in element.attributes() {
            black_box((
                attribute.name_source_location(),
                attribute.value_source_location(),
            ));
        }
        let end = lol_html::end_tag!(|end| {
            black_box(end.source_location());
            Ok(())
        });
        // An element without an end tag returns an error here, which does not matter.
        let _ = element.on_end_tag(end);
        black_box(element.source_location());
        Ok(())
    });
    read(page, others().append_element_content_handler(element));
}

/// Runs `lol_html` on a page, with the handlers of our lexer. The lexer itself finds tags and texts.
pub(crate) fn what_the_lexer_asks(page: &[u8]) {
    read(page, marks());
}

/// Returns the text of a page's title, and the text of its body. References are decoded, and
/// scripts and styles left out.
pub(crate) fn texts(page: &[u8]) -> (String, String) {
    let (title, body) = (RefCell::new(String::new()), RefCell::new(String::new()));
    let in_title = lol_html::text!("title", |text| {
        title.borrow_mut().push_str(text.as_str());
        Ok(())
    });
    let in_body = lol_html::text!("body", |text| {
        if matches!(text.text_type(), TextType::Data) {
            body.borrow_mut().push_str(text.as_str());
            body.borrow_mut()
                .push_str(if text.last_in_text_node() { " " } else { "" });
        }
        Ok(())
    });
    let settings = Settings::new()
        .append_element_content_handler(in_title)
        .append_element_content_handler(in_body);
    read(page, settings);
    [title, body]
        .map(|text| htmlize::unescape(text.into_inner()).into_owned())
        .into()
}

/// Returns settings of `lol_html` with handlers for all tokens except tags.
fn others() -> Settings<'static, 'static> {
    marks().append_document_content_handler(lol_html::doc_text!(|text| {
        black_box(text.source_location());
        Ok(())
    }))
}

/// Returns settings of `lol_html` with handlers for comments and doctypes.
fn marks() -> Settings<'static, 'static> {
    Settings::new()
        .append_document_content_handler(lol_html::doc_comments!(|comment| {
            black_box(comment.source_location());
            Ok(())
        }))
        .append_document_content_handler(lol_html::doctype!(|doctype| {
            black_box(doctype.source_location());
            Ok(())
        }))
}

fn read(page: &[u8], settings: Settings<'_, '_>) {
    let mut rewriter = HtmlRewriter::new(settings, |piece: &[u8]| {
        black_box(piece.len());
    });
    rewriter.write(page).and_then(|()| rewriter.end()).unwrap();
}

/// Parses a page with html5ever, which builds the whole tree.
pub(crate) fn tree(page: &[u8]) {
    black_box(parsed(page));
}

/// Parses a page with html5ever, and reads from the tree the page's text and the destinations of
/// its links. Scripts and styles are left out.
pub(crate) fn tree_contents(page: &[u8]) -> (String, Vec<String>) {
    let (mut text, mut links) = (String::new(), Vec::new());
    let mut nodes = vec![parsed(page).document];
    while let Some(node) = nodes.pop() {
        match &node.data {
            NodeData::Text { contents } => text.push_str(&contents.borrow()),
            NodeData::Element { name, attrs, .. } => match &*name.local {
                "script" | "style" => continue,
                "a" | "area" => {
                    let attributes = attrs.borrow();
                    let link = attributes.iter().find(|one| &*one.name.local == "href");
                    links.extend(link.map(|link| link.value.to_string()));
                }
                _ => {}
            },
            _ => {}
        }
        nodes.extend(node.children.borrow().iter().rev().cloned());
    }
    (text, links)
}

fn parsed(page: &[u8]) -> RcDom {
    let options = html5ever::ParseOpts::default();
    html5ever::parse_document(RcDom::default(), options)
        .from_utf8()
        .one(page)
}
