//! A text of a page that is read at the page's end.

use std::borrow::Cow;

use crate::ledger::{PageEnd, VerdictId};
use crate::policy::Use;
use heedful_base::bot::BotId;

/// A text that a bot may use by all directives so far. The last tag of a page may still deny it, so
/// it is held until the page's end, and only [`HeldText::read`] gives it.
///
/// It is made by [`Judged::text`](crate::Judged::text); see [`Sink`](crate::Sink) for an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldText<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) id: VerdictId,
    pub(super) usage: Use,
    pub(super) bot: BotId,
}

impl HeldText<'_> {
    /// The text, with its references decoded. `None` if it was denied since, by a part of the page
    /// or by the whole. `end` must be that of the same page.
    pub fn read(&self, end: &PageEnd) -> Option<&str> {
        end.allows_at(self.id, self.usage, self.bot)
            .then_some(&*self.text)
    }

    /// The bot that it is held for.
    pub fn bot(&self) -> BotId {
        self.bot
    }

    /// The same text, without the token that it is from.
    pub fn into_owned(self) -> HeldText<'static> {
        HeldText {
            text: Cow::Owned(self.text.into_owned()),
            ..self
        }
    }
}
