//! Templates become text.

use askama::Template;

/// A template writes to memory and cannot fail; should it, the report says so.
pub(super) fn rendered(view: &impl Template) -> String {
    view.render().unwrap_or_else(|error| format!("<!DOCTYPE html><title>heedful</title><p>{error}"))
}
