//! `heedful generate`: writes manual pages and shell completions from clap's descriptions of the
//! arguments, and the OpenAPI document of the service from the table of its routes.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use clap_complete::{Generator, Shell as Completer};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use heedful::Result;
use heedful_base::new_file;
use heedful_json::pretty;

use crate::command::whole_command;
use crate::ending::{RunEnding, io_error, written};
use crate::output;

use crate::args::{GenerateArgs, Shell};

use super::serve::routes::document;

pub(crate) fn run(args: &GenerateArgs) -> Result<RunEnding> {
    match args {
        GenerateArgs::Man { dir } => manual(dir)?,
        GenerateArgs::Openapi => openapi()?,
        GenerateArgs::Completions { shell } => completions(*shell)?,
    }
    Ok(RunEnding::Yes)
}

/// Adds the options for help and version, and the full names of all verbs, to clap's description of
/// the program. Clap itself adds them only when it parses a command line.
fn build_command(mut program: Command) -> Command {
    program.set_bin_name("heedful");
    program.build();
    program
}

fn openapi() -> Result<()> {
    let document = document(true, Some("http://localhost:4334"));
    let mut out = output::data();
    written(writeln!(out, "{}", pretty(&document)).and_then(|()| out.flush()))
}

fn completions(shell: Shell) -> Result<()> {
    let completer = match shell {
        Shell::Bash => Completer::Bash,
        Shell::Zsh => Completer::Zsh,
        Shell::Fish => Completer::Fish,
        Shell::Powershell => Completer::PowerShell,
    };
    let mut out = output::data();
    written(
        completer
            .try_generate(&build_command(whole_command()), &mut out)
            .and_then(|()| out.flush()),
    )
}

fn manual(dir: &Path) -> Result<()> {
    fs::create_dir_all(dir).map_err(io_error(dir.display()))?;
    let program = build_command(
        whole_command()
            .disable_help_subcommand(true)
            .subcommand_help_heading("VERBS"),
    );
    for command in std::iter::once(&program).chain(program.get_subcommands()) {
        let man = Man::new(command.clone().mut_args(with_values));
        let path = dir.join(man.get_filename());
        let mut page = Vec::new();
        render(&man, command, &mut page).map_err(io_error(path.display()))?;
        new_file::write(&path, page).map_err(io_error(path.display()))?;
    }
    Ok(())
}

/// Appends the possible values of a command-line option to the help text of the option. A separate
/// list of the values would take too much room in the manual page.
fn with_values(option: Arg) -> Arg {
    let values = option.get_possible_values();
    if values.is_empty() || !option.get_action().takes_values() {
        return option;
    }
    let names: Vec<_> = values.iter().map(PossibleValue::get_name).collect();
    let text = option
        .get_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    option
        .help(format!("{text}: {}", names.join(", ")))
        .hide_possible_values(true)
}

/// Writes the manual page of a verb to `page`. The sections at the end of the verb's help become
/// sections of the manual page. The manual page has no date, so equal help always gives equal
/// bytes.
fn render(man: &Man, command: &Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let name = command
        .get_display_name()
        .unwrap_or_else(|| command.get_name());
    writeln!(
        page,
        ".TH {} 1 \"\" \"heedful {}\" heedful",
        name.replace('-', "\\-"),
        env!("CARGO_PKG_VERSION")
    )?;
    man.render_name_section(page)?;
    synopsis(command).to_writer(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if let Some(end) = command.get_after_help() {
        sections(&end.to_string()).to_writer(page)?;
    }
    if !command.has_subcommands() {
        writeln!(page, ".SH \"SEE ALSO\"\nheedful(1)")?;
    }
    Ok(())
}

fn synopsis(command: &Command) -> Roff {
    let usage = command.clone().render_usage().to_string();
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"])
        .text([roman(usage.trim_start_matches("Usage: "))]);
    roff
}

/// Converts each paragraph of a help text to a section of a manual page. The first line of a
/// paragraph becomes the heading of the section. Line breaks are kept.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    for part in text.split("\n\n") {
        let mut lines = part.lines();
        let head = lines
            .next()
            .unwrap_or_default()
            .trim_end_matches(':')
            .to_uppercase();
        roff.control("SH", [head.as_str()]).control("nf", []);
        for line in lines {
            roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
        }
        roff.control("fi", []);
    }
    roff
}
