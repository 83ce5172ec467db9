//! The options that all verbs that read pages share, and the parsers of their values.

use std::hash::{DefaultHasher, Hasher};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args, ValueEnum};
use heedful::Url;
use heedful::{Bot, Conventions, Filter, Licence, Limits, Mode, Result, SiteFile};
use heedful_index::{Index, Memory, Terms};
use heedful_input::fetch::Fetcher;
use heedful_input::{Input, InputFormat, Inputs};
use heedful_report::wording::count;
use heedful_run::{Gate, licences, survey, survey_for_evidence};

use crate::ending::{RunEnding, setting};
use crate::fetch_args::fetcher;
use crate::output::{NAMED, print_note};
use crate::robots_args::{RobotsFile, site_file};
use crate::terms_args::{NamedFile, TermsArgs, contents};

#[derive(Clone, Copy, Debug, ValueEnum)]
enum InputKind {
    Auto,
    Html,
    Warc,
    Arc,
    Jsonl,
    Parquet,
    Manifest,
}

impl InputKind {
    fn kind(self) -> Option<InputFormat> {
        match self {
            Self::Auto => None,
            Self::Html => Some(InputFormat::Html),
            Self::Warc => Some(InputFormat::Warc),
            Self::Arc => Some(InputFormat::Arc),
            Self::Jsonl => Some(InputFormat::Jsonl),
            Self::Parquet => Some(InputFormat::Parquet),
            Self::Manifest => Some(InputFormat::Manifest),
        }
    }
}

// The headings of the shared options in the help, below a verb's own options.
const INPUT: &str = "Input";
const ROBOTS: &str = "robots.txt";
const RUN: &str = "Run";

