//! The limits of the service. Each limit has an HTTP status for requests that exceed it. A client
//! that exceeds a limit, or is slow, affects only itself.

use std::io::{Read, Write};
use std::time::Duration;

use serde_json::json;

use crate::served::{Answer, Served, answer, parsed};

const HTML: &str = "text/html";
const PATH: &str = "/filter?url=https://site.example/";

/// Fails unless the answer is a refusal with this status because the limit called `limit` is
/// exceeded.
fn assert_refused(answer: &Answer, status: u16, limit: &str) {
    let (kind, message) = answer.error();
    assert_eq!(
        (answer.status, kind.as_str()),
        (status, "limit"),
        "{message}"
    );
    assert!(
        message.starts_with("the request passes the limit")
            && message.contains(&format!("`{limit}`")),
        "{message}"
    );
}

fn page(words: usize) -> String {
    format!("<p>{}", "<b>word</b> ".repeat(words))
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let served = Served::start(&["--limit", "body_bytes=100K"]);
    assert_eq!(served.post(PATH, HTML, page(100)).status, 200);
    assert_refused(&served.post(PATH, HTML, page(20_000)), 413, "body_bytes");
    // A chunked body has no length in its head.
    let mut stream = served.connect();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
    for _ in 0..4 {
        stream.write_all(chunk.as_bytes()).unwrap();
    }
    assert_refused(&answer(&mut stream), 413, "body_bytes");
    assert_eq!(
        served.counted("heedful_refusals_total{reason=\"body_bytes\"}"),
        2
    );
    // A client that waits for `100 Continue` before it sends the body sends nothing.
    let mut stream = served.connect();
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 999999\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert_refused(&answer(&mut stream), 413, "body_bytes");
}

#[test]
fn all_bodies_together_have_a_bound() {
    let served = Served::start(&["--limit", "bodies_bytes=200K"]);
    let answer = served.post(PATH, HTML, page(40_000));
    assert_refused(&answer, 429, "bodies_bytes");
    assert_eq!(answer.header("retry-after"), Some("1"));
    // The memory of each body is released, so a body that fits always fits.
    for _ in 0..5 {
        assert_eq!(served.post(PATH, HTML, page(10_000)).status, 200);
    }
    let line =
        |html: String| json!({ "url": "https://site.example/", "html": html }).to_string() + "\n";
    let lines = line(page(40_000)) + &line(page(1)) + &line(page(10_000));
    let answer = served.post("/filter", "application/x-ndjson", lines);
    let errors: Vec<_> = answer
        .text()
        .lines()
        .map(|line| line.contains("`bodies_bytes`"))
        .collect();
    assert_eq!(errors, [true, false, false]);
}

/// The size of the service's answer is limited: a short page for many bots would give a long one.
#[test]
fn an_answer_has_a_bound() {
    let served = Served::start(&["--limit", "bodies_bytes=50K"]);
    let bots: String = (0..10).map(|bot| format!("&bot=b{bot}")).collect();
    let answer = served.post(&format!("{PATH}{bots}"), HTML, page(4000));
    let errors = answer.json();
    assert_eq!(
        (answer.status, errors.as_array().map(Vec::len)),
        (422, Some(10))
    );
    let message = errors[9]["error"]["message"].as_str().unwrap();
    assert_eq!(
        message,
        "the request passes the limit `bodies_bytes` of 51200"
    );
    let urls: String = (0..2000).map(|url| format!("&url=/{url}")).collect();
    assert_refused(
        &served.post(
            &format!("/check?{}", &urls[1..]),
            "text/plain",
            "Sitemap: https://site.example/",
        ),
        413,
        "bodies_bytes",
    );
    // An answer that fits is held until the client has read it, then its memory is released.
    for _ in 0..5 {
        assert_eq!(served.post(PATH, HTML, page(2000)).status, 200);
    }
}

#[test]
fn too_many_at_once_are_refused() {
    let served = Served::start(&["--limit", "requests=1", "--jobs", "1"]);
    std::thread::scope(|scope| {
        let long = scope.spawn(|| served.post(PATH, HTML, page(100_000)));
        while served.counted("heedful_answering") == 0 {
            std::thread::yield_now();
        }
        let refused = served.post(PATH, HTML, page(1));
        assert_refused(&refused, 429, "requests");
        assert_eq!(refused.header("retry-after"), Some("1"));
        // Requests that need no core are answered.
        assert_eq!(served.get("/health").status, 200);
        assert_eq!(long.join().unwrap().status, 200);
    });
    assert_eq!(served.post(PATH, HTML, page(1)).status, 200);
}

/// A client that sends its request slowly or only in part does not delay other clients. In this
/// test, the service may work on only one request at a time.
#[test]
fn slow_clients_cost_themselves() {
    let served = Served::start(&["--limit", "request_seconds=1", "--limit", "requests=1"]);
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n"
    );
    let mut slow: Vec<_> = (0..20).map(|_| served.connect()).collect();
    for (at, stream) in slow.iter_mut().enumerate() {
        let sent = if at % 2 == 0 {
            format!("{head}<p>slow")
        } else {
            head[..30].to_owned()
        };
        stream.write_all(sent.as_bytes()).unwrap();
    }
    for _ in 0..20 {
        assert_eq!(served.post(PATH, HTML, page(1)).status, 200);
    }
    for (at, mut stream) in slow.into_iter().enumerate() {
        let mut read = Vec::new();
        stream.read_to_end(&mut read).unwrap();
        if at % 2 == 0 {
            assert_refused(&parsed(&read), 408, "request_seconds");
        } else {
            assert!(
                read.is_empty(),
                "a head that never came has an answer: {read:?}"
            );
        }
    }
    assert_eq!(
        served.counted("heedful_refusals_total{reason=\"request_seconds\"}"),
        10
    );
}

