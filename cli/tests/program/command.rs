//! Helpers that run the program as a user does, and prepare files for it.

use assert_cmd::Command;
use tempfile::TempDir;

use crate::support::root;

/// Returns a command that runs the program in the folder of the project.
pub(crate) fn heedful(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("heedful").unwrap();
    command.current_dir(root()).args(arguments);
    command
}

/// Runs the program with the bytes `stdin` as its standard input. Returns its exit status, standard
/// output and standard error.
pub(crate) fn run(arguments: &[&str], stdin: impl AsRef<[u8]>) -> (i32, String, String) {
    ended(heedful(arguments).write_stdin(stdin.as_ref()))
}

/// Runs a command. Returns its exit status, standard output and standard error.
pub(crate) fn ended(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Returns the path of the file `name` in a folder, as an argument of the program.
pub(crate) fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

/// Writes a file with this text into a folder, and returns its path.
pub(crate) fn write(folder: &TempDir, name: &str, text: &str) -> String {
    let file = folder.path().join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
    path(folder, name)
}