/// The options that all verbs that read pages share.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("fetching").multiple(true).args(["fetch_robots", "fetch_tdmrep", "fetch_rsl"]))]
pub(crate) struct RunArgs {
    /// HTML pages, WARC, ARC, WACZ, JSON Lines, Parquet; folders of them, or a folder that is a
    /// site; patterns; @FILE, which lists inputs (may be packed); `-` or none for standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The URL of a single page, or of a folder that is a site. Verbs that show pages take only
    /// this page of an archive
    #[arg(short, long, value_parser = url, help_heading = INPUT)]
    url: Option<Url>,
    /// A response header for every page, `Name: value` as with curl. May be repeated
    #[arg(short = 'H', long = "header", value_name = "LINE", value_parser = header, help_heading = INPUT, hide_short_help = true)]
    pub(crate) headers: Vec<(String, String)>,
    /// The kind of input
    #[arg(long, value_name = "KIND", value_enum, default_value_t = InputKind::Auto, help_heading = INPUT, hide_short_help = true)]
    input: InputKind,
    /// In a folder that is a site, also read files that servers do not publish: names that begin
    /// with a dot, and `node_modules`
    #[arg(long, help_heading = INPUT, hide_short_help = true)]
    hidden: bool,
    /// The folder of the relative paths in @FILE, such as those in `warc.paths.gz`. A line that is
    /// a URL is an error: nothing is fetched
    #[arg(long, value_name = "FOLDER", help_heading = INPUT, hide_short_help = true)]
    manifest_base: Option<String>,
    /// Accept WARC records that do not match their own digests; otherwise they count as damaged
    #[arg(long, help_heading = INPUT, hide_short_help = true)]
    ignore_digests: bool,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    /// A robots.txt for every page, added to those in the input. `https://site.example/=FILE` is
    /// for one site. An archive or @FILE is for many sites. May be repeated
    #[arg(short, long, value_name = "FILE", value_parser = RobotsFile::parse, help_heading = ROBOTS)]
    robots: Vec<RobotsFile>,
    /// A tdmrep.json for every page, added to those in the input: what is reserved from text
    /// and data mining
    #[arg(long, value_name = "FILE", help_heading = ROBOTS, hide_short_help = true)]
    tdmrep: Option<PathBuf>,
    /// A file with the RSL licence to which pages and robots.txt files refer. URL=FILE is only for
    /// the licence at this URL. May be repeated
    #[arg(long, value_name = "FILE", value_parser = licence, help_heading = ROBOTS, hide_short_help = true)]
    rsl: Vec<NamedFile<Licence>>,
    /// How each robots.txt is read: rfc9309, google, 1994, 1996, spiderline, lycos [default:
    /// rfc9309]
    #[arg(long, value_name = "MODE", value_parser = Mode::parse, help_heading = ROBOTS, hide_short_help = true)]
    mode: Option<Mode>,
    /// Keep out the pages of hosts whose robots.txt is not in the input. A folder that is a site
    /// needs none
    #[arg(long, help_heading = ROBOTS, hide_short_help = true)]
    require_robots: bool,
    /// Fetch the robots.txt of hosts that have none in the input
    #[arg(long, conflicts_with = "require_robots", help_heading = ROBOTS)]
    fetch_robots: bool,
    /// Fetch the /.well-known/tdmrep.json of hosts that have none in the input
    #[arg(long, help_heading = ROBOTS, hide_short_help = true)]
    fetch_tdmrep: bool,
    /// Fetch the RSL licences that pages and robots.txt files name
    #[arg(long, help_heading = ROBOTS, hide_short_help = true)]
    fetch_rsl: bool,
    /// Store fetched files in this folder, and reuse them for a day
    #[arg(long, value_name = "DIR", requires = "fetching", help_heading = ROBOTS, hide_short_help = true)]
    robots_cache: Option<PathBuf>,
    /// The user agent to send [default: the bot's name]
    #[arg(long, value_name = "TEXT", requires = "fetching", help_heading = ROBOTS, hide_short_help = true)]
    user_agent: Option<String>,
    /// Allow hosts in private networks too, at any port; otherwise requests go only to public
    /// addresses
    #[arg(long, requires = "fetching", help_heading = ROBOTS, hide_short_help = true)]
    allow_private: bool,
    /// Number of pages filtered at the same time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = jobs_count, help_heading = RUN)]
    jobs: Option<usize>,
    /// Memory for the run, in bytes; also with K, M or G. Limits are lowered to fit; the writer of
    /// an index gets half [default for index: 512M, or 128M per job with more than 4 jobs; less if
    /// the system has less]
    #[arg(long, value_name = "N", value_parser = memory, help_heading = RUN, hide_short_help = true)]
    pub(crate) memory: Option<u64>,
    /// Set a limit: NAME=N, also with K, M or G (1,024 of each); `heedful limits` lists them. May
    /// be repeated
    #[arg(long, value_name = "NAME=N", value_parser = limit, help_heading = RUN, hide_short_help = true)]
    limit: Vec<(String, u64)>,
    /// Write what happened into a file, as JSON: pages by outcome, what was passed over, notes,
    /// losses
    #[arg(long, value_name = "FILE", help_heading = RUN, hide_short_help = true)]
    pub(crate) summary: Option<PathBuf>,
    /// Exit with 2 if some of the input was damaged or a page failed
    #[arg(long, help_heading = RUN, hide_short_help = true)]
    pub(crate) strict: bool,
    /// Print results and errors, but no progress or counts
    #[arg(short, long, help_heading = RUN)]
    pub(crate) quiet: bool,
    /// Print more: each page that failed or was kept out
    #[arg(short, long, conflicts_with = "quiet", help_heading = RUN)]
    pub(crate) verbose: bool,
}

impl RunArgs {
    /// Returns the outcome of a run over the inputs. The outcome is `Incomplete` if a file could be
    /// read only in part (`gave_up`). With `--strict`, it is also `Incomplete` if any input was
    /// lost (`lost`). Otherwise, the outcome is `Yes` if the run found something (`found`), and
    /// `No` if not.
    pub(crate) fn ending(&self, gave_up: bool, lost: bool, found: bool) -> RunEnding {
        if gave_up || self.strict && lost {
            RunEnding::Incomplete
        } else if found {
            RunEnding::Yes
        } else {
            RunEnding::No
        }
    }

    pub(crate) fn inputs(&self) -> Result<Vec<Input>> {
        self.open(Inputs::default())
    }

    /// Opens the inputs for a verb that counts the statements of pages. Such a verb also reads WAT
    /// archives, which have only the headers and META elements of pages.
    #[cfg(feature = "full")]
    pub(crate) fn inputs_with_heads(&self) -> Result<Vec<Input>> {
        self.open(Inputs::default().heads())
    }

    /// Opens the inputs so that a pipe is read only once, and not copied to disk. A robots.txt in
    /// the pipe may then come after pages that it disallows. So the verb must be able to remove
    /// these pages from its output.
    pub(crate) fn inputs_once(&self) -> Result<Vec<Input>> {
        self.open(Inputs::default().once())
    }

