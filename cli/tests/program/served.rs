//! Helpers that start `heedful serve` as a user does, on a free port. Also a client that can be as
//! slow or as wrong as a test needs. Each answer to a whole request is compared with the OpenAPI
//! document of the service.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::serve_openapi::assert_documented;
use crate::support::root;

/// A running `heedful serve`. Its process is killed when this value is dropped.
pub(crate) struct Served {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
    /// The message of the service that names the address on which it listens.
    pub(crate) ready: String,
    /// The messages that the service printed before the message `ready`.
    pub(crate) before: String,
    told: Option<JoinHandle<String>>,
}

/// An answer of the service: its status, head and body.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.head, self.text()))
    }

    /// Returns the kind and the message of the error in the answer.
    pub(crate) fn error(&self) -> (String, String) {
        let error = &self.json()["error"];
        let text = |key: &str| {
            error[key]
                .as_str()
                .unwrap_or_else(|| panic!("{self:?}"))
                .to_owned()
        };
        (text("kind"), text("message"))
    }

    /// Returns the value of the answer's header with this name, in upper or lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

impl Served {
    /// Starts the service with these arguments, in the folder of the project.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::with(
            Command::new(env!("CARGO_BIN_EXE_heedful"))
                .args(["serve", "--port", "0"])
                .args(arguments),
        )
    }

    /// Starts the service with this command, and waits until it is ready.
    pub(crate) fn with(command: &mut Command) -> Self {
        let command = command
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = command.env_remove("RUST_BACKTRACE").spawn().unwrap();
        let (mut told, mut ready) = (
            BufReader::new(process.stderr.take().unwrap()),
            String::new(),
        );
        let mut before = String::new();
        while !ready.contains("listening on http://") {
            before.push_str(&std::mem::take(&mut ready));
            assert!(
                told.read_line(&mut ready).unwrap() > 0,
                "the service did not start"
            );
        }
        let rest = ready.trim().split_once("http://").unwrap().1;
        let address = rest.split(' ').next().unwrap().parse().unwrap();
        let told = std::thread::spawn(move || {
            let mut rest = String::new();
            told.read_to_string(&mut rest).unwrap();
            rest
        });
        Self {
            process,
            address,
            ready: ready.trim().to_owned(),
            before,
            told: Some(told),
        }
    }

    /// Opens a connection to the service, with a read timeout of half a minute.
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .unwrap();
        stream
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    /// Sends a POST request with a body of the Content-Type `kind`. Returns the answer.
    pub(crate) fn post(&self, path: &str, kind: &str, body: impl AsRef<[u8]>) -> Answer {
        self.ask(
            "POST",
            path,
            &[&format!("Content-Type: {kind}")],
            body.as_ref(),
        )
    }

    /// Sends a request with the header lines `headers`, and with `Host` and the length of its body.
    /// Returns the answer.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
        let mut stream = self.connect();
        stream
            .write_all(&self.request(method, path, headers, body))
            .unwrap();
        let answer = answer(&mut stream);
        assert_documented(method, path, &answer);
        answer
    }

    /// Returns the bytes of a request to the service. The request asks the service to close the
    /// connection after the answer.
    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[&str],
        body: &[u8],
    ) -> Vec<u8> {
        let own = format!(
            "Host: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        [
            format!("{method} {path} HTTP/1.1\r\n{own}{lines}\r\n").as_bytes(),
            body,
        ]
        .concat()
    }

    /// Returns the value of one of the service's metrics. `name` is the metric's name with its
    /// labels, as `/metrics` writes them. Returns 0 if there is no such metric.
    pub(crate) fn counted(&self, name: &str) -> u64 {
        let metrics = self.get("/metrics");
        let line = metrics
            .text()
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |value| value.parse().unwrap())
    }

    /// Sends the service a signal to end, and waits. Returns its exit status, and its messages
    /// since it was ready.
    #[cfg(unix)]
    pub(crate) fn end(self) -> (Option<i32>, String) {
        self.signal(rustix::process::Signal::TERM);
        self.ended()
    }

    /// Waits until the service has ended. Returns its exit status, and its messages since it
    /// was ready.
    pub(crate) fn ended(mut self) -> (Option<i32>, String) {
        let status = self.process.wait().unwrap().code();
        (status, self.told.take().unwrap().join().unwrap())
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(rustix::process::Pid::from_child(&self.process), signal)
            .unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the service's answer from a connection until the connection is closed.
pub(crate) fn answer(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    parsed(&bytes)
}

/// Parses the bytes of the service's answer. Joins the chunks of its body.
pub(crate) fn parsed(bytes: &[u8]) -> Answer {
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap_or_else(|| panic!("no head: {bytes:?}"));
    let (head, body) = (
        String::from_utf8(bytes[..end].to_vec()).unwrap(),
        &bytes[end + 4..],
    );
    let status = head[9..12].parse().unwrap();
    let is_chunked = head.to_lowercase().contains("transfer-encoding: chunked");
    Answer {
        status,
        body: if is_chunked {
            dechunked(body)
        } else {
            body.to_vec()
        },
        head,
    }
}

fn dechunked(mut rest: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        whole.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
    whole
}