/// The service closes a connection that sends no request for too long.
#[test]
fn a_connection_without_requests_is_closed() {
    let served = Served::start(&["--limit", "request_seconds=1"]);
    let mut stream = served.connect();
    stream
        .write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .unwrap();
    let answer = answer(&mut stream);
    assert_eq!(answer.status, 200);
    let mut silent = served.connect();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0);
}

/// A client that sends a stream and never reads the answer is disconnected, and its stream ends.
#[test]
fn a_client_that_takes_nothing_is_let_go() {
    let served = Served::start(&["--limit", "idle_seconds=1"]);
    let line = json!({ "url": "https://site.example/", "html": page(5000) }).to_string() + "\n";
    let mut stream = served.connect();
    stream
        .set_write_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    let length = line.len() * 2000;
    let head = format!(
        "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let sender = std::thread::spawn(move || {
        for _ in 0..2000 {
            if stream.write_all(line.as_bytes()).is_err() {
                return true;
            }
        }
        false
    });
    while served.counted("heedful_broken_off_total") == 0 {
        assert_eq!(served.post(PATH, HTML, page(1)).status, 200);
    }
    assert!(
        sender.join().unwrap(),
        "all was read from a client that takes nothing"
    );
}

/// A client that requests a single long answer and does not read it is disconnected.
#[test]
fn an_answer_that_nobody_takes_is_dropped() {
    let served = Served::start(&["--limit", "idle_seconds=1"]);
    // For ten bots the answer is longer than any buffer of the system.
    let html = page(60_000);
    let bots: String = (0..10).map(|bot| format!("&bot=b{bot}")).collect();
    let mut stream = served.connect();
    stream
        .write_all(&served.request(
            "POST",
            &format!("{PATH}&snapshot{bots}"),
            &["Content-Type: text/html"],
            html.as_bytes(),
        ))
        .unwrap();
    while served.counted("heedful_requests_total{route=\"/filter\",status=\"200\"}") == 0 {
        std::thread::yield_now();
    }
    while served.counted("heedful_connections") > 1 {
        std::thread::yield_now();
    }
    let mut read = Vec::new();
    let whole = stream.read_to_end(&mut read);
    assert!(
        whole.is_err() || read.len() < html.len() * 10,
        "{}",
        read.len()
    );
}

#[test]
fn a_stream_in_which_nothing_comes_is_closed() {
    let served = Served::start(&["--limit", "idle_seconds=1"]);
    let mut stream = served.connect();
    let head = "POST /filter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).unwrap();
    let mut read = Vec::new();
    let _ = stream.read_to_end(&mut read);
    assert!(
        !read.ends_with(b"0\r\n\r\n"),
        "the answer looks whole: {}",
        String::from_utf8_lossy(&read)
    );
    assert_eq!(served.counted("heedful_broken_off_total"), 1);
}

/// Connections to the service beyond the limit wait until earlier connections end or time out.
#[test]
fn connections_have_a_bound() {
    let served = Served::start(&["--limit", "connections=2", "--limit", "request_seconds=1"]);
    let _silent = [served.connect(), served.connect()];
    assert_eq!(served.get("/health").status, 200);
}

/// A request that is refused before its body is read is answered all the same: the service reads on
/// for a moment, so no answer is lost while the client still sends.
#[test]
fn a_refusal_reaches_a_client_that_still_sends() {
    let served = Served::start(&[]);
    let body = vec![b'x'; 3 << 20];
    for _ in 0..20 {
        assert_eq!(served.post(PATH, "text/csv", &body).status, 415);
    }
    // Not for ever: this client sends nothing more, and keeps its side open.
    let mut stream = served.connect();
    let head = format!("POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(answer(&mut stream).status, 415);
    while served.counted("heedful_connections") > 1 {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Dear requests on all cores do not keep a cheap one waiting until they end. A busy machine may
/// finish the dear ones while it still connects for the cheap one. So larger pages have their turn,
/// before the service is blamed.
#[test]
fn dear_requests_leave_room_for_others() {
    let served = Served::start(&["--jobs", "1"]);
    let is_overtaken = |marks: usize| {
        let dear = "w<b class=robots-noindex>x</b>".repeat(marks);
        std::thread::scope(|scope| {
            let explain = || served.post("/explain?url=https://site.example/&as=all", HTML, &dear);
            let dear = [scope.spawn(explain), scope.spawn(explain)];
            while served.counted("heedful_answering") < 2
                && !dear.iter().any(|dear| dear.is_finished())
            {
                std::thread::yield_now();
            }
            assert_eq!(served.post(PATH, HTML, page(1)).status, 200);
            let is_overtaken = dear.iter().all(|dear| !dear.is_finished());
            for dear in dear {
                assert_eq!(dear.join().unwrap().status, 200);
            }
            is_overtaken
        })
    };
    assert!([20_000, 60_000, 180_000].into_iter().any(is_overtaken));
}