    /// Opens the inputs for a verb that writes its results at the end. A pipe among the inputs is
    /// first copied to disk as a whole. So each robots.txt in it is known before a page is judged.
    pub(crate) fn inputs_on_disk(&self) -> Result<Vec<Input>> {
        self.open(Inputs::default().copied_to_disk())
    }

    /// Opens the inputs for a verb that gives an answer for each record. A pipe is first copied to
    /// disk as a whole. This is needed because its last record may be a robots.txt for the earlier
    /// records.
    pub(crate) fn records(&self) -> Result<Vec<Input>> {
        self.open(Inputs::default().each_record().copied_to_disk())
    }

    /// Opens the file at `path` in the same way as [`records`](Self::records) opens the inputs.
    pub(crate) fn records_of(&self, path: &Path) -> Result<Vec<Input>> {
        self.set(Inputs::default().each_record().copied_to_disk())?
            .open(&[path])
    }

    /// Opens the Parquet table at `path` for a verb that gives an answer for each row. The options
    /// about the kind and the URL of inputs do not apply to the table.
    #[cfg(feature = "full")]
    pub(crate) fn table_of(&self, path: &Path) -> Result<Vec<Input>> {
        self.set(Inputs::default().each_record())?
            .kind(InputFormat::Parquet)
            .url(None)
            .open(&[path])
    }

    /// Returns all settings on which the results of a run depend, as text. A run can be resumed
    /// only by a run with the same text.
    pub(crate) fn terms_fingerprint(&self) -> Result<String> {
        let Self {
            headers,
            robots,
            tdmrep,
            rsl,
            mode,
            require_robots,
            ..
        } = self;
        let TermsArgs {
            names,
            profile,
            deny,
            at,
            ..
        } = &self.terms;
        let bots = self.bots()?;
        let conventions = self.conventions()?.to_string();
        let of_page = (headers, bots, conventions, names, profile, deny, at);
        let of_input = (
            self.url.as_ref().map(Url::as_str),
            self.input,
            self.hidden,
            self.ignore_digests,
        );
        let fetched = (self.fetch_robots, self.fetch_tdmrep, self.fetch_rsl);
        let mut files = DefaultHasher::new();
        for robots in robots {
            match robots.archives(&self.robots_inputs()?)? {
                // An archive may be too large for memory, and its size changes with its records.
                Some(archives) => {
                    for archive in archives {
                        files.write(archive.name().as_bytes());
                        files.write_u64(archive.size());
                    }
                }
                None => files.write(&contents(&robots.path)?),
            }
        }
        if let Some(file) = tdmrep {
            files.write(&contents(file)?);
        }
        let of_sites = (
            robots,
            tdmrep,
            files.finish(),
            rsl,
            mode,
            require_robots,
            fetched,
        );
        Ok(format!(
            "{:?}",
            (of_page, of_input, of_sites, &self.limit, self.memory)
        ))
    }

