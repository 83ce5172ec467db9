//! Error messages for a program that was built without a Cargo feature. Each message names the
//! feature and the command that builds the program with it.
//!
//! All crates and the program use this one wording of the messages about missing Cargo features.
//! The command builds from a clone of the repository, since no registry has heedful yet.

/// Command that builds the program from a clone; the features to enable are appended to it.
const COMMAND: &str = "cargo install --locked --path cli --features";

/// Returns the message that this program was built without Parquet. It is meant as the end of a
/// longer message.
///
/// # Examples
///
/// ```
/// let message = heedful_base::built::without_parquet();
/// assert!(message.ends_with("cargo install --locked --path cli --features full,parquet"));
/// ```
#[must_use]
pub fn without_parquet() -> String {
    format!("this heedful was built without Parquet: {COMMAND} full,parquet")
}

/// Returns the message for the subcommand `verb`, which only a build with the Cargo feature `full`
/// has.
///
/// # Examples
///
/// ```
/// let message = heedful_base::built::without_verb("serve");
/// assert!(message.starts_with("this heedful was built without `serve`"));
/// ```
#[must_use]
pub fn without_verb(verb: &str) -> String {
    format!("this heedful was built without `{verb}`: {COMMAND} full")
}
