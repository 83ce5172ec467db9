//! Rendering of templates.

use askama::Template;

/// Renders a template. That writes to memory and cannot fail; if it did, the report would show the
/// error.
pub(super) fn render(view: &impl Template) -> String {
    view.render()
        .unwrap_or_else(|error| format!("<!DOCTYPE html><title>heedful</title><p>{error}"))
}
