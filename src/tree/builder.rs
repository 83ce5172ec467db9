//! html5ever's tree builder, in a form that can move to another thread.
//!
//! The builder, its strings and the nodes of this folder have reference counts that are not atomic.
//! Such a count is safe as long as one thread at a time uses all its owners. [`SendBuilder`] keeps
//! these owners together and moves them at once. This is the only file with `unsafe` code.

#![allow(
    unsafe_code,
    reason = "the compiler cannot see that all owners of a count move together"
)]

use std::ops::Deref;

use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use super::keeper::Keeper;
use super::node::Handle;

/// Tree builder with its sink and nodes, which can move to another thread.
pub(super) struct SendBuilder(TreeBuilder<Handle, Keeper>);

// SAFETY: `TreeBuilder` is not `Send` because it owns `Rc`s (nodes, and counters in `Keeper`) and
// tendrils, whose buffers have counts that are not atomic. To send it is sound if no other owner of
// these counts stays behind. Between two calls of the builder there is none:
// * `Handle` is private to this folder. A struct with a field that owns a node or a tendril is not
//   `Send`. `Tree` is `Send` (`tests/all/send.rs`), so it owns none beside this builder. Neither this
//   folder nor html5ever has a thread-local variable, and a static must be `Sync`.
// * So a node or tendril outside the builder is a local variable of a method of `Tree`, and gone when
//   this method returns. A method needs `&mut Tree` or `&Tree`, and `Tree` cannot be moved meanwhile.
// All other contents of the builder are `Send`: cells of plain values, and atoms, which count
// atomically. `SendBuilder` is not `Sync`, so no two threads can call it at the same time.
unsafe impl Send for SendBuilder {}

impl SendBuilder {
    pub(super) fn new(sink: Keeper, options: TreeBuilderOpts) -> Self {
        Self(TreeBuilder::new(sink, options))
    }
}

impl Deref for SendBuilder {
    type Target = TreeBuilder<Handle, Keeper>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}
