//! The service's streams of JSON Lines: the answers come in the order of the lines, even if other
//! lines are bad.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::command::run;
use crate::served::{Answer, Served, parsed};

const LINES: &str = "application/x-ndjson";

fn page(url: &str, html: &str) -> String {
    json!({ "url": url, "html": html }).to_string()
}

fn answers(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{answer:?}");
    answer
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A stream has damaged lines of every kind between its pages. Each page and each damaged line is
/// answered, in the order of the lines; a damaged line is answered with its error.
#[test]
fn a_bad_line_costs_itself() {
    let served = Served::start(&["--limit", "line_bytes=100K", "--limit", "tag_bytes=1K"]);
    let damage: [(&[u8], &str); 8] = [
        (b"no json", "input"),
        (b"{\"url\": \"https://site.example/cut", "input"),
        (b"[1, 2]", "input"),
        (b"{\"url\": \"https://site.example/x\", \"html\": \"\xff\xfe\"}", "input"),
        (b"{\"url\": \"https://site.example/x\", \"html_b64\": \"!\"}", "input"),
        (b"{\"url\": \"nowhere\", \"html\": \"x\"}", "url"),
        (b"{\"url\": \"https://site.example/x\"}", "input"),
        (b"{\"url\": \"https://site.example/x\", \"html\": \"x\", \"url\": \"https://site.example/y\"}", "input"),
    ];
    let long = page("https://site.example/long", &"x".repeat(200_000)).into_bytes();
    let tag = page(
        "https://site.example/tag",
        &format!("<p a='{}'>", "x".repeat(2000)),
    )
    .into_bytes();
    let damage = damage
        .into_iter()
        .chain([(&long[..], "limit"), (&tag[..], "limit")]);
    let (mut body, mut expected) = (Vec::new(), Vec::new());
    for (number, (line, kind)) in damage.enumerate() {
        let html = page(
            &format!("https://site.example/{number}"),
            &format!("<p>word{number}"),
        );
        body.extend([html.as_bytes(), b"\r\n", line, b"\n\n \n"].concat());
        expected.push((format!("word{number}"), kind));
    }
    // The last line has no line end.
    body.extend(page("https://site.example/last", "<p>last").into_bytes());
    let answers = answers(&served.post("/filter", LINES, &body));
    assert_eq!(answers.len(), expected.len() * 2 + 1);
    for (pair, (word, kind)) in answers.chunks(2).zip(&expected) {
        assert_eq!(
            (&pair[0]["phrases"], &pair[0]["error"]),
            (&json!([word]), &Value::Null)
        );
        assert_eq!(
            (&pair[1]["error"]["kind"], &pair[1]["phrases"]),
            (&json!(kind), &json!([])),
            "{}",
            pair[1]
        );
    }
    assert_eq!(answers.last().unwrap()["phrases"], json!(["last"]));
    assert!(answers.iter().any(|answer| {
        answer["error"]["message"]
            .as_str()
            .is_some_and(|why| why.contains("line_bytes"))
    }));
    assert_eq!(
        served.counted("heedful_pages_total{outcome=\"failed\"}"),
        expected.len() as u64
    );
}

/// The service answers damaged lines with the same errors as `heedful filter` over these lines,
/// except for the name of the input.
#[test]
fn damage_is_told_as_a_run_tells_it() {
    let served = Served::start(&[]);
    let lines = [
        "{\"url\": \"https://site.example/cut\", ]",
        "x",
        "{\"URL\": \"https://site.example/a\", \"html\": 5}",
    ]
    .join("\n");
    let (_, expected, _) = run(&["filter", "--input", "jsonl"], &lines);
    let told: Vec<Value> = expected
        .replace("standard input", "request")
        .replace("stdin", "request")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers(&served.post("/filter", LINES, &lines)), told);
}

/// A line of a stream with the URL of a robots.txt applies to pages of its site in later lines. If
/// this line cannot be read, all these pages are disallowed.
#[test]
fn a_robots_txt_among_the_lines_is_obeyed() {
    let served = Served::start(&["--limit", "line_bytes=100K"]);
    let robots = |site: &str| {
        page(
            &format!("https://{site}.example/robots.txt"),
            "User-agent: *\nDisallow: /b",
        )
    };
    let long = page("https://long.example/robots.txt", &"x".repeat(300_000));
    let lines = [
        page("https://a.example/b", "<p>before"),
        robots("a"),
        page("https://a.example/b", "<p>kept out"),
        page("https://a.example/c", "<p>let in"),
        page("https://other.example/b", "<p>let in"),
        "{\"url\": \"https://cut.example/robots.txt\", \"html\": \"User".to_owned(),
        page("https://cut.example/c", "<p>kept out"),
        long,
        page("https://long.example/c", "<p>kept out"),
    ];
    let answers = answers(&served.post("/filter", LINES, lines.join("\n")));
    let entered: Vec<_> = answers
        .iter()
        .map(|answer| answer["verdict"]["enter"].as_bool().unwrap())
        .collect();
    assert_eq!(
        entered,
        [true, false, false, true, true, false, false, false, false]
    );
    assert!(
        answers[1]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("a robots.txt")
    );
    // A robots.txt of one request has no effect on another request.
    let again = served.post("/filter", LINES, page("https://a.example/b", "<p>before"));
    assert_eq!(again.json()["verdict"]["enter"], true);
}

