//! Bounds of the operating system on mapped and open files, and how much of them is in use.
//!
//! Each file of a segment that is opened takes one memory map until the search or writer is
//! dropped. A file descriptor is needed only while the file is being mapped. Linux bounds the maps
//! of a program by `vm.max_map_count`, and refuses a map above it as if memory were short. So an
//! error of such a refusal names the bound here.
//!
//! The bounds are read from `/proc`. Where that is missing, they are unknown: an error names no
//! numbers, and [`free_maps`] returns a constant. This module never changes a bound.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::sync::OnceLock;

/// Number of files that [`free_maps`] returns if the system's limit on memory maps is not known.
const MAPS_ELSEWHERE: usize = 32_768;
/// One eighth (1/`SPARE_DIVISOR`) of the system's limit on memory maps stays free, for the stacks and
/// the allocator of this program.
const SPARE_DIVISOR: u64 = 8;
/// Error code of the system if this program has too many open files.
#[cfg(unix)]
const TOO_MANY_OPEN: i32 = 24;
#[cfg(not(unix))]
const TOO_MANY_OPEN: i32 = 4;
/// Limit on the open files of this program, read when it first opened an index. None if the limit
/// is not known. The limit is stored, because `/proc` cannot be read when no file can be opened.
static OPEN_FILES: OnceLock<Option<u64>> = OnceLock::new();

/// Beginning of each error text that [`explain`] writes.
const REFUSED: &str = "the system gives this program no more ";

/// Stores the limit on open files in [`OPEN_FILES`], for the text of later errors.
pub(super) fn note_open_files() {
    OPEN_FILES.get_or_init(|| limit("Max open files"));
}

/// Returns the number of files that this program may still map into memory. An eighth of the
/// system's limit is kept free.
pub(super) fn free_maps() -> usize {
    let Some((used, most)) = maps() else {
        return MAPS_ELSEWHERE;
    };
    let free = (most - most / SPARE_DIVISOR).saturating_sub(used);
    usize::try_from(free).unwrap_or(usize::MAX)
}

/// Returns how many bytes of address space this program may still use for files and memory. Returns
/// None if the system sets no limit (`ulimit -v`), or if the limit is not known.
pub(super) fn free_addresses() -> Option<u64> {
    let (used, most) = address_space()?;
    Some(most.saturating_sub(used))
}

/// Replaces the text of an error by which the system refused to map or to open a file. The new text
/// names the limit that was reached. Any other error is returned unchanged.
pub(super) fn explain(error: io::Error) -> io::Error {
    let cause = if error.kind() == ErrorKind::OutOfMemory {
        let cause = describe_maps(maps(), address_space());
        format!("{REFUSED}memory maps{cause}")
    } else if code(&error) == Some(TOO_MANY_OPEN) {
        match OPEN_FILES.get().copied().flatten() {
            Some(most) => format!("{REFUSED}open files: it has all {most} of `ulimit -n`"),
            None => format!("{REFUSED}open files"),
        }
    } else {
        return error;
    };
    io::Error::new(error.kind(), cause)
}

/// Returns the operating system's code of an error. An error of a temporary file may wrap the
/// system's error. The code of the wrapped error is then returned. Returns None if there is no
/// code.
fn code(error: &io::Error) -> Option<i32> {
    if let Some(code) = error.raw_os_error() {
        return Some(code);
    }
    let cause = error.get_ref()?.source()?;
    cause.downcast_ref::<io::Error>()?.raw_os_error()
}

/// Returns the part of an error text that [`explain`] wrote. tantivy shows this part in quotes,
/// between names of its own types. Returns None if [`explain`] wrote no part of `text`.
pub(super) fn explanation(text: &str) -> Option<&str> {
    let mut quoted = text.split('"').skip(1);
    quoted.find(|part| part.starts_with(REFUSED))
}

/// Describes the limit at which the system refused a memory map: the limit on maps, or else the
/// limit on address space. Each pair has first the number in use, and then the limit.
fn describe_maps(maps: Option<(u64, u64)>, addresses: Option<(u64, u64)>) -> String {
    if let Some((used, most)) = maps
        && used >= most - most / SPARE_DIVISOR
    {
        return format!(": it has {used} of {most}, by vm.max_map_count");
    }
    match addresses {
        Some((used, most)) => format!(
            ": it has {} MB of addresses of {}, by `ulimit -v`",
            used / 1_000_000,
            most / 1_000_000
        ),
        None => String::new(),
    }
}

/// Returns the number of memory maps of this program, and the system's limit. Returns None if
/// `/proc` cannot be read.
fn maps() -> Option<(u64, u64)> {
    let most = std::fs::read_to_string("/proc/sys/vm/max_map_count").ok()?;
    let mut file = BufReader::new(File::open("/proc/self/maps").ok()?);
    let mut used = 0;
    while file.skip_until(b'\n').ok()? > 0 {
        used += 1;
    }
    Some((used, most.trim().parse().ok()?))
}

/// Returns how many bytes of address space this program uses, and the limit. Returns None if there
/// is no limit, or `/proc` cannot be read.
fn address_space() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let used: u64 = number_after(&status, "VmSize:")?;
    Some((used.saturating_mul(1024), limit("Max address space")?))
}

/// Reads the soft limit `name` from `/proc/self/limits`. Returns None if it is unlimited or cannot
/// be read.
fn limit(name: &str) -> Option<u64> {
    number_after(&std::fs::read_to_string("/proc/self/limits").ok()?, name)
}

/// Parses a number from the first line of `text` that begins with `name`. The number follows the
/// name. Returns None if no line begins with `name`, or if no number follows.
fn number_after(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_bound_that_it_reached() {
        let described = describe_maps(Some((65_529, 65_530)), Some((1, 2)));
        assert_eq!(described, ": it has 65529 of 65530, by vm.max_map_count");
        let described = describe_maps(Some((90, 65_530)), Some((290_000_000, 300_000_000)));
        assert_eq!(
            described,
            ": it has 290 MB of addresses of 300, by `ulimit -v`"
        );
        assert_eq!(describe_maps(Some((90, 65_530)), None), "");
        let other = io::Error::from(ErrorKind::NotFound);
        assert_eq!(explain(other).kind(), ErrorKind::NotFound);
    }

    #[test]
    fn tantivy_shows_a_refusal_inside_of_its_own_text() {
        let refused = explain(io::Error::from(ErrorKind::OutOfMemory));
        let plain = refused.to_string();
        assert!(plain.starts_with(REFUSED), "{plain}");
        let shown = tantivy::TantivyError::from(
            tantivy::directory::error::OpenReadError::wrap_io_error(refused, "a.store".into()),
        );
        assert_eq!(explanation(&shown.to_string()), Some(plain.as_str()));
        assert_eq!(
            explanation(&format!("it cannot be written ({plain})")),
            None
        );
    }

    #[test]
    fn a_limit_is_the_first_number_after_its_name() {
        let text =
            "Max cpu time   unlimited   unlimited   seconds\nMax open files   64   4096   files\n";
        assert_eq!(number_after(text, "Max open files"), Some(64));
        assert_eq!(number_after(text, "Max cpu time"), None);
        assert_eq!(number_after(text, "Max stack size"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_maps_of_this_program_are_counted() {
        let (used, most) = maps().unwrap();
        assert!(used > 10 && used < most, "{used} of {most}");
        assert!(free_maps() < usize::try_from(most - most / SPARE_DIVISOR).unwrap());
    }
}
