//! The load test of the service: sends requests at a steady rate, and measures the time of their
//! answers.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Service};
use crate::support;

/// Number of client connections. Each connection waits for an answer before it sends the next
/// request.
const CONNECTIONS: usize = 32;
/// Maximum number of bytes of a real page that the test sends. Larger pages are rare and are
/// omitted.
const LONGEST: usize = 300_000;

/// Returns the pages that the load test sends, and a description of them.
fn pages() -> (Vec<Vec<u8>>, &'static str) {
    let real = support::pages("real-pages.jsonl.gz");
    if real.is_empty() {
        let made = support::cases::corpus(false)
            .into_iter()
            .map(|(_, html)| html.into_bytes())
            .collect();
        return (made, "pages of the corpus");
    }
    (
        real.into_iter()
            .map(|page| page.html)
            .filter(|html| html.len() < LONGEST)
            .collect(),
        "real pages",
    )
}

pub(crate) fn run(time: Duration, rate: u32) {
    let (pages, what) = pages();
    let sum: usize = pages.iter().map(Vec::len).sum();
    let service = Service::start(&[]);
    // A first round over all pages warms up the service.
    ask(&service, &pages, pages.len(), u32::MAX);
    let (before, asked) = (
        service.cpu(),
        usize::try_from(time.as_secs()).unwrap() * rate as usize,
    );
    let started = Instant::now();
    let (mut took, failed) = ask(&service, &pages, asked, rate);
    let (wall, cpu) = (
        started.elapsed().as_secs_f64(),
        (service.cpu() - before).as_secs_f64(),
    );
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!(
        "{} {what}, {} bytes each on average; {CONNECTIONS} connections",
        pages.len(),
        sum / pages.len()
    );
    println!(
        "| asked a second | answered a second | p50 ms | p90 ms | p99 ms | most ms | failed | cores of the service | MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (p50, p90, p99, most) = (at(0.5), at(0.9), at(0.99), at(1.0));
    let (answered, cores, peak) = (
        took.len() as f64 / wall,
        cpu / wall,
        service.memory().1 / 1000,
    );
    println!(
        "| {rate} | {answered:.0} | {p50:.1} | {p90:.1} | {p99:.1} | {most:.1} | {failed} | {cores:.2} | {peak} |"
    );
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!(
        "load of the machine over one minute: {}",
        load.split(' ').next().unwrap_or_default()
    );
}

/// Sends `times` requests to the service, `rate` per second. Returns the time of each request, from
/// the moment when the request was due until its response. Also returns the number of failures.
fn ask(service: &Service, pages: &[Vec<u8>], times: usize, rate: u32) -> (Vec<Duration>, usize) {
    let (next, all, failed) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::new()),
        AtomicUsize::new(0),
    );
    let (started, step) = (Instant::now(), Duration::from_secs(1) / rate);
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                let (mut client, mut took) = (Client::new(service.address), Vec::new());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= times {
                        break;
                    }
                    let due = started + step * u32::try_from(number).unwrap();
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    let page = &pages[number % pages.len()];
                    let answer =
                        client.post("/filter?url=https://site.example/", "text/html", page);
                    // A page that is refused for its markup counts as answered.
                    let is_answered =
                        answer.is_ok_and(|(status, _)| status == 200 || status == 422);
                    failed.fetch_add(usize::from(!is_answered), Ordering::Relaxed);
                    took.push(due.elapsed());
                }
                all.lock().unwrap().extend(took);
            });
        }
    });
    (all.into_inner().unwrap(), failed.into_inner())
}