#[test]
fn several_bots_have_an_array_a_line() {
    let served = Served::start(&[]);
    let lines = [
        page(
            "https://a.example/",
            "<meta name=foobot content=noindex><p>one",
        ),
        "x".to_owned(),
    ]
    .join("\n");
    let answers = answers(&served.post("/filter?bot=foobot&bot=barbot", LINES, lines));
    let of = |line: usize, bot: usize| &answers[line][bot];
    assert_eq!(
        (&of(0, 0)["verdict"]["index"], &of(0, 1)["verdict"]["index"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        (&of(1, 0)["error"]["kind"], &of(1, 1)["bot"]),
        (&json!("input"), &json!("barbot"))
    );
}

/// A stream of the service. The test alternately writes lines to it and reads answers from it.
struct Conversation {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Conversation {
    fn begin(served: &Served, path: &str) -> Self {
        let mut stream = served.connect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {LINES}\r\n\
            Transfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        Self {
            stream,
            read: Vec::new(),
        }
    }

    fn send(&mut self, piece: &str) {
        self.stream
            .write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes())
            .unwrap();
    }

    /// Reads the stream's answer until it contains `text`.
    fn wait_for(&mut self, text: &str) {
        let mut piece = [0; 4096];
        while !String::from_utf8_lossy(&self.read).contains(text) {
            let length = self.stream.read(&mut piece).unwrap();
            assert!(length > 0, "{}", String::from_utf8_lossy(&self.read));
            self.read.extend_from_slice(&piece[..length]);
        }
    }

    /// Ends the body of the stream's request. Reads the answer to its end, and returns it.
    fn end(mut self) -> Answer {
        self.stream.write_all(b"0\r\n\r\n").unwrap();
        self.stream.read_to_end(&mut self.read).unwrap();
        parsed(&self.read)
    }
}

#[test]
fn each_answer_comes_before_the_next_line_is_sent() {
    let served = Served::start(&[]);
    let mut pages = Conversation::begin(&served, "/filter");
    for word in ["one", "two", "three"] {
        let line = page("https://a.example/", &format!("<p>{word}")) + "\n";
        let (first, rest) = line.split_at(20);
        pages.send(first);
        pages.send(rest);
        pages.wait_for(&format!("\"phrases\":[\"{word}\"]"));
    }
    assert_eq!(answers(&pages.end()).len(), 3);
}

/// Begins a stream, and calls `tell`, which requests a shutdown of the service. Fails unless the
/// stream gets all of its answers and the service then exits with success.
#[cfg(unix)]
fn ends_behind_a_stream(tell: impl FnOnce(&Served)) {
    let served = Served::start(&[]);
    let mut pages = Conversation::begin(&served, "/filter");
    pages.send(&(page("https://a.example/", "<p>one") + "\n"));
    pages.wait_for("one");
    tell(&served);
    pages.send(&(page("https://a.example/", "<p>two") + "\n"));
    pages.wait_for("two");
    assert_eq!(answers(&pages.end()).len(), 2);
    let (status, told) = served.ended();
    assert_eq!(
        (status, told.as_str()),
        (Some(0), "ended after 1 request\n")
    );
}

#[cfg(unix)]
#[test]
fn the_end_waits_for_those_under_way() {
    ends_behind_a_stream(|served| {
        served.signal(rustix::process::Signal::TERM);
        while TcpStream::connect(served.address).is_ok() {
            std::thread::yield_now();
        }
    });
}

/// Two signals in quick succession count as one request for a shutdown: `timeout` and service
/// managers signal a process, and then its group.
#[cfg(unix)]
#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    ends_behind_a_stream(|served| {
        served.signal(rustix::process::Signal::TERM);
        served.signal(rustix::process::Signal::INT);
    });
}

/// The shutdown of the service does not wait forever for a client that does not end its stream. The
/// client can see that its answer is incomplete.
#[cfg(unix)]
#[test]
fn the_end_does_not_wait_for_ever() {
    let served = Served::start(&["--limit", "request_seconds=1"]);
    let mut pages = Conversation::begin(&served, "/filter");
    pages.send(&(page("https://a.example/", "<p>one") + "\n"));
    pages.wait_for("one");
    let (status, told) = served.end();
    assert_eq!(status, Some(0));
    assert!(told.contains("connections are closed"), "{told}");
    let mut rest = Vec::new();
    let _ = pages.stream.read_to_end(&mut rest);
    assert!(!rest.ends_with(b"0\r\n\r\n"));
}

#[test]
fn a_client_that_breaks_off_costs_itself() {
    let served = Served::start(&[]);
    for _ in 0..3 {
        let mut pages = Conversation::begin(&served, "/filter");
        pages.send(&(page("https://a.example/", "<p>one") + "\n{\"url"));
        pages.wait_for("one");
    }
    while served.counted("heedful_broken_off_total") < 3 {
        std::thread::yield_now();
    }
    assert_eq!(served.counted("heedful_in_flight"), 1);
}

/// If the service panics on a line of a stream, no later line is answered and the answer ends
/// incomplete: the line may have been a robots.txt.
#[cfg(debug_assertions)]
#[test]
fn a_bug_in_a_stream_ends_it() {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heedful"));
    let served = Served::with(
        command
            .args(["serve", "-p", "0"])
            .env("HEEDFUL_PLANTED_BUG", "#core"),
    );
    let lines = [
        page("https://a.example/robots.txt", "User-agent: *\nDisallow: /"),
        page("https://a.example/", "<p>one"),
    ];
    let mut stream = served.connect();
    let request = served.request(
        "POST",
        "/filter",
        &[&format!("Content-Type: {LINES}")],
        lines.join("\n").as_bytes(),
    );
    stream.write_all(&request).unwrap();
    let mut read = Vec::new();
    let _ = stream.read_to_end(&mut read);
    let read = String::from_utf8_lossy(&read);
    assert!(
        read.contains("\"kind\":\"internal\"") && read.matches("\"verdict\"").count() == 1,
        "{read}"
    );
    assert!(!read.ends_with("0\r\n\r\n"), "{read}");
}
