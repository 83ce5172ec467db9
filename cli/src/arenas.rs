//! Arenas of glibc's allocator where the address space is limited (`ulimit -v`).
//!
//! glibc reserves 64 MiB of addresses for each arena, and gives an arena to nearly every thread.
//! Under a limit these reservations use up the space, though the memory in use is small:
//! allocations take ten times as long, and at last one fails, which ends the process. So arenas get
//! an eighth of the space. glibc reads their number when a process starts, and only from the
//! environment or by a call into C. There is no `unsafe` in this program: it starts itself again,
//! with the number in the environment. Where that fails, it goes on as it is.

/// The environment variable that glibc reads. One that is set already stays.
const NUMBER: &str = "MALLOC_ARENA_MAX";
/// The addresses that glibc reserves for an arena, in bytes.
const ARENA: u64 = 64 << 20;
/// The part of the address space that arenas may reserve.
const SHARE: u64 = 8;

/// Starts the program again with fewer arenas if the address space is limited. Otherwise it does
/// nothing.
pub(crate) fn fit_address_space() {
    use std::os::unix::process::CommandExt;
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    let Some(limit) = limit else { return };
    if std::env::var_os(NUMBER).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut arguments = std::env::args_os();
    let Some(name) = arguments.next() else { return };
    let number = (limit / SHARE / ARENA).max(1);
    // `exec` returns only if it failed.
    let _failed = std::process::Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(NUMBER, number.to_string())
        .exec();
}
