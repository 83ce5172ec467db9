//! `heedful snapshot`: pages without what may not be archived, as files or WARC records.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use heedful::Url;
use heedful::export::warc::WarcWriter;
use heedful::index::Index;
use heedful::run::Outcome;
use heedful::{CutMark, Dialects, Dressing, ErrorKind, Facet, Filter, Page, Result, json};
use serde_json::json;

use crate::args::SnapshotArgs;
use crate::ending::{Ending, setting, written};
use crate::job::Job;
use crate::output::{self, warning};
use crate::summary::Summary;

pub(crate) fn run(args: &SnapshotArgs) -> Result<Ending> {
    if let Some(folder) = &args.from {
        return give_back(args, folder);
    }
    args.run.only_bot("a snapshot")?;
    let job = Job::new(&args.run, args.run.inputs()?)?.snapshots(true);
    let mut target = Destination::of(args)?;
    let mut map = args.map.as_deref().map(created).transpose()?;
    let mut summary = Summary::new(&args.run)?;
    let mut made = 0;
    job.filter(&mut summary, |outcome| {
        let Outcome::Pages(filtered) = outcome else { return Ok(()) };
        let Some(page) = filtered.pages.first() else { return Ok(()) };
        let Some(snapshot) = page.snapshot(&dressing(args, filtered.date.as_deref(), page)) else { return Ok(()) };
        made += 1;
        target.put(page.url(), &snapshot)?;
        map.as_mut().map_or(Ok(()), |map| written(map_of(page).iter().try_for_each(|line| writeln!(map, "{line}"))))
    })?;
    target.finish()?;
    written(map.map_or(Ok(()), |mut map| map.flush()))?;
    summary.tell_gate(&job.gate);
    summary.tell_ahead(&job.gate);
    summary.tell_snapshots(made);
    summary.ending_of_pages(made > 0)
}

/// Gives back the copies that an index stores.
fn give_back(args: &SnapshotArgs, folder: &Path) -> Result<Ending> {
    let index = Index::open(folder)?;
    let (search, now) = (index.search()?, args.run.now());
    // A stored copy has nothing left to withhold; it is read again only to be dressed.
    let filter = Filter::new(index.terms()?.bot()?).dialects(Dialects::parse("none")?).snapshots();
    let mut target = Destination::of(args)?;
    let mut found = false;
    for url in args.run.typed() {
        let Some(copy) = search.snapshot(&url, Some(now))? else {
            warning(&format!("{url} has no copy in {} (`heedful stats {0} --of URL` says more)", folder.display()));
            continue;
        };
        found = true;
        let page = filter.page(&url, copy.as_bytes())?;
        let dressed = page.snapshot(&dressing(args, None, &page));
        target.put(&url, &dressed.unwrap_or(copy))?;
    }
    target.finish()?;
    Ok(if found { Ending::Yes } else { Ending::No })
}

fn dressing(args: &SnapshotArgs, date: Option<&str>, page: &Page) -> Dressing {
    let mark = CutMark::new(&args.mark);
    let mark = match &args.mark_class {
        Some(class) => mark.class(class),
        None => mark,
    };
    let mut dressing = Dressing::default().mark(mark);
    if args.base || args.dress {
        dressing = dressing.base();
    }
    if args.no_scripts || args.dress {
        dressing = dressing.no_scripts();
    }
    if args.banner || args.dress {
        let when = date.map(|date| format!(", as it was on {date}")).unwrap_or_default();
        dressing = dressing.banner(&format!("A copy of {}{when}", page.url()));
    }
    dressing
}

/// The ranges that were left out of a page.
fn map_of(page: &Page) -> Vec<String> {
    let cuts = page.exclusions().filter(|exclusion| exclusion.facet() == Facet::Archive);
    let line = |cut: heedful::Exclusion<'_>| {
        let (range, directive) = (cut.range(), cut.directive());
        let place = directive.place();
        json::line(&json!({
            "url": page.url(), "start": range.start, "end": range.end, "dialect": directive.dialect(),
            "directive": directive.text(), "line": place.map(|place| place.line()),
            "column": place.map(|place| place.column()),
        }))
    };
    cuts.map(line).collect()
}

/// The destination of snapshots.
enum Destination {
    Stdout { has_one: bool },
    Folder { folder: PathBuf, taken: HashSet<PathBuf> },
    Warc(WarcWriter<BufWriter<File>>),
}

impl Destination {
    fn of(args: &SnapshotArgs) -> Result<Self> {
        let Some(path) = &args.output else { return Ok(Self::Stdout { has_one: false }) };
        let name = path.to_string_lossy();
        if name.ends_with(".warc") || name.ends_with(".warc.gz") {
            let writer = WarcWriter::new(created(path)?, name.ends_with(".gz"), SystemTime::now())?;
            return Ok(Self::Warc(writer));
        }
        Ok(Self::Folder { folder: path.clone(), taken: HashSet::new() })
    }

    fn put(&mut self, url: &str, snapshot: &str) -> Result<()> {
        match self {
            Self::Stdout { has_one: true } => {
                Err(setting("there are several pages: name a folder or a .warc.gz for them with -o"))
            }
            Self::Stdout { has_one } => {
                *has_one = true;
                let mut out = output::data();
                written(out.write_all(snapshot.as_bytes()).and_then(|()| out.flush()))
            }
            Self::Folder { folder, taken } => {
                let path = free(&folder.join(file_of(url)), taken);
                let io = |source| ErrorKind::Io { what: path.display().to_string(), source };
                std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(io)?;
                std::fs::write(&path, snapshot).map_err(io)?;
                Ok(())
            }
            Self::Warc(writer) => writer.snapshot(url, snapshot).map(|_| ()),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Warc(writer) => writer.finish().map(|_| ()),
            Self::Stdout { .. } | Self::Folder { .. } => Ok(()),
        }
    }
}

fn created(path: &Path) -> Result<BufWriter<File>> {
    let file = File::create(path).map_err(|source| ErrorKind::Io { what: path.display().to_string(), source })?;
    Ok(BufWriter::new(file))
}

/// The file for a URL: its host and its path, in harmless characters, ending in `.html`.
fn file_of(url: &str) -> PathBuf {
    let plain = |text: &str| -> String {
        let harmless = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
        let text: String = text.chars().take(100).map(harmless).collect();
        if text.chars().all(|c| c == '.') { format!("_{text}") } else { text }
    };
    let Ok(url) = Url::parse(url) else { return plain(url).into() };
    let mut file = PathBuf::from(plain(url.host_str().unwrap_or("pages")));
    let mut parts: Vec<_> = url.path_segments().into_iter().flatten().map(str::to_owned).collect();
    let last = parts.pop().filter(|last| !last.is_empty()).unwrap_or_else(|| "index.html".to_owned());
    file.extend(parts.iter().filter(|part| !part.is_empty()).take(20).map(|part| plain(part)));
    let query = url.query().map(|query| format!("_{query}")).unwrap_or_default();
    let name = plain(&format!("{last}{query}"));
    let is_html = name.ends_with(".html") || name.ends_with(".htm");
    file.join(if is_html { name } else { name + ".html" })
}

/// The path, or with a number if it is taken.
fn free(path: &Path, taken: &mut HashSet<PathBuf>) -> PathBuf {
    let mut free = path.to_owned();
    let mut number = 1;
    while !taken.insert(free.clone()) {
        number += 1;
        free = path.with_extension(format!("{number}.html"));
    }
    free
}
