//! All conventions, each described by one row. These files hold only data, and a convention is
//! described nowhere else.
//!
//! 1. Add a new row to the file of its kind. Its preset is `All` if only the search of one site
//!    reads it.
//! 2. `signs` has its forms (`sign.rs`), with comments as their vendor writes them. The first sign
//!    gives the extent.
//! 3. In `source` and `readers` write only what you can cite. `law` is `DocRows::Signs` if a row made
//!    from the signs is enough.
//! 4. Add a page `corpus/convention/NAME.md` and a line in CHANGELOG.md. CONTRIBUTING.md has the
//!    command for all generated files.

pub(super) mod comments;
pub(super) mod elements;
pub(super) mod robots;
pub(super) mod uses;
