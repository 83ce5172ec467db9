//! Messages of a build without a feature: the feature, and the command that builds the program with
//! it.
//!
//! One wording for all crates and the program. The command is that of a clone, since no registry
//! has heedful yet.

/// Builds the program in a clone; its features follow.
const COMMAND: &str = "cargo install --locked --path cli --features";

/// The sentence of a build without Parquet, as a part of a message.
///
/// ```
/// let told = heedful_base::built::without_parquet();
/// assert!(told.ends_with("cargo install --locked --path cli --features full,parquet"));
/// ```
#[must_use]
pub fn without_parquet() -> String {
    format!("this heedful was built without Parquet: {COMMAND} full,parquet")
}

/// The sentence of a program without a verb of the feature `full`.
#[must_use]
pub fn without_verb(verb: &str) -> String {
    format!("this heedful was built without `{verb}`: {COMMAND} full")
}