    fn open(&self, inputs: Inputs) -> Result<Vec<Input>> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.inputs.is_empty() {
            &stdin[..]
        } else {
            &self.inputs
        };
        if !self.quiet && paths.contains(&stdin[0]) && std::io::stdin().is_terminal() {
            print_note("no input is named: reading from the terminal until Ctrl-D");
        }
        if let Some(index) = paths.iter().find(|path| Index::is_in(path)) {
            let name = index.display();
            return Err(setting(format!(
                "{name} is an index, not an input: `heedful search {name} WORDS` asks it"
            )));
        }
        let inputs = self.set(inputs)?.open(paths)?;
        self.report_buried_robots(&inputs);
        self.report_empty_tables(&inputs);
        self.report_pages_beside(&inputs);
        Ok(inputs)
    }

    /// Prints a note on each empty table among the inputs. An empty table is not damaged, but
    /// copying it may have failed.
    fn report_empty_tables(&self, inputs: &[Input]) {
        if self.quiet {
            return;
        }
        let empty = inputs.iter().filter(|input| input.is_blank());
        for input in empty.take(NAMED) {
            print_note(&format!("{} is empty", input.name()));
        }
    }

    /// Prints a note with the number of HTML files that are ignored. An HTML file is ignored if its
    /// folder also contains archives. From such a folder, only the archives are read.
    fn report_pages_beside(&self, inputs: &[Input]) {
        let pages: u64 = inputs.iter().map(Input::pages_beside).sum();
        if pages > 0 && !self.quiet {
            let files = count(pages, "HTML file");
            print_note(&format!(
                "{files} beside the archives passed over: a folder of pages is read with --url https://..."
            ));
        }
    }

    /// Prints a note on each input folder's robots.txt if `--url` is not the root of a site. The
    /// folder is then only a part of its site, so the robots.txt in it is not the site's own.
    fn report_buried_robots(&self, inputs: &[Input]) {
        let Some(url) = &self.url else {
            return;
        };
        if url.path() == "/" || self.quiet {
            return;
        }
        for input in inputs {
            if input.kind() != InputFormat::Folder {
                continue;
            }
            let file = Path::new(input.name()).join("robots.txt");
            if file.exists() {
                let file = file.display();
                print_note(&format!(
                    "{file} counts only where it forbids: {url} is a part of a site, and the robots.txt of the whole is another"
                ));
            }
        }
    }

    /// Returns the settings by which the archives that `--robots` names are read.
    pub(crate) fn robots_inputs(&self) -> Result<Inputs> {
        Ok(self.set(Inputs::default())?.kind(None).url(None))
    }

    fn set(&self, inputs: Inputs) -> Result<Inputs> {
        // A run that gets too little fails here, at its start.
        self.memory.map(Memory::new).transpose()?;
        let inputs = inputs
            .kind(self.input.kind())
            .url(self.url.clone())
            .hidden(self.hidden)
            .manifest_base(self.manifest_base.clone());
        Ok(inputs.limits(self.limits()?).digests(!self.ignore_digests))
    }

    /// Returns the conventions that `--conventions` selects, together with the conventions that the
    /// user has defined.
    pub(crate) fn conventions(&self) -> Result<Conventions> {
        self.terms.conventions()
    }

    /// Returns the bots for which pages are judged. They are the bots of `--bot`. Without this
    /// option, the only bot is `heedful`.
    pub(crate) fn bots(&self) -> Result<Vec<Bot>> {
        self.terms.bots()
    }

    /// Fails if the user gave several bots. `verb` is the verb that the error names.
    pub(crate) fn require_one_bot(&self, verb: &str) -> Result<()> {
        self.terms.require_one_bot(verb)
    }

    pub(crate) fn limits(&self) -> Result<Limits> {
        limits(self.memory, &self.limit)
    }

    /// Returns these options with the stored `terms` of an index. A stored bot, convention, denial
    /// or mode is used if the command line does not set it.
    pub(crate) fn with_terms(&self, terms: &Terms) -> Result<Self> {
        let mut args = self.clone();
        args.terms = self.terms.clone().with_defaults(terms)?;
        args.mode = args.mode.or(terms.mode()?);
        Ok(args)
    }

    pub(crate) fn url(&self) -> Option<&Url> {
        self.url.as_ref()
    }

    /// Fails if `--url` is given, but the pages of all inputs have URLs of their own.
    pub(crate) fn check_url_option(&self, inputs: &[Input]) -> Result<()> {
        match inputs.first() {
            Some(first) if self.url.is_some() && inputs.iter().all(names_its_pages) => {
                let name = first.name();
                Err(setting(format!(
                    "--url names a page or a folder; the pages of {name} have URLs of their own"
                )))
            }
            _ => Ok(()),
        }
    }

    /// True if the denials by URL were copied from the rules that an index stores for its pages.
    /// False if the user gave the denials on the command line.
    pub(crate) fn has_lent_denials(&self) -> bool {
        self.terms.has_lent_denials
    }

    /// True if the denied regions and elements were copied from the rules that an index stores for
    /// its pages. False if the user gave the regions and elements on the command line.
    pub(crate) fn has_lent_conventions(&self) -> bool {
        self.terms.has_lent_conventions
    }

    pub(crate) fn has_inputs(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Returns the paths of the inputs on the command line.
    pub(crate) fn paths(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Fails if writing the file `output` would overwrite a file that the run reads, or an existing
    /// file in an input folder. `what` describes the output in the error message.
    pub(crate) fn refuse_overwriting_inputs(
        &self,
        output: Option<&Path>,
        what: &str,
    ) -> Result<()> {
        let robots = self.robots.iter().map(|robots| &robots.path);
        let read: Vec<_> = self
            .inputs
            .iter()
            .chain(robots)
            .chain(&self.tdmrep)
            .map(PathBuf::as_path)
            .collect();
        match output {
            Some(output) => refuse_overwriting(output, &read, what),
            None => Ok(()),
        }
    }

    /// Returns the names of the inputs as the user typed them.
    pub(crate) fn input_names(&self) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
        self.inputs.iter().map(|input| input.to_string_lossy())
    }

    pub(crate) fn filter(&self) -> Result<Filter> {
        let filter = self
            .terms
            .filter(self.conventions()?, self.limits()?)?
            .now(self.now());
        let filter = if let Some(mode) = self.mode {
            filter.robots_mode(mode)
        } else {
            filter
        };
        self.with_licences(filter)
    }

    /// Adds RSL licences to a filter. A licence of the command line replaces the licence at one
    /// URL, or the licences at all URLs. Other licences are fetched if the user requests it.
    fn with_licences(&self, filter: Filter) -> Result<Filter> {
        let given = self.rsl.clone();
        let fetcher = if self.fetch_rsl {
            Some(self.fetcher()?)
        } else {
            None
        };
        if given.is_empty() && fetcher.is_none() {
            return Ok(filter);
        }
        let limits = self.limits()?;
        let asked = fetcher.map(|fetcher| licences(fetcher, &limits));
        Ok(filter.licences(move |url| {
            let given = given.iter().find(|licence| licence.is_at(url));
            match given {
                Some(licence) => Some(licence.file.clone()),
                None => asked.as_ref().map(|fetch| fetch(url)),
            }
        }))
    }

    fn fetcher(&self) -> Result<Fetcher> {
        let agent = self.user_agent.as_deref();
        let fetcher = fetcher(
            agent,
            &self.bots()?[0],
            self.robots_cache.as_deref(),
            self.allow_private,
        )?;
        Ok(fetcher.limits(&self.limits()?))
    }

    /// Reads the inputs before the first page is judged. Returns a gate with the robots.txt files
    /// in the inputs, and a filter with names of bots. The names are from the Names pages in the
    /// inputs, which are pages that list names of bots. If `evidence` is true, the gate and the
    /// filter also store the documents that evidence needs.
    pub(crate) fn survey(&self, inputs: &[Input], evidence: bool) -> Result<(Gate, Filter)> {
        let filter = self.filter()?;
        let (gate, filter) = if evidence {
            survey_for_evidence(inputs, filter)?
        } else {
            survey(inputs, filter)?
        };
        Ok((self.gate(self.keep_documents(gate))?, filter))
    }

    /// Stores the licences and the Names pages (lists of bots) of the command line in the gate.
    /// Does nothing if the gate stores no documents for evidence.
    fn keep_documents(&self, gate: Gate) -> Gate {
        if let Some(originals) = gate.originals() {
            for licence in &self.rsl {
                originals.keep_at(url_text(licence.url.as_ref()), &licence.bytes);
            }
            for names in &self.terms.names {
                originals.keep_at(url_text(names.url.as_ref()), &names.bytes);
            }
        }
        gate
    }

    /// Adds the site files of the inputs and of the command line to `gate`.
    pub(crate) fn with_sites(&self, gate: Gate, inputs: &[Input]) -> Result<Gate> {
        self.gate(self.keep_documents(gate.with_inputs(inputs)?))
    }

    /// True if `--robots` sets a file that applies to all sites.
    pub(crate) fn has_robots(&self) -> bool {
        self.robots.iter().any(RobotsFile::is_for_all_sites)
    }

    /// Returns the robots.txt files that the option `--robots` names.
    pub(crate) fn robots(&self) -> &[RobotsFile] {
        &self.robots
    }

    fn gate(&self, mut gate: Gate) -> Result<Gate> {
        for robots in &self.robots {
            gate = robots.add_to(gate, &self.robots_inputs()?)?;
        }
        if let Some(path) = &self.tdmrep {
            gate = gate.with_robots_for_all_sites(site_file(SiteFile::Tdmrep, path)?);
        }
        let mut files = Vec::new();
        if self.fetch_robots {
            files.push(SiteFile::Robots);
        }
        if self.fetch_tdmrep {
            files.push(SiteFile::Tdmrep);
        }
        if !files.is_empty() {
            gate = gate.with_fetcher(&files, self.fetcher()?, SystemTime::now());
        }
        Ok(if self.require_robots {
            gate.required()
        } else {
            gate
        })
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.terms.now()
    }

    pub(crate) fn jobs(&self) -> usize {
        jobs(self.jobs)
    }
}

