//! Fuzzes a stored index with any damage. The damage is reported or does not matter, and nothing
//! panics. The first two bytes choose the file, and the next three the offset in it. The remaining
//! bytes are written there.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use heedful_index::{Index, Query};
use tempfile::TempDir;

static WHOLE: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    super::query::made(folder.path());
    folder
});

/// Returns all files below a folder, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

fn number(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | usize::from(*byte))
}

pub(super) fn run(data: &[u8]) {
    let Some((head, there)) = data.split_at_checked(5) else {
        return;
    };
    let files = files(WHOLE.path());
    let struck = number(&head[..2]) % files.len();
    let copy = TempDir::new().expect("a folder");
    for (at, path) in files.iter().enumerate() {
        let to = copy
            .path()
            .join(path.strip_prefix(WHOLE.path()).expect("below it"));
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        let mut bytes = std::fs::read(path).expect("a file");
        if at == struck {
            let from = number(&head[2..]) % (bytes.len() + 1);
            let to = (from + there.len()).min(bytes.len());
            bytes.splice(from..to, there.iter().copied());
        }
        std::fs::write(to, bytes).expect("room");
    }
    let _ = asked(copy.path());
}

fn asked(folder: &Path) -> heedful::Result<()> {
    let index = Index::open(folder)?;
    let _ = index.check()?;
    let _ = index.stats()?;
    let search = index.search()?;
    for query in ["two", "\"rye bread\"", "anchor:named -four", "title:page*"] {
        let _ = search.find(&Query::new(query).explained())?;
    }
    let _ = search.snapshot("https://site.example/1", None)?;
    Ok(())
}
