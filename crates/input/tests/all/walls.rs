//! Tests the bounds of a fetch: only public addresses are contacted, whatever names, redirects and
//! responses say. One deadline covers a site, and many sites are contacted in parallel.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use heedful::Bot;
use heedful_input::fetch::{Fetched, Fetcher, RulesSource};
use tempfile::TempDir;
use url::Url;

const RULES: &str = "User-agent: *\nDisallow: /shut\n";
const HOUR: Duration = Duration::from_secs(3600);

/// Starts a test server that answers each connection by the callback `answer`. Returns its address
/// and the requests that it received.
fn server(
    answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, asked) = (
        listener.local_addr().unwrap(),
        Arc::new(Mutex::new(Vec::new())),
    );
    let (heard, answer) = (Arc::clone(&asked), Arc::new(answer));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (heard, answer, mut stream) =
                (Arc::clone(&heard), Arc::clone(&answer), stream.unwrap());
            std::thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let lines: Vec<_> = lines
                    .map_while(|line| line.ok().filter(|line| !line.is_empty()))
                    .collect();
                heard.lock().unwrap().push(lines.join("\n"));
                let _ = answer(&lines.join("\n"), &mut stream);
            });
        }
    });
    (address, asked)
}

fn whole(head: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {head}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn site() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    server(|_, stream| stream.write_all(whole("200 OK", RULES).as_bytes()))
}

fn fetcher() -> Fetcher {
    Fetcher::new("FooBot/1.0")
        .unwrap()
        .timeout(Duration::from_secs(20))
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
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

/// True if the site was not contacted, and the fetch failed with the message that all refused
/// addresses have.
fn is_refused(fetched: &Fetched) -> bool {
    let told = fetched
        .trouble
        .as_deref()
        .is_some_and(|trouble| trouble.ends_with("/robots.txt: no answer from a public address"));
    told && !allows(fetched, "/open") && fetched.status.is_none()
}

/// Requests to private addresses are refused in every spelling of the address, and for every host
/// name.
#[test]
fn only_public_addresses_are_asked() {
    let (address, asked) = site();
    let port = address.port();
    let mut hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "localhost",
        "a.localhost",
        "LOCALHOST.",
    ]
    .map(str::to_owned)
    .to_vec();
    hosts.extend(
        [
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "[fd00::1]",
            "[fe80::1]",
            "169.254.169.254",
        ]
        .map(str::to_owned),
    );
    for host in hosts {
        let fetched = fetcher().robots(&url(&format!("http://{host}:{port}/a")), SystemTime::now());
        assert!(is_refused(&fetched), "{host}: {:?}", fetched.trouble);
    }
    // A closed port and an invalid host get the same message, so it reveals nothing.
    for other in [
        "http://127.0.0.1:9/",
        "http://nowhere.invalid/",
        "https://10.0.0.1/",
    ] {
        let fetched = fetcher().robots(&url(other), SystemTime::now());
        assert!(is_refused(&fetched), "{other}: {:?}", fetched.trouble);
    }
    assert!(asked.lock().unwrap().is_empty());
    for host in ["127.0.0.1", "127.1", "2130706433", "0x7f000001"] {
        let fetched = fetcher()
            .allow_private()
            .robots(&url(&format!("http://{host}:{port}/a")), SystemTime::now());
        assert!(is_read(&fetched), "{host}: {:?}", fetched.trouble);
    }
}

/// A host name is judged by the addresses that it resolves to. If only some of them are private,
/// the others are contacted.
#[test]
fn names_that_resolve_to_private_addresses_are_refused() {
    let (address, asked) = site();
    for private in [
        "127.0.0.1",
        "10.1.2.3",
        "100.64.0.1",
        "169.254.169.254",
        "::1",
        "fd00::1",
        "::ffff:127.0.0.1",
    ] {
        let fake = fetcher()
            .resolver(move |_, port| Ok(vec![SocketAddr::new(private.parse().unwrap(), port)]));
        let at = url(&format!("http://site.example:{}/", address.port()));
        assert!(
            is_refused(&fake.robots(&at, SystemTime::now())),
            "{private}"
        );
    }
    assert!(asked.lock().unwrap().is_empty());
    let fake = fetcher()
        .allow_private()
        .resolver(move |_, _| Ok(vec![address]));
    assert!(is_read(
        &fake.robots(&url("http://site.example/"), SystemTime::now())
    ));
}

