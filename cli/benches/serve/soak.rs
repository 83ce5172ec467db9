//! The soak test: sends pages, streams and hostile requests to the service for a long time.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::client::{Client, Service};
use crate::support;
use crate::support::made::Chance;

const HTML: &str = "text/html";
const PAGE: &str = "/filter?url=https://site.example/";
/// Number of lines in the body of one streaming request.
const LINES: usize = 40;

/// Counts of the soak test: requests sent, answers received, and hostile requests sent.
#[derive(Default)]
struct Counts {
    asked: AtomicU64,
    answered: AtomicU64,
    hostile: AtomicU64,
}

pub(crate) fn run(time: Duration, pause: Duration) {
    let mut pages: Vec<Vec<u8>> = support::pages("real-pages.jsonl.gz")
        .into_iter()
        .map(|page| page.html)
        .collect();
    pages.extend(
        support::cases::corpus(false)
            .into_iter()
            .map(|(_, html)| html.into_bytes()),
    );
    pages.retain(|page| page.len() < 300_000);
    let service = Service::start(&["--limit", "request_seconds=3", "--limit", "idle_seconds=3"]);
    let (counts, stop, started) = (Counts::default(), AtomicBool::new(false), Instant::now());
    let mut curve = Vec::new();
    thread::scope(|scope| {
        for seed in 1..=3 {
            let (service, pages, counts, stop) = (&service, &pages, &counts, &stop);
            scope.spawn(move || friendly(service, pages, (counts, stop), (seed, pause)));
        }
        for seed in 11..=13 {
            let (service, counts, stop) = (&service, &counts, &stop);
            scope.spawn(move || hostile(service, (counts, stop), seed));
        }
        println!("| s | answers | hostile requests | MB | most MB |\n|---|---|---|---|---|");
        while started.elapsed() < time {
            thread::sleep(time / 24);
            let (now, most) = service.memory();
            curve.push(now);
            let (answers, bad) = (
                counts.answered.load(Ordering::Relaxed),
                counts.hostile.load(Ordering::Relaxed),
            );
            println!(
                "| {} | {answers} | {bad} | {} | {} |",
                started.elapsed().as_secs(),
                now / 1000,
                most / 1000
            );
        }
        stop.store(true, Ordering::Relaxed);
    });
    let (asked, answered) = (counts.asked.into_inner(), counts.answered.into_inner());
    println!("{asked} asked, {answered} answered");
    assert_eq!(asked, answered, "an answer is lost");
    let quarter = curve.len() / 4;
    let peak = |part: &[u64]| part.iter().copied().max().unwrap_or(0);
    let (second, last) = (
        peak(&curve[quarter..2 * quarter]),
        peak(&curve[3 * quarter..]),
    );
    println!(
        "most in the second quarter {} MB, in the last {} MB",
        second / 1000,
        last / 1000
    );
    assert!(
        last * 4 <= second * 5,
        "memory grows: {second} kB, then {last} kB"
    );
}

/// Sends valid requests until `stop` is set. Fails unless each response is about the page of its
/// request.
fn friendly(
    service: &Service,
    pages: &[Vec<u8>],
    (counts, stop): (&Counts, &AtomicBool),
    (seed, pause): (u64, Duration),
) {
    let (mut client, mut chance) = (Client::new(service.address), Chance(seed));
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        thread::sleep(pause);
        number += 1;
        let page = &pages[chance.below(pages.len())];
        let asked = if chance.below(10) == 0 {
            LINES as u64
        } else {
            1
        };
        counts.asked.fetch_add(asked, Ordering::Relaxed);
        let answered = if asked > 1 {
            stream(&mut client, &mut chance)
        } else {
            u64::from(one(
                &mut client,
                page,
                (chance.below(6), format!("n{seed}-{number}")),
            ))
        };
        assert_eq!(asked, answered, "request {number} of {seed}");
        counts.answered.fetch_add(answered, Ordering::Relaxed);
    }
}

/// Sends one request with `page`. `kind` selects the route; `name` is a part of the page's URL.
/// Returns true if the response is about this page.
fn one(client: &mut Client, page: &[u8], (kind, name): (usize, String)) -> bool {
    let (status, body) = match kind {
        0 => client.post(
            &format!("/explain?url=https://site.example/{name}"),
            HTML,
            page,
        ),
        1 => client.post(
            &format!("/snapshot?url=https://site.example/{name}&banner"),
            HTML,
            page,
        ),
        2 => client.post(
            &format!("/check?url=https://site.example/{name}"),
            "text/plain",
            page,
        ),
        _ => client.post(&format!("{PAGE}{name}"), HTML, page),
    }
    .unwrap();
    // A copy that may not be kept is refused with 403, and that refusal does not name its page.
    let names_it = status == 403 || String::from_utf8_lossy(&body).contains(&name);
    let is_answer = [200, 403, 422].contains(&status) && (names_it || status == 422);
    if !is_answer {
        println!(
            "{name}, a question of kind {kind}: {status} {}",
            String::from_utf8_lossy(&body)
        );
    }
    is_answer
}

