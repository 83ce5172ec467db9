//! Decides whether a page has frames in place of a body, and which tokens HTML then ignores.
//!
//! Source: the HTML standard's flag *frameset-ok* and the modes *in frameset* and *after frameset*
//! (13.2.6.4.6, 13.2.6.4.7, 13.2.6.4.20 to 22), applied in source order without a tree. A
//! `frameset` takes the place of the body if there is no body yet, or if no token in the body
//! forbids that. From then on only frames, `noframes`, comments and white space make nodes. In a
//! `template` a `frameset` has no effect.

use crate::html::{Facts, Tag};
use crate::lex::{Token, TokenKind};

/// State of a page with regard to frames.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frames {
    /// A `frameset` tag, if it came next, would take the place of the body.
    Open {
        /// True if the body has begun.
        has_body: bool,
        /// True if an earlier token prevents frames from taking the place of a body that has begun.
        is_forbidden: bool,
    },
    /// The page has a body, and a `frameset` no longer matters.
    Never,
    /// The page has frames in place of a body. `noframes` is true inside an element of that name.
    Inside { noframes: bool },
}

impl Default for Frames {
    fn default() -> Self {
        Self::Open {
            has_body: false,
            is_forbidden: false,
        }
    }
}

impl Frames {
    /// True if the page has a body that frames can no longer replace, whatever tokens follow.
    #[inline]
    pub(super) fn is_never(self) -> bool {
        matches!(self, Self::Never)
    }

    /// True if the page has frames in place of a body.
    pub(super) fn is_inside(self) -> bool {
        matches!(self, Self::Inside { .. })
    }

    /// True until the body or the frames of the page begin.
    pub(super) fn awaits_body(self) -> bool {
        matches!(
            self,
            Self::Open {
                has_body: false,
                ..
            }
        )
    }

    /// True if HTML ignores the token because the page has frames in place of a body.
    pub(super) fn ignores(self, token: &Token<'_>) -> bool {
        let Self::Inside { noframes } = self else {
            return false;
        };
        match token.kind() {
            TokenKind::Start | TokenKind::End => {
                !matches!(token.tag(), Tag::FRAMESET | Tag::FRAME | Tag::HTML)
                    && token.name() != "noframes"
            }
            TokenKind::Text => !noframes && !token.is_white_or_nul(),
            _ => false,
        }
    }

    /// Updates the state with a token outside of templates. `is_raw` is true for raw text, which
    /// does not begin the body.
    pub(super) fn update(&mut self, token: &Token<'_>, is_raw: bool) {
        match self {
            Self::Open {
                has_body,
                is_forbidden,
            } => {
                if token.kind() == TokenKind::Start
                    && token.tag() == Tag::FRAMESET
                    && !token.is_foreign()
                {
                    *self = Self::Inside { noframes: false };
                    return;
                }
                *is_forbidden |= forbids(token, is_raw);
                *has_body |= begins_body(token, is_raw);
                if *has_body && *is_forbidden {
                    *self = Self::Never;
                }
            }
            Self::Inside { noframes } if token.name() == "noframes" => match token.kind() {
                TokenKind::Start => *noframes = true,
                TokenKind::End => *noframes = false,
                _ => {}
            },
            Self::Inside { .. } | Self::Never => {}
        }
    }

    /// Records that a `template` was opened. From then on frames cannot take the place of a body
    /// that has begun.
    pub(super) fn forbid(&mut self) {
        if let Self::Open { is_forbidden, .. } = self {
            *is_forbidden = true;
        }
    }
}

/// True if a token sets the flag *frameset-ok* of the HTML standard to "not ok".
fn forbids(token: &Token<'_>, is_raw: bool) -> bool {
    match token.kind() {
        TokenKind::Start if token.is_foreign() => false,
        TokenKind::Start if token.tag() == Tag::INPUT => !token
            .attribute("type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")),
        TokenKind::Start => token.tag().has(Facts::FORBIDS_FRAMES),
        TokenKind::End => token.name() == "br",
        TokenKind::Text => !is_raw && !token.is_white_or_nul(),
        _ => false,
    }
}

/// True if a token begins the body of a page whose body has not begun yet.
fn begins_body(token: &Token<'_>, is_raw: bool) -> bool {
    match token.kind() {
        TokenKind::Start => {
            token.is_foreign()
                || token.tag() != Tag::HTML && !token.tag().has(Facts::ALLOWED_IN_HEAD)
        }
        TokenKind::End => matches!(token.name(), "body" | "html" | "br"),
        TokenKind::Text => !is_raw && !token.is_white_or_nul(),
        _ => false,
    }
}
