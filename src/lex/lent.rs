//! Lends a lexer's intake to the tokenizer's handlers, for one call of the tokenizer.
//!
//! The handlers fill what the lexer owns. Did both have it for good, a lexer could not leave its thread (`Rc`), or each
//! tag would cost a lock. So the intake lies in a place of the thread's own while the tokenizer runs, and then goes back.
//! Nothing is left there between two calls, so the next call may come from another thread.

use std::cell::RefCell;

use super::intake::Intake;

thread_local! {
    static LENT: RefCell<Intake> = RefCell::new(Intake::new(0));
}

/// The place has the intake as long as this lives, also if a handler panics.
struct Loan<'i>(&'i mut Intake);

impl<'i> Loan<'i> {
    fn new(intake: &'i mut Intake) -> Self {
        borrowed(|lent| std::mem::swap(lent, intake));
        Self(intake)
    }
}

impl Drop for Loan<'_> {
    fn drop(&mut self) {
        borrowed(|lent| std::mem::swap(lent, self.0));
    }
}

/// Runs the tokenizer, whose handlers find this intake.
pub(super) fn lend<T>(intake: &mut Intake, tokenize: impl FnOnce() -> T) -> T {
    let _loan = Loan::new(intake);
    tokenize()
}

/// Gives a handler the intake that is lent.
#[inline]
pub(super) fn borrowed<T>(take: impl FnOnce(&mut Intake) -> T) -> T {
    LENT.with_borrow_mut(take)
}
