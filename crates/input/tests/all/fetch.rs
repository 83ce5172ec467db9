//! Tests that fetch robots.txt over HTTP from a server on loopback, and from stored copies. Any
//! failure must forbid everything.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use heedful::{Bot, Limits, SiteFile};
use heedful_input::fetch::{Fetched, Fetcher, RulesSource};
use tempfile::TempDir;
use url::Url;

const RULES: &str = "User-agent: *\nDisallow: /shut\n";
const HOUR: Duration = Duration::from_secs(3600);
const DAY: Duration = Duration::from_secs(24 * 3600);

/// A test server that answers each connection by the callback `answer` and records the requests.
struct Server {
    url: Url,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!(
            "http://{}/any/page?x",
            listener.local_addr().unwrap()
        ))
        .unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (heard, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (heard, answer) = (Arc::clone(&heard), Arc::clone(&answer));
                std::thread::spawn(move || serve(stream.unwrap(), &heard, &*answer));
            }
        });
        Self { url, asked }
    }

    /// Starts a test server that always sends the same response.
    fn fixed(head: &str, body: &[u8]) -> Self {
        let bytes = whole(head, body);
        Self::new(move |_, stream| stream.write_all(&bytes))
    }

    /// Starts a test server that sends the responses `answers` in order, then repeats the last one.
    fn script(answers: Vec<Vec<u8>>) -> Self {
        let next = Mutex::new(0);
        Self::new(move |_, stream| {
            let mut next = next.lock().unwrap();
            let answer = &answers[(*next).min(answers.len() - 1)];
            *next += 1;
            stream.write_all(answer)
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    heard: &Mutex<Vec<String>>,
    answer: &dyn Fn(&str, &mut TcpStream) -> std::io::Result<()>,
) {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let lines: Vec<_> = lines
        .map_while(|line| line.ok().filter(|line| !line.is_empty()))
        .collect();
    let request = lines.join("\n");
    heard.lock().unwrap().push(request.clone());
    // The client closes the connection early in some tests.
    let _ = answer(&request, &mut stream);
}

/// Returns an HTTP response with a correct `Content-Length`.
fn whole(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn fetcher() -> Fetcher {
    Fetcher::new("FooBot/1.0")
        .unwrap()
        .timeout(Duration::from_secs(20))
        .allow_private()
}

fn fetch(server: &Server) -> Fetched {
    fetcher().robots(&server.url, SystemTime::now())
}

fn allows(fetched: &Fetched, path: &str) -> bool {
    fetched
        .robots
        .ruling(&Bot::new("FooBot").unwrap(), path)
        .allowed()
}

fn is_read(fetched: &Fetched) -> bool {
    allows(fetched, "/open") && !allows(fetched, "/shut")
}

fn lets_nobody_in(fetched: &Fetched) -> bool {
    !allows(fetched, "/open")
        && fetched.rules_source == RulesSource::Fetched
        && fetched.trouble.is_some()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_site_is_asked_for_its_robots_txt() {
    let server = Server::fixed("200 OK", RULES.as_bytes());
    let fetched = fetch(&server);
    assert!(is_read(&fetched));
    assert_eq!(
        (fetched.rules_source, fetched.status, fetched.age),
        (RulesSource::Fetched, Some(200), Duration::ZERO)
    );
    assert_eq!(fetched.trouble, None);
    let asked = server.asked().join("\n").to_ascii_lowercase();
    assert!(asked.starts_with("get /robots.txt http/1.1\n"), "{asked}");
    assert!(asked.contains("user-agent: foobot/1.0"), "{asked}");
}

/// A tdmrep.json is fetched like a robots.txt, but states nothing if it cannot be fetched. The copy
/// of a tdmrep.json is a separate file.
#[test]
fn a_site_is_asked_for_its_tdmrep_json() {
    let folder = TempDir::new().unwrap();
    let rules = br#"[{"location": "/shut", "tdm-reservation": 1}]"#;
    let reserves = |fetched: &Fetched, path: &str| {
        let usages = fetched.robots.usages(&Bot::new("FooBot").unwrap(), path);
        usages.iter().any(|usage| usage.value().starts_with('1'))
    };
    let asked = |server: &Server| {
        fetcher()
            .cache(folder.path())
            .site_file(SiteFile::Tdmrep, &server.url, SystemTime::now())
    };
    let server = Server::fixed("200 OK", rules);
    let fetched = asked(&server);
    assert!(
        reserves(&fetched, "/shut") && !reserves(&fetched, "/open") && allows(&fetched, "/shut")
    );
    assert!(
        server
            .asked()
            .join("\n")
            .to_ascii_lowercase()
            .starts_with("get /.well-known/tdmrep.json http/1.1\n")
    );
    let again = asked(&server);
    assert_eq!(
        (again.rules_source, server.asked().len()),
        (RulesSource::Cached, 1)
    );
    assert!(reserves(&again, "/shut"));
    for status in [
        "404 Not Found",
        "503 Service Unavailable",
        "429 Too Many Requests",
    ] {
        let fetched = asked(&Server::fixed(status, rules));
        assert!(
            !reserves(&fetched, "/shut") && allows(&fetched, "/shut"),
            "{status}"
        );
    }
    // A truncated tdmrep.json exists, so it may reserve anything.
    let fetched = asked(&Server::new(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[")
    }));
    assert!(reserves(&fetched, "/open") && allows(&fetched, "/open"));
}

#[test]
fn the_status_decides() {
    for (head, open) in [
        ("204 No Content", true),
        ("404 Not Found", true),
        ("403 Forbidden", true),
        ("410 Gone", true),
        ("429 Too Many Requests", false),
        ("500 Internal Server Error", false),
        ("503 Service Unavailable", false),
        ("300 Multiple Choices", false),
        ("304 Not Modified", false),
        ("301 Moved Permanently", false),
        ("302 Found\r\nLocation: file:///etc/passwd", false),
        ("302 Found\r\nLocation: http://[", false),
        ("999 Ours", false),
    ] {
        let server = Server::fixed(head, b"");
        let fetched = fetch(&server);
        assert_eq!(allows(&fetched, "/open"), open, "{head}");
        assert_eq!(fetched.trouble.is_none(), open, "{head}");
        assert_eq!(fetched.status, head[..3].parse().ok(), "{head}");
    }
}

/// Starts a test server that redirects from `/1` to `/2` and so on. The path whose number is `last`
/// sends a robots.txt.
fn redirects(last: usize) -> Server {
    Server::new(move |request, stream| {
        let path = request.split(' ').nth(1).unwrap();
        let at = path.trim_start_matches('/').parse().unwrap_or(0);
        if at == last {
            return stream.write_all(&whole("200 OK", RULES.as_bytes()));
        }
        stream.write_all(&whole(&format!("301 Moved\r\nLocation: /{}", at + 1), b""))
    })
}

#[test]
fn five_redirects_are_followed_and_a_sixth_is_not() {
    let five = redirects(5);
    assert!(is_read(&fetch(&five)));
    assert_eq!(five.asked().len(), 6);
    let six = redirects(6);
    let fetched = fetch(&six);
    assert!(lets_nobody_in(&fetched), "{fetched:?}");
    assert_eq!((fetched.status, six.asked().len()), (Some(301), 6));
}

#[test]
fn a_limit_says_how_many_redirects_are_followed() {
    for (most, read) in [(0, 0), (6, 6), (7, 7)] {
        let within = |last: usize| {
            let fetcher = fetcher().limits(&Limits::default().redirects(most));
            is_read(&fetcher.robots(&redirects(last).url, SystemTime::now()))
        };
        assert!(within(read) && !within(read + 1), "{most}");
    }
}

#[test]
fn redirects_lead_to_other_hosts_and_take_no_names_along() {
    let other = Server::fixed("200 OK", RULES.as_bytes());
    let mut target = other.url.clone();
    target.set_username("name").unwrap();
    target.set_password(Some("word")).unwrap();
    let server = Server::fixed(
        &format!("308 Permanent Redirect\r\nLocation: {target}#there"),
        b"",
    );
    assert!(is_read(&fetch(&server)));
    assert!(
        !other.asked()[0]
            .to_ascii_lowercase()
            .contains("authorization"),
        "{:?}",
        other.asked()
    );
}

#[test]
fn a_site_that_does_not_answer_in_time_lets_nobody_in() {
    let silent = Server::new(|_, _| {
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    let dripping = Server::new(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
        for _ in 0..200 {
            stream.write_all(b"#")?;
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    });
    for server in [silent, dripping] {
        let begun = Instant::now();
        let fetched = fetcher()
            .timeout(Duration::from_millis(500))
            .robots(&server.url, SystemTime::now());
        assert!(lets_nobody_in(&fetched), "{fetched:?}");
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn a_site_that_is_not_there_lets_nobody_in() {
    let url = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap()
    };
    for url in [
        url,
        Url::parse("http://nowhere.invalid/").unwrap(),
        Url::parse("file:///etc").unwrap(),
    ] {
        let fetched = fetcher().robots(&url, SystemTime::now());
        assert!(
            lets_nobody_in(&fetched) && fetched.status.is_none(),
            "{url}: {fetched:?}"
        );
    }
}

#[test]
fn https_without_a_certificate_that_holds_lets_nobody_in() {
    let server = Server::fixed("200 OK", RULES.as_bytes());
    let url = Url::parse(&server.url.as_str().replace("http:", "https:")).unwrap();
    let fetched = fetcher()
        .timeout(Duration::from_secs(2))
        .robots(&url, SystemTime::now());
    assert!(lets_nobody_in(&fetched), "{fetched:?}");
}

#[test]
fn an_answer_that_is_not_whole_lets_nobody_in() {
    let packed = gzip(RULES.as_bytes());
    let lie = |head: &str, length: usize, body: &[u8]| {
        [
            format!("HTTP/1.1 200 OK\r\n{head}Content-Length: {length}\r\n\r\n").as_bytes(),
            body,
        ]
        .concat()
    };
    let chunk = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{RULES}",
        RULES.len()
    );
    for (what, bytes) in [
        ("nothing", Vec::new()),
        ("half a head", b"HTTP/1.1 200 OK\r\nContent-Le".to_vec()),
        ("no HTTP", b"hello\r\n\r\n".to_vec()),
        (
            "a longer length",
            lie("", RULES.len() + 1, RULES.as_bytes()),
        ),
        ("a much longer length", lie("", 50 << 20, RULES.as_bytes())),
        (
            "a shorter length",
            lie("", RULES.len() - 9, RULES.as_bytes()),
        ),
        ("a length of nothing", lie("", 0, RULES.as_bytes())),
        (
            "two lengths",
            lie("Content-Length: 5\r\n", RULES.len(), RULES.as_bytes()),
        ),
        ("no last chunk", chunk.clone().into_bytes()),
        ("half a chunk", chunk.as_bytes()[..chunk.len() - 3].to_vec()),
        (
            "half of a gzip",
            whole(
                "200 OK\r\nContent-Encoding: gzip",
                &packed[..packed.len() - 9],
            ),
        ),
        (
            "a gzip cut short",
            lie("Content-Encoding: gzip\r\n", packed.len() + 5, &packed),
        ),
        (
            "no gzip",
            whole("200 OK\r\nContent-Encoding: gzip", RULES.as_bytes()),
        ),
        (
            "two codings",
            whole(
                "200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: br",
                &packed,
            ),
        ),
        (
            "a coding nobody asked for",
            whole("200 OK\r\nContent-Encoding: br", RULES.as_bytes()),
        ),
    ] {
        let fetched = fetch(&Server::script(vec![bytes]));
        assert!(lets_nobody_in(&fetched), "{what}: {fetched:?}");
    }
}

#[test]
fn what_comes_a_little_after_the_end_is_noticed_and_a_server_that_never_closes_is_not_waited_for() {
    let late = Server::new(|_, stream| {
        stream.write_all(&whole("200 OK", b"User-agent: *\n"))?;
        std::thread::sleep(Duration::from_millis(20));
        stream.write_all(b"Disallow: /shut\n")
    });
    assert!(lets_nobody_in(&fetch(&late)));
    let open = Server::new(|_, stream| {
        stream.write_all(&whole("200 OK", RULES.as_bytes()))?;
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    });
    let begun = Instant::now();
    assert!(is_read(&fetch(&open)));
    assert!(
        begun.elapsed() < Duration::from_secs(10),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn gzip_chunks_wrong_types_and_no_length_are_read() {
    let packed = gzip(RULES.as_bytes());
    let two = [gzip(b"User-agent: *\n"), gzip(b"Disallow: /shut\n")].concat();
    let chunked = format!(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{RULES}\r\n0\r\n\r\n",
        RULES.len()
    );
    for (what, bytes) in [
        ("gzip", whole("200 OK\r\nContent-Encoding: gzip", &packed)),
        (
            "gzip of two members",
            whole("200 OK\r\nContent-Encoding: X-GZip", &two),
        ),
        ("chunks", chunked.into_bytes()),
        (
            "to the end",
            format!("HTTP/1.0 200 OK\r\n\r\n{RULES}").into_bytes(),
        ),
        (
            "blanks after the end",
            [&whole("200 OK", RULES.as_bytes())[..], b"\r\n"].concat(),
        ),
        (
            "a picture",
            whole("200 OK\r\nContent-Type: image/png", RULES.as_bytes()),
        ),
        (
            "a page",
            whole("200 OK\r\nContent-Type: text/html", RULES.as_bytes()),
        ),
    ] {
        let fetched = fetch(&Server::script(vec![bytes]));
        assert!(is_read(&fetched), "{what}: {fetched:?}");
    }
}

#[test]
fn a_huge_body_is_cut() {
    let tail = "# nothing\n".repeat(5 << 20);
    let body = format!("{RULES}{tail}User-agent: *\nDisallow: /late\n");
    assert!(body.len() > 50 << 20);
    let packed = gzip(body.as_bytes());
    let folder = TempDir::new().unwrap();
    for server in [
        Server::fixed("200 OK", body.as_bytes()),
        Server::fixed("200 OK\r\nContent-Encoding: gzip", &packed),
    ] {
        let fetched = fetcher()
            .cache(folder.path())
            .robots(&server.url, SystemTime::now());
        assert!(
            is_read(&fetched) && allows(&fetched, "/late"),
            "{:?}",
            fetched.trouble
        );
        let copy = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len());
        assert!(copy.max().unwrap() < 600 << 10);
    }
}

#[test]
fn a_copy_is_used_asked_about_and_replaced() {
    let with = |etag: &str, body: &str| {
        whole(
            &format!("200 OK\r\nETag: \"{etag}\"\r\nLast-Modified: then"),
            body.as_bytes(),
        )
    };
    let server = Server::script(vec![
        with("one", RULES),
        whole("304 Not Modified", b""),
        with("two", "User-agent: *\nDisallow: /"),
        whole("404 Not Found", b""),
    ]);
    let folder = TempDir::new().unwrap();
    let start = SystemTime::now();
    let ask = |age| {
        fetcher()
            .cache(folder.path())
            .robots(&server.url, start + age)
    };
    let how = |fetched: &Fetched| (fetched.rules_source, fetched.status, is_read(fetched));

    assert_eq!(
        how(&ask(Duration::ZERO)),
        (RulesSource::Fetched, Some(200), true)
    );
    let cached = ask(23 * HOUR);
    assert_eq!(how(&cached), (RulesSource::Cached, Some(200), true));
    assert!(
        cached.age >= 23 * HOUR && cached.age < 24 * HOUR,
        "{:?}",
        cached.age
    );
    assert_eq!(server.asked().len(), 1);

    assert_eq!(
        how(&ask(25 * HOUR)),
        (RulesSource::Revalidated, Some(200), true)
    );
    let asked = server.asked()[1].to_ascii_lowercase();
    assert!(
        asked.contains("if-none-match: \"one\"") && asked.contains("if-modified-since: then"),
        "{asked}"
    );
    assert_eq!(how(&ask(48 * HOUR)).0, RulesSource::Cached);

    assert!(!allows(&ask(50 * HOUR), "/open"));
    assert_eq!(server.asked().len(), 3);
    assert_eq!(
        how(&ask(100 * HOUR)),
        (RulesSource::Fetched, Some(404), false)
    );
    assert!(allows(&ask(101 * HOUR), "/shut"));
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn a_copy_stands_in_for_thirty_days() {
    for failure in [
        "500 Internal Server Error",
        "429 Too Many Requests",
        "301 Moved\r\nLocation: /robots.txt",
    ] {
        let server = Server::script(vec![whole("200 OK", RULES.as_bytes()), whole(failure, b"")]);
        let folder = TempDir::new().unwrap();
        let start = SystemTime::now();
        let ask = |age| {
            fetcher()
                .cache(folder.path())
                .robots(&server.url, start + age)
        };
        assert!(is_read(&ask(Duration::ZERO)));
        let stale = ask(29 * DAY);
        assert!(is_read(&stale) && stale.trouble.is_some(), "{stale:?}");
        assert_eq!(
            (stale.rules_source, stale.status),
            (RulesSource::Stale, Some(200))
        );
        assert!(lets_nobody_in(&ask(31 * DAY)));
        assert!(
            !server.asked()[1].to_ascii_lowercase().contains("if-"),
            "nothing was given to ask with"
        );
    }
}

#[test]
fn that_there_was_none_does_not_stand_in() {
    let server = Server::script(vec![whole("404 Not Found", b""), whole("500 Oh", b"")]);
    let folder = TempDir::new().unwrap();
    let ask = |age| {
        fetcher()
            .cache(folder.path())
            .robots(&server.url, SystemTime::now() + age)
    };
    assert!(allows(&ask(Duration::ZERO), "/open"));
    assert_eq!(ask(HOUR).rules_source, RulesSource::Cached);
    assert!(lets_nobody_in(&ask(2 * DAY)));
}

#[test]
fn a_condition_goes_only_to_where_the_copy_is_from() {
    let other = Server::script(vec![
        whole("200 OK\r\nETag: \"one\"", RULES.as_bytes()),
        whole("304 Not Modified", b""),
    ]);
    let server = Server::fixed(&format!("302 Found\r\nLocation: {}", other.url), b"");
    let folder = TempDir::new().unwrap();
    let ask = |age| {
        fetcher()
            .cache(folder.path())
            .robots(&server.url, SystemTime::now() + age)
    };
    assert_eq!(ask(Duration::ZERO).rules_source, RulesSource::Fetched);
    assert_eq!(ask(2 * DAY).rules_source, RulesSource::Revalidated);
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| !asked.contains("\"one\""))
    );
    assert!(other.asked()[1].contains("\"one\""));
}

#[test]
fn a_copy_can_be_read_by_a_person_and_what_cannot_be_read_is_none() {
    let server = Server::fixed("200 OK\r\nETag: \"one\"", RULES.as_bytes());
    let folder = TempDir::new().unwrap();
    let now = SystemTime::UNIX_EPOCH + 20_000 * DAY + Duration::from_millis(1500);
    let ask = |now| {
        fetcher()
            .cache(folder.path())
            .robots(&server.url, now)
            .rules_source
    };
    assert_eq!(ask(now), RulesSource::Fetched);
    let path = folder
        .path()
        .join(format!("http-127.0.0.1-{}.txt", server.url.port().unwrap()));
    let copy = std::fs::read_to_string(&path).unwrap();
    let address = server.url.join("/robots.txt").unwrap();
    assert_eq!(
        copy,
        format!(
            "url: {address}\nstatus: 200\nfetched: 2024-10-04T00:00:01Z\nagent: FooBot/1.0\netag: \"one\"\n\
             length: {}\n\n{RULES}",
            RULES.len()
        )
    );
    assert_eq!(ask(now), RulesSource::Cached);
    assert_eq!(
        ask(now - HOUR),
        RulesSource::Fetched,
        "a copy from the future is none"
    );
    for spoilt in [
        &copy[..copy.len() - 1],
        &copy[..20],
        "",
        "status: 200\n\nUser-agent: *",
        &copy.replace("2024", "20x4"),
    ] {
        std::fs::write(&path, spoilt).unwrap();
        assert_eq!(ask(now), RulesSource::Fetched, "{spoilt}");
        assert_eq!(ask(now), RulesSource::Cached);
    }
    // A FIFO would never end.
    std::fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    assert_eq!(ask(now), RulesSource::Fetched);
}

/// A robots.txt addresses all bots, so its copy serves every user agent. The response "not found"
/// may be meant for one bot only.
#[test]
fn a_copy_serves_every_user_agent() {
    let folder = TempDir::new().unwrap();
    let server = Server::script(vec![
        whole("200 OK", RULES.as_bytes()),
        whole("403 Forbidden", b""),
    ]);
    let start = SystemTime::now();
    let ask = |agent: &str, age| {
        Fetcher::new(agent)
            .unwrap()
            .allow_private()
            .cache(folder.path())
            .robots(&server.url, start + age)
    };
    assert_eq!(
        ask("FooBot/1.0", Duration::ZERO).rules_source,
        RulesSource::Fetched
    );
    let other = ask("BarBot", HOUR);
    assert!(
        other.rules_source == RulesSource::Cached && is_read(&other),
        "{other:?}"
    );
    let source = other.robots.source().unwrap();
    assert_eq!(
        (source.kind().name(), source.agent(), source.status()),
        ("cached", Some("FooBot/1.0"), Some(200))
    );
    assert!(
        source.place().ends_with("/robots.txt")
            && source.fetched().is_some_and(|time| time <= start)
    );
    assert_eq!(server.asked().len(), 1);

    // BarBot gets 403: that answer is for BarBot alone.
    assert_eq!(
        (
            ask("BarBot", 2 * DAY).status,
            ask("BarBot", 2 * DAY).rules_source
        ),
        (Some(403), RulesSource::Cached)
    );
    assert_eq!(
        (
            ask("FooBot/1.0", 2 * DAY).rules_source,
            server.asked().len()
        ),
        (RulesSource::Fetched, 3)
    );
}

#[test]
fn a_folder_that_cannot_be_had_costs_only_the_copy() {
    let server = Server::fixed("200 OK", RULES.as_bytes());
    let file = tempfile::NamedTempFile::new().unwrap();
    let fetched = fetcher()
        .cache(file.path())
        .robots(&server.url, SystemTime::now());
    assert!(is_read(&fetched));
    assert!(fetched.trouble.unwrap().contains("could not be kept"));
}

#[test]
fn a_user_agent_that_cannot_be_sent_is_an_error() {
    for text in ["", " ", "Foo\r\nBar: 1", "Foo\0"] {
        assert!(Fetcher::new(text).is_err(), "{text:?}");
    }
}

/// Returns a robots.txt with rules about `name` at both of its ends. It is so long that the server
/// needs more than one write.
fn long_rules(name: char) -> String {
    format!(
        "User-agent: *\nDisallow: /first-{name}\n{}Disallow: /last-{name}\n",
        format!("# {name}\n").repeat(30_000)
    )
}

/// Starts a test server whose robots.txt alternates between the rules for `a` and those for `b`.
fn changing() -> Server {
    let both = ['a', 'b'].map(|name| whole("200 OK", long_rules(name).as_bytes()));
    let turn = AtomicUsize::new(0);
    Server::new(move |_, stream| stream.write_all(&both[turn.fetch_add(1, Ordering::Relaxed) % 2]))
}

/// True if the fetched robots.txt is one of the two that the server of `changing` sends, and
/// complete.
fn is_one_of_both(fetched: &Fetched) -> bool {
    let shut = |path: &str| !allows(fetched, path);
    let a = (shut("/first-a"), shut("/last-a"));
    let b = (shut("/first-b"), shut("/last-b"));
    matches!(
        (a, b),
        ((true, true), (false, false)) | ((false, false), (true, true))
    )
}

/// Not a test itself: the next two tests start this function in processes of their own, by running
/// this test binary.
#[test]
fn another_process() {
    let Ok(url) = std::env::var("HEEDFUL_TEST_URL") else {
        return;
    };
    let (url, folder) = (
        Url::parse(&url).unwrap(),
        std::env::var_os("HEEDFUL_TEST_FOLDER").unwrap(),
    );
    let rounds = std::env::var("HEEDFUL_TEST_ROUNDS")
        .unwrap()
        .parse()
        .unwrap();
    for round in 0..rounds {
        let age = if round % 2 == 0 { Duration::ZERO } else { DAY };
        let fetched = fetcher()
            .cache(&folder)
            .max_age(age)
            .robots(&url, SystemTime::now());
        assert!(
            is_one_of_both(&fetched),
            "{:?} {:?}",
            fetched.rules_source,
            fetched.trouble
        );
    }
}

fn start(server: &Server, folder: &Path, rounds: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "fetch::another_process"])
        .env("HEEDFUL_TEST_URL", server.url.as_str())
        .env("HEEDFUL_TEST_FOLDER", folder)
        .env("HEEDFUL_TEST_ROUNDS", rounds.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Checks the files of copies as any other program would: each copy has its declared length.
/// Returns true if there was a copy.
fn copies_are_whole(folder: &Path) -> bool {
    let copies: Vec<_> = files(folder)
        .into_iter()
        .filter(|path| !is_unfinished(path))
        .collect();
    for path in &copies {
        let text = std::fs::read_to_string(path).unwrap();
        let (head, body) = text.split_once("\n\n").unwrap();
        assert!(
            head.ends_with(&format!("\nlength: {}", body.len())),
            "{head}"
        );
    }
    !copies.is_empty()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect()
}

/// Returns the temporary files in the folder of copies: those being written, and those left by a
/// killed process.
fn unfinished(folder: &Path) -> Vec<PathBuf> {
    files(folder)
        .into_iter()
        .filter(|path| is_unfinished(path))
        .collect()
}

fn is_unfinished(path: &Path) -> bool {
    path.file_name()
        .unwrap()
        .to_string_lossy()
        .starts_with(".heedful-")
}

#[test]
fn eight_processes_share_a_folder() {
    let (server, folder) = (changing(), TempDir::new().unwrap());
    let mut children: Vec<_> = (0..8).map(|_| start(&server, folder.path(), 40)).collect();
    let mut seen = 0;
    while children
        .iter_mut()
        .any(|child| child.try_wait().unwrap().is_none())
    {
        seen += usize::from(copies_are_whole(folder.path()));
    }
    assert!(
        children
            .iter_mut()
            .all(|child| child.wait().unwrap().success())
    );
    assert!(
        seen > 20 && server.asked().len() >= 160,
        "{seen} {}",
        server.asked().len()
    );
    assert_eq!(
        files(folder.path()).len(),
        1,
        "one file a site, nothing else"
    );
}

#[test]
fn a_kill_leaves_whole_copies() {
    let (server, folder) = (changing(), TempDir::new().unwrap());
    assert!(is_one_of_both(
        &fetcher()
            .cache(folder.path())
            .robots(&server.url, SystemTime::now())
    ));
    for round in 0..20 {
        for left in unfinished(folder.path()) {
            std::fs::remove_file(left).unwrap();
        }
        let mut child = start(&server, folder.path(), 1_000_000);
        let begun = Instant::now();
        while unfinished(folder.path()).is_empty() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "nothing is being written"
            );
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(copies_are_whole(folder.path()));
        let copy = fetcher()
            .cache(folder.path())
            .robots(&server.url, SystemTime::now());
        assert!(
            copy.rules_source == RulesSource::Cached && is_one_of_both(&copy),
            "round {round}"
        );
    }
}