/// Starts two test servers at one port: an allowed site at 127.0.0.2, and an internal one at
/// 127.0.0.1. The former redirects to `location`.
#[cfg(target_os = "linux")]
fn outside_and_inside(location: &'static str) -> (Fetcher, Url, Arc<Mutex<Vec<String>>>, u16) {
    let (inside, asked) = site();
    let outside = TcpListener::bind(("127.0.0.2", inside.port())).unwrap();
    std::thread::spawn(move || {
        for stream in outside.incoming() {
            let mut stream = stream.unwrap();
            let _ = std::io::Read::read(&mut stream, &mut [0; 4096]);
            let location = location.replace("PORT", &inside.port().to_string());
            let _ = stream
                .write_all(whole(&format!("301 Moved\r\nLocation: {location}"), "").as_bytes());
        }
    });
    let fetcher = fetcher().allow_also(|address| address == std::net::Ipv4Addr::new(127, 0, 0, 2));
    (
        fetcher,
        url(&format!("http://127.0.0.2:{}/", inside.port())),
        asked,
        inside.port(),
    )
}

/// The target of each redirect is checked like the first URL of a request: by address and port.
#[cfg(target_os = "linux")]
#[test]
fn redirects_into_a_private_network_are_not_followed() {
    for location in [
        "http://127.0.0.1:PORT/robots.txt",
        "http://127.0.0.1:PORT/latest/meta-data/?token=1",
        "http://169.254.169.254/latest/meta-data/",
        "http://127.1:PORT/",
        "http://[::ffff:127.0.0.1]:PORT/",
        "http://2130706433:PORT/",
        "http://0x7f.1:PORT/",
        "http://localhost:PORT/",
        "http://name:word@127.0.0.1:PORT/",
        "//127.0.0.1:PORT/robots.txt",
        // A redirect to another port of the allowed site.
        "http://127.0.0.2:9/robots.txt",
    ] {
        let (outside, at, asked, _) = outside_and_inside(location);
        let fetched = outside.robots(&at, SystemTime::now());
        assert!(is_refused(&fetched), "{location}: {:?}", fetched.trouble);
        assert!(asked.lock().unwrap().is_empty(), "{location}");
    }
    let (_, at, asked, _) = outside_and_inside("http://127.0.0.1:PORT/other/path");
    assert!(is_read(
        &fetcher().allow_private().robots(&at, SystemTime::now())
    ));
    assert!(asked.lock().unwrap()[0].starts_with("GET /other/path "));
}

/// The client connects to the address that was checked. A host name is resolved once for each
/// request, and its addresses are checked each time.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_turns_private_is_refused() {
    let (outside, at, asked, port) = outside_and_inside("http://site.example:PORT/again");
    let turns = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&turns);
    let rebinding = outside.resolver(move |_, port| {
        let last = if count.fetch_add(1, Ordering::SeqCst) == 0 {
            2
        } else {
            1
        };
        Ok(vec![SocketAddr::new(
            std::net::Ipv4Addr::new(127, 0, 0, last).into(),
            port,
        )])
    });
    let named = url(&format!("http://site.example:{port}/"));
    for asked_of in [&named, &named] {
        assert!(
            is_refused(&rebinding.robots(asked_of, SystemTime::now())),
            "{at}"
        );
    }
    // The first response redirected to the same name, which had become private by then.
    assert_eq!(
        (turns.load(Ordering::SeqCst), asked.lock().unwrap().len()),
        (3, 0)
    );
}

/// One deadline covers all requests to a site. It applies to slow redirects, a slow header section,
/// an endless one, and a slow body.
#[test]
fn one_deadline_is_for_all_of_a_site() {
    let slow = server(|request, stream| {
        std::thread::sleep(Duration::from_millis(700));
        let at = request.split(' ').nth(1).unwrap().len();
        stream
            .write_all(whole(&format!("301 Moved\r\nLocation: /{}", "a".repeat(at)), "").as_bytes())
    });
    let drip = |begin: &'static str, drop: &'static str| {
        server(move |_, stream| {
            stream.write_all(begin.as_bytes())?;
            loop {
                stream.write_all(drop.as_bytes())?;
                std::thread::sleep(Duration::from_millis(50));
            }
        })
    };
    let flood = server(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n")?;
        (0..1_000_000).try_for_each(|n| stream.write_all(format!("X-{n}: y\r\n").as_bytes()))
    });
    let head = drip("HTTP/1.1 200 OK\r\n", "X-A: b\r\n");
    let body = drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", "#");
    for (what, (address, _)) in [
        ("redirects", slow),
        ("a head", head),
        ("a flood", flood),
        ("a body", body),
    ] {
        let begun = Instant::now();
        let fetcher = fetcher().allow_private().timeout(Duration::from_secs(1));
        let fetched = fetcher.robots(&url(&format!("http://{address}/")), SystemTime::now());
        assert!(
            !allows(&fetched, "/open") && fetched.trouble.is_some(),
            "{what}: {fetched:?}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{what}: {:?}",
            begun.elapsed()
        );
    }
}

