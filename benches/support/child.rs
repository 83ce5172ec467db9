//! Measures the memory and the processor time of a child program while it runs. It works on Linux
//! only, because it reads /proc.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Resources that a child program used.
pub(crate) struct Ran {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
    /// Peak memory of the child program in bytes. Mapped parts of files are included.
    pub(crate) peak: u64,
}

impl Ran {
    pub(crate) fn print(&self, name: &str) {
        let (wall, cpu, peak) = (
            self.wall.as_secs_f64(),
            self.cpu.as_secs_f64(),
            self.peak as f64 / 1e6,
        );
        println!("{name}: {wall:.1} s, {cpu:.1} CPU-seconds, peak {peak:.0} MB");
    }
}

/// Runs a child program. `feed` writes to the program's standard input. Returns the resources that
/// it used.
pub(crate) fn run(command: &mut Command, feed: impl FnOnce(&mut dyn Write) + Send) -> Ran {
    let started = Instant::now();
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let (cpu, peak) = thread::scope(|scope| {
        scope.spawn(move || feed(&mut input));
        watch_for(&mut child, Duration::MAX)
    });
    let wall = started.elapsed();
    let status = child.wait().unwrap();
    assert!(status.success(), "{command:?}: {status}");
    Ran { wall, cpu, peak }
}

/// Waits until a child program ends, or kills it after `longest`. Returns its processor time, and
/// its peak memory in bytes. They are read before `wait` discards them.
pub(crate) fn watch_for(child: &mut Child, longest: Duration) -> (Duration, u64) {
    let (mut peak, started) = (0, Instant::now());
    loop {
        if started.elapsed() > longest {
            child.kill().unwrap();
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        peak = peak.max(kilobytes(&status).unwrap_or(0) * 1024);
        if status
            .lines()
            .any(|line| line.starts_with("State:") && line.contains('Z'))
        {
            return (cpu(&format!("/proc/{}/stat", child.id())), peak);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn kilobytes(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

/// Returns the processor time of a process. `stat` is the path of its file /proc/PID/stat.
pub(crate) fn cpu(stat: &str) -> Duration {
    let text = std::fs::read_to_string(stat).unwrap();
    let fields: Vec<&str> = text
        .rsplit(')')
        .next()
        .unwrap()
        .split_whitespace()
        .collect();
    let ticks: u64 = fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum();
    Duration::from_millis(ticks * 10)
}
