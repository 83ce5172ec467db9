//! The error messages for a URL in place of a path. Nothing is fetched, so a message says what the
//! user can do instead.

use std::path::Path;

/// Error message if an `http` or `https` URL is given in place of a path.
const ADDRESS: &str =
    "is a URL: pages are not fetched. Name a file or an archive, and the page in it with --url";

/// Error message if a URL of an object store is given in place of a path.
const OBJECT: &str = "is in an object store: copy it to a file, or pipe it in (`aws s3 cp URL - | heedful VERB -` and the like)";

/// URL schemes of object stores and distributed file systems.
const STORES: [&str; 13] = [
    "s3", "s3a", "s3n", "gs", "gcs", "az", "abfs", "abfss", "wasb", "wasbs", "adl", "hdfs", "dbfs",
];

/// Returns the error message for a path that is a URL of a website or an object store. `None` for
/// other paths, and if a file with this name exists.
pub(super) fn address_message(path: &Path) -> Option<&'static str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if path.exists() {
        return None;
    }
    match scheme.as_str() {
        "http" | "https" => Some(ADDRESS),
        scheme if STORES.contains(&scheme) => Some(OBJECT),
        _ => None,
    }
}