/// True if an input states the URL of each of its pages, as an archive does. False for an HTML file
/// and for a folder of HTML files.
pub(crate) fn names_its_pages(input: &Input) -> bool {
    !matches!(input.kind(), InputFormat::Html | InputFormat::Folder)
}

/// Parses the value of `--jobs`: the number of pages that are judged at the same time.
pub(crate) fn jobs_count(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("one job at least is needed".to_owned()),
        Ok(jobs) => Ok(jobs),
        Err(_) => Err(format!("`{text}` is no number, as 4 is")),
    }
}

pub(crate) fn jobs(asked: Option<usize>) -> usize {
    match asked {
        Some(jobs) => jobs,
        None => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    }
}

fn url_text(url: Option<&Url>) -> &str {
    url.map_or("", Url::as_str)
}

/// Fails if the file `output` is one of `inputs`, or an existing file in an input folder. A new
/// file is allowed. `what` describes the output in the error message.
pub(crate) fn refuse_overwriting(output: &Path, inputs: &[&Path], what: &str) -> Result<()> {
    let Ok(there) = output.canonicalize() else {
        return Ok(());
    };
    let is_file = there.is_file();
    for input in inputs {
        let Ok(path) = input.canonicalize() else {
            continue;
        };
        if there == path || is_file && path.is_dir() && there.starts_with(path) {
            return Err(setting(format!(
                "{} is read: write the {what} to another file",
                input.display()
            )));
        }
    }
    Ok(())
}

