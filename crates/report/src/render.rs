//! Renders the templates of reports and search pages to HTML.

use askama::Template;

/// Renders a template to a string of HTML. Rendering to memory cannot fail. If it did, the returned
/// string would be the text of the error.
pub(super) fn render(view: &impl Template) -> String {
    view.render()
        .unwrap_or_else(|error| format!("<!DOCTYPE html><title>heedful</title><p>{error}"))
}
