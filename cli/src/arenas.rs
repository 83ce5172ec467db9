//! Limits the number of arenas of glibc's allocator if the address space is limited (`ulimit -v`).
//!
//! The allocator of glibc reserves 64 MiB of addresses for each arena, and gives an arena to nearly
//! every thread. Under a limit these reservations use up the address space, though the memory in
//! use is small. Then allocations take ten times as long, and at last one fails, which ends the
//! process. So all arenas together get at most an eighth of the address space. The number of arenas
//! is set by an environment variable, which glibc reads when a process starts, or by a call into C.
//! A call into C needs `unsafe`, which this program does not use. So the program starts itself
//! again with the variable set. If that fails, the program continues with glibc's default number of
//! arenas.

/// Environment variable that sets glibc's number of arenas. If the user has set the variable, this
/// program does not change it.
const NUMBER: &str = "MALLOC_ARENA_MAX";
/// Number of bytes of address space that glibc reserves for one arena.
const ARENA: u64 = 64 << 20;
/// Divisor of the limit on address space. Together, the arenas (memory areas) of glibc's allocator
/// may reserve one eighth of the limit.
const SHARE: u64 = 8;

/// If the address space is limited, replaces this process by a new one with fewer arenas of glibc's
/// allocator. Otherwise does nothing.
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
    // `exec` returns only if it failed; then the program continues without the limit.
    let _failed = std::process::Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(NUMBER, number.to_string())
        .exec();
}
