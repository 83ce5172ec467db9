//! Runs Chromium without a window, and controls it over its `DevTools` protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use heedful_verify::Engine;

use super::browsers::program;

/// Maximum time for each action of the browser.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser process with one open page.
pub(crate) struct Browser {
    child: Child,
    socket: BufReader<TcpStream>,
    last: u64,
    /// The events that the browser has sent since a page was opened for the last time.
    pub(crate) events: Vec<Value>,
    _profile: TempDir,
}

impl Browser {
    pub(crate) fn start() -> Option<Self> {
        let program = program(Engine::Chromium)?;
        let profile = TempDir::new().unwrap();
        let child = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--window-size=1200,900",
            ])
            .args([
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--remote-debugging-port=0",
            ])
            // A sandboxed frame would otherwise have its own process, and its content would not be
            // in the page's document.
            .arg("--disable-features=IsolateSandboxedIframes")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let socket = connected(&profile.path().join("DevToolsActivePort"));
        let mut browser = Self {
            child,
            socket,
            last: 0,
            events: Vec::new(),
            _profile: profile,
        };
        for domain in ["Page", "Network", "Runtime", "Log", "DOM"] {
            browser.ask(&format!("{domain}.enable"), &json!({}));
        }
        Some(browser)
    }

    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.last += 1;
        let message = json!({"id": self.last, "method": method, "params": parameters});
        send(self.socket.get_mut(), message.to_string().as_bytes());
        loop {
            let mut answer = self.read();
            if answer["id"] == self.last {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> Value {
        serde_json::from_slice(&received(&mut self.socket)).unwrap()
    }

    /// Opens a file in the browser and waits until it is loaded. The file is requested again if a
    /// browser that has just started loses the first request.
    pub(crate) fn open(&mut self, file: &Path) {
        let url = heedful::Url::from_file_path(file).unwrap();
        for _ in 0..4 {
            self.events.clear();
            self.ask("Page.navigate", &json!({"url": url.as_str()}));
            if self.is_loaded() {
                return;
            }
        }
        panic!("{url} is not loaded: {:?}", self.events);
    }

    fn is_loaded(&mut self) -> bool {
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let wait = |socket: &BufReader<TcpStream>, time| {
                socket.get_ref().set_read_timeout(Some(time)).unwrap();
            };
            wait(&self.socket, PATIENCE / 6);
            if self.socket.fill_buf().is_err() {
                return false;
            }
            wait(&self.socket, PATIENCE);
            let event = self.read();
            self.events.push(event);
        }
        true
    }

    /// Evaluates a JavaScript expression, awaits its promise, and returns the value. The expression
    /// is not part of the page, so no policy of the page blocks it.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let mut answer = self.ask(
            "Runtime.evaluate",
            &json!({"expression": expression, "awaitPromise": true, "returnByValue": true}),
        );
        assert!(
            answer["exceptionDetails"].is_null(),
            "{}",
            answer["exceptionDetails"]
        );
        answer["result"]["value"].take()
    }

    pub(crate) fn click(&mut self, x: f64, y: f64) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", &event);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let message = json!({"id": self.last + 1, "method": "Browser.close"});
        send(self.socket.get_mut(), message.to_string().as_bytes());
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(5) {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Connects to the page that is open in the browser. The browser writes its port into `file`.
fn connected(file: &Path) -> BufReader<TcpStream> {
    let started = Instant::now();
    loop {
        assert!(started.elapsed() < PATIENCE, "the browser does not start");
        std::thread::sleep(Duration::from_millis(50));
        let Ok(told) = std::fs::read_to_string(file) else {
            continue;
        };
        let Some(port) = told
            .lines()
            .next()
            .and_then(|port| port.parse::<u16>().ok())
        else {
            continue;
        };
        let Some(path) = page_at(port) else { continue };
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            assert!(
                reader.read_line(&mut line).unwrap() > 0,
                "the browser does not answer"
            );
        }
        return reader;
    }
}

/// Returns the path of the open page on the `DevTools` server.
fn page_at(port: u16) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
    write!(
        stream,
        "GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
    )
    .ok()?;
    let mut answer = Vec::new();
    // The browser may leave the connection open.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).ok()?;
    let pages: Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    let page = pages
        .as_array()?
        .iter()
        .find(|target| target["type"] == "page")?;
    let url = page["webSocketDebuggerUrl"].as_str()?;
    Some(url[url.find("/devtools")?..].to_owned())
}

/// Sends one message of the WebSocket protocol. Its mask is zero, so that it changes no byte of the
/// message.
fn send(stream: &mut TcpStream, message: &[u8]) {
    let mut frame = vec![0x81];
    match message.len() {
        length @ 0..=125 => frame.push(0x80 | u8::try_from(length).unwrap()),
        length => {
            frame.push(0x80 | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(message);
    // A failure is ignored: reading the answer will report that the browser is gone.
    let _ = stream.write_all(&frame);
}

fn received(stream: &mut impl Read) -> Vec<u8> {
    let mut message = Vec::new();
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).unwrap();
        let length = match head[1] & 0x7F {
            126 => number::<2>(stream),
            127 => number::<8>(stream),
            length => u64::from(length),
        };
        let start = message.len();
        message.resize(start + usize::try_from(length).unwrap(), 0);
        stream.read_exact(&mut message[start..]).unwrap();
        if head[0] & 0x80 != 0 {
            return message;
        }
    }
}

fn number<const BYTES: usize>(stream: &mut impl Read) -> u64 {
    let mut bytes = [0; BYTES];
    stream.read_exact(&mut bytes).unwrap();
    bytes
        .iter()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}
