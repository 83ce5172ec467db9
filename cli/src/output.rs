//! The only file that writes to standard output and standard error. tests/all/floors/ checks that
//! no other file names these streams.
//!
//! Pages, archives and file names may contain control sequences for a terminal. So every line for
//! people is cleaned in this file. The only control characters that remain are line ends, tabs and
//! the program's own styles. All other control characters become U+FFFD, and so do characters that
//! change the direction of writing.
//!
//! A stranger's text may have the very sequences of the program's styles, to look like a verdict of
//! the program. So [`styled`] marks its sequences with a random number, which differs in each run.
//! Only sequences with this mark remain. [`harmless`] makes a value a single line.
//!
//! Data goes to standard output unchanged, unless standard output is a terminal. If a message
//! cannot be written to standard error, it is dropped silently. If data cannot be written to
//! standard output, that is an error, which is reported at the end of the program at the latest.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::OsString;
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, PoisonError};

use anstream::ColorChoice;
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use heedful::Result;
use heedful_base::new_file::NewFile;
use heedful_json::is_command;

use crate::ending::{FileError, io_error, written};

pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const RED: Style = AnsiColor::Red.on_default().bold();
pub(crate) const GREEN: Style = AnsiColor::Green.on_default();

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// The terminal sequences that clap uses in its messages. All other sequences are removed from
/// clap's messages.
const OF_CLAP: [&str; 7] = [
    "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[31m", "\x1b[32m", "\x1b[33m",
];

/// Beginning of each terminal sequence, such as a colour, that the program itself writes. It
/// contains a random number, which differs in each run. So text from other sources cannot contain
/// this beginning. [`sanitize`] replaces it by [`CSI`], the real beginning of a sequence.
static MARK: LazyLock<String> =
    LazyLock::new(|| format!("{CSI}{};", RandomState::new().hash_one("styles")));

/// Bytes with which a terminal sequence begins.
const CSI: &str = "\x1b[";

/// The first error that occurred when a [`Stdout`] was dropped. Dropping a [`Stdout`] flushes it,
/// which may fail. `drop` cannot return this error, so the error is stored here.
static FAILED: Mutex<Option<io::Error>> = Mutex::new(None);

/// The terminal sequences that may stay in text for people. `Own` keeps the program's own styles.
/// `Clap` keeps the styles of clap's messages. `None` keeps no sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Styles {
    Own,
    Clap,
    None,
}

/// A buffered writer to standard output or to a file. [`Stdout::finish`] gives the file its final
/// name. Dropping the writer flushes it, and keeps the error if this fails. The free function
/// [`finish`](self::finish) returns that error at the end of the program.
pub(crate) struct Stdout {
    to: Box<dyn Write>,
    /// The terminal sequences that stay in output for people. All other sequences are made
    /// harmless. If the output is for other programs, `styles` is `None`, and the output is
    /// written unchanged.
    styles: Option<Styles>,
    /// Bytes of the current line of output. They are buffered until the line ends.
    line: Vec<u8>,
    /// The file that takes the place of standard output. `None` if standard output is used.
    file: Option<SharedFile>,
}

/// An output file with two owners, both fields of [`Stdout`]. The field `to` of [`Stdout`] writes
/// to the file. The field `file` of [`Stdout`] gives the file its final name at the end.
#[derive(Clone)]
struct SharedFile(Rc<RefCell<BufWriter<NewFile>>>);

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

impl Stdout {
    /// Adds the path of the output file to an error. Errors of standard output are unchanged.
    fn located<T>(&self, result: io::Result<T>) -> io::Result<T> {
        match (result, &self.file) {
            (Err(source), Some(file)) => Err(io::Error::other(FileError {
                path: file.0.borrow().get_ref().path().to_owned(),
                source,
            })),
            (result, _) => result,
        }
    }

    /// Flushes the output. Then gives an output file its final name.
    ///
    /// # Errors
    /// Fails if the remaining bytes cannot be written, or if the file cannot be renamed.
    pub(crate) fn finish(&mut self) -> Result<()> {
        written(self.flush())?;
        let file = self.file.take();
        // The writer shares the file, so it must be dropped first.
        self.to = Box::new(io::sink());
        let Some(file) = file.and_then(|file| Rc::into_inner(file.0)) else {
            return Ok(());
        };
        let file = file.into_inner();
        let path = file.get_ref().path().to_owned();
        let flushed = file.into_inner().map_err(io::IntoInnerError::into_error);
        flushed
            .and_then(NewFile::finish)
            .map_err(io_error(path.display()))
    }

    fn write_sanitized(&mut self, bytes: &[u8], styles: Styles) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        let written = self.to.write_all(sanitize(&text, styles).as_bytes());
        self.located(written)
    }
}

