//! The configuration file: options that a user would otherwise type each time.
//!
//! The environment variable `HEEDFUL_CONFIG` names the configuration file. No other path is
//! searched. Otherwise a configuration file in a folder of other people's pages could change which
//! rules are obeyed. The file is TOML. A key is the long name of an option. A key at the top level
//! applies to each verb that has the option. A key in a table applies only to the verb that the
//! table is named after. An option on the command line replaces the same option of the file.
//!
//! An unknown key or table in the configuration file is an error. Otherwise a misspelled option
//! that should deny a use would be ignored silently.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};
use toml::{Table, Value};

use heedful::{Error, Result};
use heedful_base::lenient::near::hint;

use crate::ending::setting;
use crate::terms_args::text_of_file;

/// The environment variable that contains the path of the configuration file.
const VARIABLE: &str = "HEEDFUL_CONFIG";

/// A parsed configuration file.
pub(crate) struct Config {
    path: PathBuf,
    table: Table,
}

impl Config {
    /// Reads the configuration file that the environment variable `HEEDFUL_CONFIG` names. Returns
    /// `None` if the variable is missing or empty.
    ///
    /// # Errors
    /// Fails if the configuration file cannot be read, or is not TOML in UTF-8.
    pub(crate) fn from_environment() -> Result<Option<Self>> {
        let path = match std::env::var_os(VARIABLE) {
            Some(path) if !path.is_empty() => PathBuf::from(path),
            _ => return Ok(None),
        };
        match text_of_file(&path)?.parse() {
            Ok(table) => Ok(Some(Self { path, table })),
            Err(error) => Err(setting(format!("{}: {error}", path.display()))),
        }
    }

    /// Makes the values in this configuration file the defaults of the options in `command`.
    /// Returns the changed command.
    ///
    /// # Errors
    /// Fails if the configuration file names an unknown option or verb, or has a value of a wrong
    /// type.
    pub(crate) fn apply(&self, mut command: Command) -> Result<Command> {
        for (key, value) in &self.table {
            command = match value {
                Value::Table(options) => self.apply_to_verb(command, key, options)?,
                _ => self.apply_to_all(command, key, value)?,
            };
        }
        Ok(command)
    }

    fn apply_to_verb(&self, mut command: Command, verb: &str, options: &Table) -> Result<Command> {
        if command.find_subcommand(verb).is_none() {
            let names = command.get_subcommands().map(Command::get_name);
            let hint = hint(verb, names);
            return Err(self.error(format!("[{verb}] is no verb;{hint}")));
        }
        for (key, value) in options {
            let known = command.find_subcommand(verb).map(option_names);
            let place = format!("[{verb}] has no option");
            let default = self.default_value(key, value, &known.unwrap_or_default(), &place)?;
            command = command.mut_subcommand(verb, |verb| default.set(verb));
        }
        Ok(command)
    }

    fn apply_to_all(&self, command: Command, key: &str, value: &Value) -> Result<Command> {
        let known = option_names(&command);
        let default = self.default_value(key, value, &known, "no verb has an option")?;
        Ok(default.set(command))
    }

    /// Returns the default that `value` sets for the option `key`. `known` has the names of the
    /// allowed options. If `key` is not one of them, the error message begins with `unknown`.
    fn default_value(
        &self,
        key: &str,
        value: &Value,
        known: &[String],
        unknown: &str,
    ) -> Result<OptionDefault> {
        if !known.iter().any(|name| name == key) {
            let hint = hint(key, known.iter().map(String::as_str));
            return Err(self.error(format!("{unknown} `{key}`;{hint}")));
        }
        let values = match value {
            Value::Array(values) => values.iter().map(scalar).collect(),
            value => scalar(value).map(|value| vec![value]),
        };
        match values {
            Some(values) if !values.is_empty() => Ok(OptionDefault {
                key: key.to_owned(),
                values,
            }),
            _ => Err(self.error(format!(
                "`{key}` needs a text, a number, true or false, or an array of them"
            ))),
        }
    }

    /// Returns an error that names this configuration file, if a value in the file caused clap's
    /// `error`. Returns `None` if the command line itself has an invalid value. Also returns `None`
    /// if `error` is not about a value.
    ///
    /// `without` is the command without the defaults of this file. `arguments` are the arguments of
    /// the command line.
    pub(crate) fn blame(
        &self,
        error: &clap::Error,
        without: Command,
        arguments: &[OsString],
    ) -> Option<Error> {
        use clap::error::ErrorKind::{InvalidValue, ValueValidation};
        let is_of_value =
            |error: &clap::Error| matches!(error.kind(), InvalidValue | ValueValidation);
        let is_typed = without
            .try_get_matches_from(arguments)
            .is_err_and(|error| is_of_value(&error));
        if !is_of_value(error) || is_typed {
            return None;
        }
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        Some(self.error(line.trim_start_matches("error: ")))
    }

    fn error(&self, message: impl Display) -> Error {
        setting(format!("{} ({VARIABLE}): {message}", self.path.display()))
    }
}

/// An option's long name, and its default values from the configuration file.
struct OptionDefault {
    key: String,
    values: Vec<String>,
}

impl OptionDefault {
    /// Sets the default values of this option in clap's `command` and in each of its subcommands. A
    /// command without the option stays unchanged.
    fn set(&self, command: Command) -> Command {
        let command = command.mut_args(|option| {
            if option.get_long() == Some(&self.key) {
                let help = without_default(&option);
                option
                    .required(false)
                    .help(help)
                    .default_values(self.values.clone())
            } else {
                option
            }
        });
        command.mut_subcommands(|verb| self.set(verb))
    }
}

/// Returns the help text of an option without the part `[default: ...]`. Clap then adds the default
/// of the configuration file.
fn without_default(option: &Arg) -> String {
    let help = option.get_help().map(ToString::to_string);
    let help = help.unwrap_or_default();
    match help.split_once(" [default") {
        Some((before, _)) => before.to_owned(),
        None => help,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(is_on) => Some(is_on.to_string()),
        Value::Datetime(time) => Some(time.to_string()),
        _ => None,
    }
}

/// Returns the long names of all options of clap's `command` and of its verbs.
fn option_names(command: &Command) -> Vec<String> {
    let mut names: Vec<_> = command
        .get_arguments()
        .filter(|option| is_setting(option))
        .filter_map(Arg::get_long)
        .map(str::to_owned)
        .collect();
    for verb in command.get_subcommands() {
        names.extend(option_names(verb));
    }
    names
}

fn is_setting(option: &Arg) -> bool {
    matches!(
        option.get_action(),
        ArgAction::Set | ArgAction::Append | ArgAction::SetTrue
    )
}