/// Sites that do not respond are waited for in parallel.
#[test]
fn many_silent_sites_take_the_time_of_a_few() {
    let silent: Vec<_> = (0..300)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let urls: Vec<_> = silent
        .iter()
        .map(|site| url(&format!("http://{}/", site.local_addr().unwrap())))
        .collect();
    let begun = Instant::now();
    let all = fetcher()
        .allow_private()
        .timeout(Duration::from_secs(2))
        .robots_of_each(&urls, SystemTime::now());
    assert!(all.len() == 300 && all.iter().all(|fetched| !allows(fetched, "/open")));
    // In sequence they would take ten minutes.
    assert!(
        begun.elapsed() < Duration::from_secs(120),
        "{:?}",
        begun.elapsed()
    );
}

/// A failed request is remembered for an hour, for the bot that sent it. The copy of a later
/// success serves all bots.
#[test]
fn failures_are_remembered_for_an_hour() {
    let (count, folder) = (Arc::new(AtomicUsize::new(0)), TempDir::new().unwrap());
    let asked = Arc::clone(&count);
    let (address, _) = server(move |_, stream| {
        let answer = match asked.fetch_add(1, Ordering::SeqCst) {
            0 => whole("500 Oh", ""),
            _ => whole("200 OK", RULES),
        };
        stream.write_all(answer.as_bytes())
    });
    let (at, start) = (url(&format!("http://{address}/")), SystemTime::now());
    let ask = |agent: &str, age: Duration| {
        let fetcher = Fetcher::new(agent)
            .unwrap()
            .allow_private()
            .cache(folder.path());
        fetcher.robots(&at, start + age)
    };
    for minute in [0, 1, 30, 58] {
        let fetched = ask("FooBot/1.0", Duration::from_secs(minute * 60));
        assert!(
            !allows(&fetched, "/open") && fetched.trouble.as_deref() == Some("HTTP status 500"),
            "{fetched:?}"
        );
        assert_eq!(
            (
                fetched.status,
                fetched.rules_source,
                count.load(Ordering::SeqCst)
            ),
            (Some(500), RulesSource::Fetched, 1)
        );
    }
    assert!(is_read(&ask("FooBot/1.0", 2 * HOUR)));
    // A bot that did not receive the failure sends its own request. If there is a copy, none is
    // sent.
    assert_eq!(
        (
            ask("BarBot/1.0", 2 * HOUR).rules_source,
            count.load(Ordering::SeqCst)
        ),
        (RulesSource::Cached, 2)
    );
}

/// A record of a failed request with a time in the future is ignored. Otherwise, a clock that once
/// ran ahead would block a site until that time.
#[test]
fn failures_from_the_future_are_forgotten() {
    let (count, folder) = (Arc::new(AtomicUsize::new(0)), TempDir::new().unwrap());
    let asked = Arc::clone(&count);
    let (address, _) = server(move |_, stream| {
        let is_first = asked.fetch_add(1, Ordering::SeqCst) == 0;
        stream.write_all(
            if is_first {
                whole("500 Oh", "")
            } else {
                whole("200 OK", RULES)
            }
            .as_bytes(),
        )
    });
    let (at, start) = (url(&format!("http://{address}/")), SystemTime::now());
    let ask = |time| {
        fetcher()
            .allow_private()
            .cache(folder.path())
            .robots(&at, time)
    };
    assert!(!allows(&ask(start + 10_000 * HOUR), "/open"));
    assert!(is_read(&ask(start)));
    // A copy from the future is ignored, too: another request is sent.
    assert!(is_read(&ask(start - 10 * HOUR)));
    assert_eq!(count.load(Ordering::SeqCst), 3);
}