/// Opens the output of a verb: the file `file`, or standard output if `file` is `None`.
///
/// # Errors
/// Fails if the output file cannot be created.
pub(crate) fn open(format: Format, file: Option<&Path>) -> Result<Stdout> {
    let Some(path) = file else {
        return Ok(stdout(format));
    };
    let file = NewFile::create(path).map_err(io_error(path.display()))?;
    let file = SharedFile(Rc::new(RefCell::new(BufWriter::new(file))));
    let writer = Box::new(file.clone());
    Ok(match format {
        Format::Text => Stdout {
            to: Box::new(anstream::StripStream::new(writer as Box<dyn Write>)),
            styles: Some(Styles::Own),
            line: Vec::new(),
            file: Some(file),
        },
        Format::Json => Stdout {
            to: writer,
            styles: None,
            line: Vec::new(),
            file: Some(file),
        },
    })
}

/// Opens standard output in this format. In text, control characters are removed, and colours are
/// possible. JSON is written as with [`data`].
pub(crate) fn stdout(format: Format) -> Stdout {
    match format {
        Format::Text => Stdout {
            to: Box::new(anstream::stdout()),
            styles: Some(Styles::Own),
            line: Vec::new(),
            file: None,
        },
        Format::Json => data(),
    }
}

/// Opens standard output for data that other programs read. Control characters are removed only if
/// standard output is a terminal.
pub(crate) fn data() -> Stdout {
    let styles = io::stdout().is_terminal().then_some(Styles::None);
    Stdout {
        to: Box::new(BufWriter::new(io::stdout())),
        styles,
        line: Vec::new(),
        file: None,
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(styles) = self.styles else {
            let written = self.to.write(bytes);
            return self.located(written);
        };
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.line.extend_from_slice(bytes);
            return Ok(bytes.len());
        };
        self.line.extend_from_slice(&bytes[..=end]);
        let lines = std::mem::take(&mut self.line);
        self.write_sanitized(&lines, styles)?;
        self.line.extend_from_slice(&bytes[end + 1..]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.line);
        if let (Some(styles), false) = (self.styles, rest.is_empty()) {
            self.write_sanitized(&rest, styles)?;
        }
        let flushed = self.to.flush();
        self.located(flushed)
    }
}

impl Drop for Stdout {
    fn drop(&mut self) {
        if let Err(error) = self.flush() {
            FAILED
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(error);
        }
    }
}

/// Fails if a [`Stdout`] could not be flushed when it was dropped. The error is the first one that
/// occurred.
pub(crate) fn finish() -> io::Result<()> {
    FAILED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take()
        .map_or(Ok(()), Err)
}

/// Prints lines for people to standard error, without control characters. A failure to write is
/// ignored.
pub(crate) fn print_message(lines: impl Display) {
    print_lines(&lines, Styles::Own);
}

fn print_lines(lines: &dyn Display, styles: Styles) {
    let lines = format!("{lines}\n");
    let _ = anstream::stderr().write_all(sanitize(&lines, styles).as_bytes());
}

/// Prints a line of data to standard output at once. The line is for a log. A failure to write is
/// ignored, because the reader of the log may end before the program.
pub(crate) fn print_data_line(line: &str) {
    let mut out = data();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    let _ = written;
}

pub(crate) fn print_error(error: &dyn Display) {
    print_message(format_args!("{} {error}", styled(RED, "error:")));
}

/// Prints a note to standard error as one line. A line end in `message` becomes U+FFFD.
pub(crate) fn print_note(message: &str) {
    print_message(format_args!(
        "{} {}",
        styled(BOLD, "note:"),
        harmless(message)
    ));
}

/// Prints a message of clap: help goes to standard output, usage errors go to standard error.
pub(crate) fn print_usage(said: &clap::Error) -> io::Result<()> {
    // A message may quote an argument, which may have a sequence of clap's styles in it.
    let is_command = |argument: OsString| argument.as_encoded_bytes().contains(&0x1B);
    let (text, styles) = if std::env::args_os().any(is_command) {
        (said.render().to_string(), Styles::None)
    } else {
        (said.render().ansi().to_string(), Styles::Clap)
    };
    if said.use_stderr() {
        print_lines(&text.trim_end(), styles);
        return Ok(());
    }
    let mut out = stdout(Format::Text);
    out.styles = Some(styles);
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Installs a panic hook that removes control characters from panic messages. A panic message may
/// quote a page, which may contain such characters.
pub(crate) fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::capture();
        let is_traced = trace.status() == std::backtrace::BacktraceStatus::Captured;
        print_message(if is_traced {
            format!("{panic}\n{trace}")
        } else {
            panic.to_string()
        });
    }));
}

/// Sets whether standard output and standard error are coloured: always, never, or only on a
/// terminal.
pub(crate) fn colour(color: Color) {
    match color {
        Color::Auto => {}
        Color::Always => ColorChoice::Always.write_global(),
        Color::Never => ColorChoice::Never.write_global(),
    }
}

