//! The tree builder of the HTML standard (13.2.6), as html5ever 0.39 has it, without what this project never asks for.
//!
//! html5ever's own builder cannot be moved to another thread: it keeps texts of tables and attributes of formatting
//! elements as tendrils (`pending_table_text`, `active_formatting`), which count their owners without atomics. Nothing
//! that a caller chooses changes that. So its rules are written down here once more, section by section: Copyright
//! 2014-2017 The html5ever Project Developers, MIT or Apache-2.0, as this project.
//!
//! This builder takes html5ever's tokens. It tells html5ever's sinks the same in the same order, and asks them for names
//! in an order on which `standard` relies. It keeps no text at all, and an attribute only if its tag may be opened again.
//!
//! Left out are fragments, pages without scripting, the end of the file, parse errors, shadow roots, forms that elements
//! are associated with, and the spelling of attributes in svg. A text must be blank as a whole, or solid as a whole. A
//! test compares all that a sink is told with html5ever's builder.

mod body;
#[cfg(test)]
mod compared;
mod entry;
mod foreign;
mod formatting;
mod head;
mod inline;
mod quirks;
mod rest;
mod sets;
mod stack;
mod state;
mod table;

pub(super) use state::Builder;
