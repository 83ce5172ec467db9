//! The program. Everything it can do is in the library; this reads arguments and prints.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
