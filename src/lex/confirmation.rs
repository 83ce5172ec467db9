//! Confirms the start tags that the lexer finds: the tokenizer is asked to report them too, and both
//! must find the same, or the page is refused. **Only a thorough pass does this, since it takes much
//! longer.** The checks of our own crates compare each page that they read with a thorough pass.
//!
//! Two tags are the same if they have the same range, the same namespace (HTML or not) and the same
//! `/>`. Names and attributes follow from the range.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use lol_html::html_content::Element;
use lol_html::{MemorySettings, Settings};

use super::intake::{Intake, Stop};

const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// A start tag as the tokenizer reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StartTag {
    /// Range of the tag in the window.
    pub(super) range: Range<usize>,
    /// True if the tokenizer takes the tag for one of svg or `MathML`.
    pub(super) foreign: bool,
    pub(super) self_closing: bool,
}

/// The last start tag that the lexer found, and the numbers of tags that both have found.
#[derive(Debug, Default)]
pub(super) struct Confirmation {
    last: Option<StartTag>,
    /// Number of start tags that the lexer found.
    found: usize,
    /// Number of start tags that the tokenizer reported.
    reported: usize,
    /// Number of the tokenizer's next start tags that are no part of the page: they were fed to it
    /// for a restart.
    ignored: usize,
}

impl Confirmation {
    pub(super) fn add(&mut self, found: StartTag) {
        self.found += 1;
        self.last = Some(found);
    }

    /// True if the tokenizer has reported as many start tags as the lexer has found.
    fn is_complete(&self) -> bool {
        self.found == self.reported
    }

    /// Ignores the tokenizer's next start tags.
    pub(super) fn ignore(&mut self, start_tags: usize) {
        self.ignored = start_tags;
    }
}

impl Intake {
    /// True if the tokenizer has reported all start tags, or if it was not asked to.
    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmation
            .as_ref()
            .is_none_or(Confirmation::is_complete)
    }

    /// Compares a start tag that the tokenizer reports with the last that the lexer finds.
    ///
    /// # Errors
    /// Fails if the tags differ, and if the tokenizer must stop for a restart or for good.
    pub(super) fn confirm(&mut self, element: &Element<'_, '_>) -> Result<(), Stop> {
        if let Some(confirmation) = &mut self.confirmation
            && confirmation.ignored > 0
        {
            confirmation.ignored -= 1;
            return Ok(());
        }
        let location = element.source_location().bytes();
        let tag = StartTag {
            range: self.local(location.start)..self.local(location.end),
            foreign: element.namespace_uri() != HTML_NAMESPACE,
            self_closing: element.is_self_closing(),
        };
        let outcome = self.gap(tag.range.end, false);
        let Some(confirmation) = &mut self.confirmation else {
            return outcome;
        };
        confirmation.reported += 1;
        if matches!(outcome, Err(Stop::Ambiguous(_) | Stop::TooManyAttributes)) {
            return outcome;
        }
        let is_same = confirmation.last.as_ref() == Some(&tag);
        if is_same && confirmation.is_complete() {
            return outcome;
        }
        Err(Stop::Ambiguous(
            "a start tag that the tokenizer does not see",
        ))
    }
}

/// Adds a handler to the tokenizer's settings that compares each start tag.
pub(super) fn ask_for_start_tags<'h>(
    settings: Settings<'h, 'h>,
    intake: &Rc<RefCell<Intake>>,
) -> Settings<'h, 'h> {
    let elements = intake.clone();
    // The tokenizer keeps a stack of all open elements for this handler.
    let memory = MemorySettings::new().with_max_allowed_memory_usage(usize::MAX);
    settings
        .with_memory_settings(memory)
        .append_element_content_handler(lol_html::element!("*", move |element| {
            Ok(elements.borrow_mut().confirm(element)?)
        }))
}