/// Sends a stream of pages with damaged lines between them. Returns the number of lines with the
/// expected answer. The answers must be in the order of the lines.
fn stream(client: &mut Client, chance: &mut Chance) -> u64 {
    let line = |number: usize, chance: &mut Chance| match chance.below(8) {
        0 => "no page".to_owned(),
        1 => {
            format!(
                "{{\"url\": \"https://s{number}.example/robots.txt\", \"html\": \"User-agent: *\\nDisallow: /x\"}}"
            )
        }
        _ => format!(
            "{{\"url\": \"https://site.example/{number}\", \"html\": \"<p>word{number} {}<!--noindex-->withheld\"}}",
            chance.words(100)
        ),
    };
    let lines: Vec<_> = (0..LINES).map(|number| line(number, chance)).collect();
    let (status, body) = client
        .post(
            "/filter",
            "application/x-ndjson",
            lines.join("\n").as_bytes(),
        )
        .unwrap();
    let (body, mut right) = (String::from_utf8(body).unwrap(), 0);
    for (number, (line, answer)) in lines.iter().zip(body.lines()).enumerate() {
        let is_page = line.contains("word");
        let is_right = answer.contains(&format!("\"word{number} ")) == is_page
            && answer.contains("\"kind\":\"input\"") != is_page;
        let is_right = is_right && !answer.contains("withheld\",");
        if !is_right {
            println!("line {number} of a stream: {line}\n{answer}");
        }
        right += u64::from(is_right);
    }
    if status == 200 { right } else { 0 }
}

/// Sends hostile requests until `stop` is set. The service only has to survive them.
fn hostile(service: &Service, (counts, stop): (&Counts, &AtomicBool), seed: u64) {
    let mut chance = Chance(seed);
    while !stop.load(Ordering::Relaxed) {
        counts.hostile.fetch_add(1, Ordering::Relaxed);
        let mut client = Client::new(service.address);
        let post =
            |client: &mut Client, html: String| drop(client.post(PAGE, HTML, html.as_bytes()));
        match chance.below(12) {
            0 => post(
                &mut client,
                format!("<div class=robots-noindex>{}", "<div>".repeat(5000)),
            ),
            1 => post(&mut client, format!("<p {}>", "a=b ".repeat(5000))),
            2 => post(
                &mut client,
                "<!-- robots content=\"noindex\" -->".repeat(4200),
            ),
            3 => post(
                &mut client,
                format!(
                    "<table><b class=robots-nocontent>{}",
                    "<tr>x<td><font>".repeat(300)
                ),
            ),
            4 => post(&mut client, format!("<p>{}", "&amp;".repeat(200_000))),
            5 => post(&mut client, "x".repeat(chance.below(40) << 20)),
            6 => drop(
                client
                    .send(&[b"GET /".to_vec(), chance.bytes(3000), b"\r\n\r\n".to_vec()].concat()),
            ),
            7 => slow(
                service,
                "POST /filter?url=https://a.example/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 99\r\n\r\n<p>",
            ),
            8 => slow(service, "GET /health HTTP/1.1\r\nHost: "),
            9 => unread(service),
            10 => broken_off(service),
            _ => drop(client.post(
                "/explain?url=https://a.example/",
                HTML,
                &chance.bytes(20_000),
            )),
        }
    }
}

/// Sends only `part`, the beginning of a request. Then waits until the service closes the
/// connection.
fn slow(service: &Service, part: &str) {
    let mut stream = TcpStream::connect(service.address).unwrap();
    let _ = stream.write_all(part.as_bytes());
    let _ = stream.read_to_end(&mut Vec::new());
}

/// Requests more response data than the system's buffers can store, and reads none of it.
fn unread(service: &Service) {
    let mut stream = TcpStream::connect(service.address).unwrap();
    let line = format!(
        "{{\"url\": \"https://a.example/\", \"html\": \"{}\"}}\n",
        "<b>word</b> ".repeat(5000)
    );
    let head = format!(
        "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n",
        line.len() * 1000
    );
    let _ = stream.write_all(head.as_bytes());
    while stream.write_all(line.as_bytes()).is_ok() {}
}

/// Closes the connection to the service in the middle of a stream.
fn broken_off(service: &Service) {
    let mut stream = TcpStream::connect(service.address).unwrap();
    let head = "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: 9999\r\n\r\n";
    let _ = stream.write_all(
        format!("{head}{{\"url\": \"https://a.example/\", \"html\": \"<p>one\"}}\n{{\"ur")
            .as_bytes(),
    );
}
