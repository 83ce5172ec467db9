//! JSON objects that occur as members of several larger objects, such as pages and explanations.

use serde::Serialize;

use heedful::{Directive, Note, Policy, Use};
use heedful_base::date::rfc3339;
use heedful_base::error::Error;

/// JSON of the decision about a page as a whole for one bot. The JSON has the allowed uses, and the
/// limits on how the page may be presented.
#[derive(Debug, Default, Serialize)]
#[doc(hidden)]
pub struct VerdictJson {
    pub(super) enter: bool,
    pub(super) index: bool,
    pub(super) follow: bool,
    pub(super) anchor: bool,
    pub(super) archive: bool,
    pub(super) snippet: bool,
    pub(super) image: bool,
    pub(super) translate: bool,
    pub(super) train: bool,
    pub(super) input: bool,
    pub(super) max_snippet: Option<u32>,
    pub(super) max_image_preview: Option<&'static str>,
    pub(super) max_video_preview: Option<u32>,
    pub(super) unavailable_after: Option<String>,
}

impl VerdictJson {
    #[doc(hidden)]
    pub fn new(policy: &Policy) -> Self {
        Self {
            enter: policy.may_fetch(),
            index: policy.allows(Use::Index),
            follow: policy.allows(Use::Follow),
            anchor: policy.allows(Use::Anchor),
            archive: policy.allows(Use::Archive),
            snippet: policy.allows(Use::Snippet),
            image: policy.allows(Use::Image),
            translate: policy.allows(Use::Translate),
            train: policy.allows(Use::Train),
            input: policy.allows(Use::Input),
            max_snippet: policy.max_snippet(),
            max_image_preview: policy.max_image_preview().map(|size| size.name()),
            max_video_preview: policy.max_video_preview(),
            unavailable_after: policy.unavailable_after().and_then(rfc3339),
        }
    }
}

/// JSON of a publisher's directive, with its position in the page or header.
#[derive(Debug, Serialize)]
pub(super) struct DirectiveJson<'a> {
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) convention: &'static str,
    pub(super) directive: &'a str,
    pub(super) origin: &'static str,
}

impl<'a> DirectiveJson<'a> {
    pub(super) fn new(directive: &'a Directive) -> Self {
        Self {
            line: directive.place().map(|place| place.line()),
            column: directive.place().map(|place| place.column()),
            convention: directive.convention(),
            directive: directive.text(),
            origin: directive.origin().name(),
        }
    }
}

/// JSON of a note on doubtful markup of a page, with the position of that markup.
#[derive(Debug, Serialize)]
pub(super) struct NoteJson<'a> {
    pub(super) kind: &'static str,
    pub(super) line: Option<u32>,
    pub(super) column: Option<u32>,
    pub(super) message: &'a str,
    pub(super) convention: Option<&'static str>,
}

impl<'a> NoteJson<'a> {
    pub(super) fn new(note: &'a Note) -> Self {
        let place = note.place();
        Self {
            kind: note.kind().name(),
            line: place.map(|place| place.line()),
            column: place.map(|place| place.column()),
            message: note.message(),
            convention: note.convention(),
        }
    }
}

/// JSON of an error: its kind for programs, and its message for people.
///
/// # Examples
///
/// ```
/// use heedful_base::error::Error;
/// use heedful_json::ErrorJson;
/// use serde_json::json;
///
/// let error = Error::setting("a bot needs a name");
/// let value = serde_json::to_value(ErrorJson::new(&error)).unwrap();
/// assert_eq!(value, json!({ "kind": "setting", "message": "a bot needs a name" }));
/// ```
#[derive(Debug, Serialize)]
pub struct ErrorJson {
    kind: &'static str,
    message: String,
}

impl ErrorJson {
    /// Converts `error` to its JSON object.
    pub fn new(error: &Error) -> Self {
        Self {
            kind: error.name(),
            message: error.to_string(),
        }
    }
}