/// True if standard output is a terminal.
pub(crate) fn is_shown() -> bool {
    io::stdout().is_terminal()
}

/// True if standard error is a terminal.
pub(crate) fn is_watched() -> bool {
    io::stderr().is_terminal()
}

/// Returns `text` as one line. Control characters, line ends and characters that change the
/// direction of writing become U+FFFD.
pub(crate) fn harmless(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_command(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

/// Returns `text` between the terminal sequences that begin and end `style`. The sequences begin
/// with [`MARK`], by which [`sanitize`] recognizes the program's own sequences.
pub(crate) fn styled(style: Style, text: &str) -> String {
    let marked = |sequences: String| sequences.replace(CSI, &MARK);
    let (begin, end) = (style.render(), style.render_reset());
    marked(begin.to_string()) + text + &marked(end.to_string())
}

/// Returns the length of the terminal sequence at the beginning of `text`, and the sequence itself.
/// If the sequence begins with [`MARK`], the returned sequence has [`CSI`] in place of [`MARK`].
/// Returns `None` if `text` does not begin with a sequence that `styles` allows.
fn allowed_sequence(text: &str, styles: Styles) -> Option<(usize, String)> {
    match styles {
        Styles::Own => {
            let end = text.strip_prefix(MARK.as_str())?.split_once('m')?.0;
            Some((MARK.len() + end.len() + 1, format!("{CSI}{end}m")))
        }
        Styles::Clap => {
            let own = OF_CLAP.iter().find(|own| text.starts_with(**own))?;
            Some((own.len(), (*own).to_owned()))
        }
        Styles::None => None,
    }
}

/// Replaces all control characters in `text` by U+FFFD, except line ends, tabs and the terminal
/// sequences that `styles` allows. The program's own sequences begin with the random text [`MARK`].
/// If `styles` allows them, [`CSI`], the usual beginning of a sequence, replaces [`MARK`].
fn sanitize(text: &str, styles: Styles) -> Cow<'_, str> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    if text.as_bytes().iter().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut passed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let own = if c == '\x1b' {
            allowed_sequence(rest, styles)
        } else {
            None
        };
        let taken = match own {
            Some((length, sequence)) => {
                passed.push_str(&sequence);
                length
            }
            None => {
                let is_harmful = is_command(c) && !matches!(c, '\n' | '\t');
                passed.push(if is_harmful {
                    char::REPLACEMENT_CHARACTER
                } else {
                    c
                });
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    Cow::Owned(passed)
}

/// Maximum number of items of one kind (such as files or URLs) that a report lists. Further items
/// are only counted.
pub(crate) const NAMED: usize = 5;

/// Returns `one` if `number` is 1, otherwise `many`.
pub(crate) fn plural(number: u64, one: &'static str, many: &'static str) -> &'static str {
    if number == 1 { one } else { many }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_styles_pass_and_nothing_else_does() {
        let command = clap::builder::Styles::styled();
        let of_help = [
            command.get_header(),
            command.get_error(),
            command.get_usage(),
            command.get_literal(),
        ];
        let of_help = of_help.into_iter().chain([
            command.get_placeholder(),
            command.get_valid(),
            command.get_invalid(),
        ]);
        for style in [BOLD, DIM, RED, GREEN] {
            let ours = styled(style, "a\tb");
            assert_eq!(
                sanitize(&ours, Styles::Own),
                format!("{style}a\tb{style:#}")
            );
            // The same sequences from a stranger are no style.
            let theirs = format!("{style}a{style:#}");
            assert_eq!(
                sanitize(&theirs, Styles::Own),
                theirs.replace('\x1b', "\u{fffd}")
            );
        }
        for style in of_help {
            let ours = format!("{style}a{style:#}");
            assert_eq!(sanitize(&ours, Styles::Clap), ours);
        }
        assert_eq!(
            sanitize(&MARK, Styles::Own),
            MARK.replace('\x1b', "\u{fffd}")
        );
        let hostile =
            "a\x1b]0;x\x07\x1b[5mb\x1b[1;31mc\r\u{7f}\u{9b}31m\u{202e}\u{2066}\u{200f}\u{61c}\0d\n";
        let shown = sanitize(hostile, Styles::Own);
        assert_eq!(
            shown,
            "a\u{fffd}]0;x\u{fffd}\u{fffd}[5mb\u{fffd}[1;31mc\u{fffd}\u{fffd}\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}d\n"
        );
        assert_eq!(sanitize("\x1b[1m", Styles::None), "\u{fffd}[1m");
        let styled = styled(BOLD, "b");
        assert_eq!(sanitize(&styled, Styles::None).matches('\x1b').count(), 0);
        assert_eq!(harmless("a\x1b[1m\n\tb"), "a\u{fffd}[1m\u{fffd}\u{fffd}b");
    }
}
