//! Runs `heedful serve` as a child process. Also has a client that sends all its requests over one
//! connection.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The process of `heedful serve`. It is killed when this value is dropped.
pub(crate) struct Service {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
}

impl Service {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let program =
            std::env::var_os("HEEDFUL").unwrap_or_else(|| env!("CARGO_BIN_EXE_heedful").into());
        let mut command = Command::new(program);
        command
            .args(["serve", "--port", "0"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let (mut told, mut line) = (
            BufReader::new(process.stderr.take().unwrap()),
            String::new(),
        );
        told.read_line(&mut line).unwrap();
        let address = line
            .trim()
            .rsplit_once("http://")
            .unwrap()
            .1
            .parse()
            .unwrap();
        // Drains the later output of the service, so that its pipe never fills.
        std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
        Self { process, address }
    }

    pub(crate) fn cpu(&self) -> Duration {
        super::child::cpu(&format!("/proc/{}/stat", self.process.id()))
    }

    /// Returns the resident memory of the service in kilobytes: first the current value, then the
    /// peak.
    pub(crate) fn memory(&self) -> (u64, u64) {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let read = |name: &str| {
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .unwrap_or_default();
            line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
        };
        (read("VmRSS:"), read("VmHWM:"))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A client of the service with one connection. It connects again after the service has closed the
/// connection.
pub(crate) struct Client {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

/// A response of the service: its HTTP status and its body.
pub(crate) type Answer = (u16, Vec<u8>);

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            address,
            stream: None,
        }
    }

    pub(crate) fn post(&mut self, path: &str, kind: &str, body: &[u8]) -> std::io::Result<Answer> {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        self.send(&[head.as_bytes(), body].concat())
    }

    /// Sends the bytes of a request to the service, and reads the response.
    pub(crate) fn send(&mut self, request: &[u8]) -> std::io::Result<Answer> {
        let answer = self.exchange(request);
        if answer.is_err() {
            self.stream = None;
        }
        answer
    }

    fn exchange(&mut self, request: &[u8]) -> std::io::Result<Answer> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(120)))?;
            self.stream = Some(BufReader::with_capacity(64 << 10, stream));
        }
        let stream = self.stream.as_mut().unwrap();
        // A service that refuses the request early may not read all of it.
        let _ = stream.get_mut().write_all(request);
        let (status, head) = head(stream)?;
        let body = body(stream, &head)?;
        if head.contains("connection: close") {
            self.stream = None;
        }
        Ok((status, body))
    }
}

fn head(stream: &mut impl BufRead) -> std::io::Result<(u16, String)> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if stream.read_line(&mut head)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if head.len() - before <= 2 {
            break;
        }
    }
    Ok((head[9..12].parse().unwrap_or(0), head.to_lowercase()))
}

fn body(stream: &mut impl BufRead, head: &str) -> std::io::Result<Vec<u8>> {
    let length = |stream: &mut dyn BufRead| -> std::io::Result<usize> {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        usize::from_str_radix(line.trim(), 16).map_err(std::io::Error::other)
    };
    let mut body = Vec::new();
    if !head.contains("transfer-encoding: chunked") {
        let line = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))
            .unwrap_or("0");
        body.resize(line.trim().parse().map_err(std::io::Error::other)?, 0);
        stream.read_exact(&mut body)?;
        return Ok(body);
    }
    loop {
        let (length, start) = (length(stream)?, body.len());
        body.resize(start + length, 0);
        stream.read_exact(&mut body[start..])?;
        stream.read_exact(&mut [0; 2])?;
        if length == 0 {
            return Ok(body);
        }
    }
}
