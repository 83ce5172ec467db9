//! All conventions, a row each. These files are data alone, and the only place where a convention
//! is described.
//!
//! 1. A new row goes to the file of its kind. Its preset is `All` if only the search of one site
//!    reads it.
//! 2. `signs` define its forms (`sign.rs`), with comments as their vendor writes them. The first
//!    sign gives its reach.
//! 3. `source` and `readers` are those that you can cite. `law` is `Law::Signs` if the signs are
//!    enough.
//! 4. A page `corpus/convention/NAME.md` and a line in CHANGELOG.md go with it. CONTRIBUTING.md has
//!    the command for the rest.

pub(super) mod comments;
pub(super) mod elements;
pub(super) mod robots;
pub(super) mod uses;
