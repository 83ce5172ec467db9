//! Measures works side by side, in processor time of the thread. The works take turns on each piece
//! of their input, so that whatever slows the machine down affects all of them.

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

/// Returns the processor time that this thread has used. Other programs hardly affect it. If the
/// system does not report the processor time, returns the time since the first call of this
/// function.
pub(crate) fn spent() -> Duration {
    static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system may update the count only when it schedules the next thread.
    thread::yield_now();
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = stat.and_then(|stat| stat.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| STARTED.elapsed(), Duration::from_nanos)
}

/// The processor time that one work took.
pub(crate) struct Times {
    /// Minimum time of each piece over all rounds.
    pieces: Vec<Duration>,
    /// Time of all pieces, for each round.
    pub(crate) rounds: Vec<Duration>,
}

impl Times {
    /// Returns the time of all pieces, of which each counts with its best round.
    pub(crate) fn best(&self) -> Duration {
        self.pieces.iter().sum()
    }
}

/// Measures several works, each of which is done on `pieces` pieces in each of `rounds` rounds.
/// Another work begins on each next piece, since the first one waits longest for the memory of the
/// piece.
pub(crate) fn race(pieces: usize, rounds: usize, works: &[&dyn Fn(usize)]) -> Vec<Times> {
    let mut times: Vec<_> = works
        .iter()
        .map(|_| Times {
            pieces: vec![Duration::MAX; pieces],
            rounds: vec![Duration::ZERO; rounds],
        })
        .collect();
    for round in 0..rounds {
        for piece in 0..pieces {
            for turn in 0..works.len() {
                let at = (round + piece + turn) % works.len();
                let started = spent();
                works[at](piece);
                let time = spent() - started;
                times[at].pieces[piece] = times[at].pieces[piece].min(time);
                times[at].rounds[round] += time;
            }
        }
    }
    times
}
