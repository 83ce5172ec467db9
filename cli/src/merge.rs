//! `heedful merge`: merges several indexes into one.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use heedful::Result;
use heedful_index::{Index, Memory};
use heedful_report::wording::count;

use crate::args::MergeArgs;
use crate::ending::{RunEnding, io_error, setting};
use crate::output;
use crate::progress::spinner;

pub(crate) fn run(args: &MergeArgs) -> Result<RunEnding> {
    let mut shards = Vec::new();
    for shard in &args.shards {
        shards.extend(list_indexes(shard)?);
    }
    if shards.is_empty() {
        return Err(setting("the lists are empty: there is nothing to merge"));
    }
    let memory = args.memory.map(Memory::new).transpose()?;
    let waiting = spinner(
        args.quiet,
        format!(
            "merging {} {}",
            shards.len(),
            if shards.len() == 1 {
                "index"
            } else {
                "indexes"
            }
        ),
    );
    let merged = match memory {
        Some(memory) => Index::merge_within(&shards, &args.output, memory),
        None => Index::merge(&shards, &args.output),
    };
    waiting.finish_and_clear();
    let merged = merged?;
    if !args.quiet {
        let older = match merged.older {
            0 => String::new(),
            older => format!("; {older} ignored: another index has a later fetch of the URL"),
        };
        output::print_message(format_args!(
            "{} in {}{older}",
            count(merged.pages, "page"),
            args.output.display()
        ));
    }
    Ok(RunEnding::Yes)
}

/// Returns the paths of the indexes that the argument `path` names. The argument `@FILE` stands for
/// the paths in FILE, one per line. A path in FILE is relative to the working directory, or else to
/// the folder of FILE. Any other argument is the path of one index.
fn list_indexes(path: &Path) -> Result<Vec<PathBuf>> {
    let list = path
        .to_str()
        .and_then(|text| text.strip_prefix('@'))
        .filter(|_| !path.exists());
    let Some(list) = list else {
        return Ok(vec![path.to_owned()]);
    };
    let text = read_to_string(list).map_err(io_error(list))?;
    let beside = Path::new(list).parent().unwrap_or(Path::new(""));
    let names = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(names
        .map(|name| {
            if Path::new(name).exists() {
                name.into()
            } else {
                beside.join(name)
            }
        })
        .collect())
}