fn licence(text: &str) -> Result<NamedFile<Licence>> {
    NamedFile::read(text, |xml| Ok(Licence::read(xml)))
}

fn url(text: &str) -> std::result::Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|error| format!("{error}; a whole URL is needed, as https://site.example/"))?;
    match url.scheme() {
        "http" | "https" | "file" => Ok(url),
        scheme => Err(format!("`{scheme}` is no scheme of web pages, as https is")),
    }
}

pub(crate) fn header(text: &str) -> std::result::Result<(String, String), String> {
    let text = text.trim();
    let (name, value) = text
        .split_once(':')
        .ok_or("a header is written `Name: value`")?;
    if text.contains(['\r', '\n']) {
        return Err("a header is one line: give each of several by itself".to_owned());
    }
    let name = name.trim_end();
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&*+-.^_|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        return Err(format!(
            "`{name}` is no name of a header: one is written `Name: value`"
        ));
    }
    Ok((name.to_owned(), value.trim().to_owned()))
}

/// Parses a limit `NAME=N` to its name and its number. A suffix K, M or G multiplies the number by
/// 1,024 once, twice or three times.
pub(crate) fn limit(text: &str) -> std::result::Result<(String, u64), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("a limit is written NAME=N: page_bytes=10M")?;
    let set = (name.trim().to_owned(), bytes(value)?);
    Limits::default()
        .set(&set.0, set.1)
        .map_err(|error| error.to_string())?;
    Ok(set)
}

/// Parses a number of bytes. A suffix K, M or G multiplies the number by 1,024 once, twice or three
/// times.
pub(crate) fn bytes(value: &str) -> std::result::Result<u64, String> {
    let number = value.trim_end_matches(['k', 'K', 'm', 'M', 'g', 'G']);
    let factor: u64 = match value[number.len()..].to_ascii_uppercase().as_str() {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err("a number may only be followed by K, M or G".to_owned()),
    };
    let number: u64 = number
        .parse()
        .map_err(|_| format!("`{value}` is no number, as 10M is"))?;
    Ok(number.saturating_mul(factor))
}

/// Parses the amount of memory for a run, and returns it in bytes. Fails if the amount is invalid
/// or less than [`Memory::LEAST`], the minimum of a run. Does not check whether the system has this
/// amount.
pub(crate) fn memory(value: &str) -> std::result::Result<u64, String> {
    let least = format!("a run needs {} MiB at the least", Memory::LEAST >> 20);
    let bytes = bytes(value)?;
    if bytes < Memory::LEAST {
        Err(least)
    } else {
        Ok(bytes)
    }
}

/// Returns the limits of a run. If `memory` is given, the default limits are lowered to fit it.
/// Then the limits in `set`, which the user sets by name, replace these values.
pub(crate) fn limits(memory: Option<u64>, set: &[(String, u64)]) -> Result<Limits> {
    let mut limits = match memory {
        Some(memory) => Limits::default().fit_memory(memory),
        None => Limits::default(),
    };
    for (name, value) in set {
        limits = limits.set(name, *value)?;
    }
    Ok(limits)
}
