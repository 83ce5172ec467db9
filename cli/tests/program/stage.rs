//! Shows copies of pages in any browser, and tells what is seen in each.
//!
//! A page of the test (`stage.html`) opens the copies in frames, all from one server on loopback. So
//! it may look into them, and the policy of a copy does not hold for it. A script of a copy tells
//! that it runs by a message with the number of the copy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use heedful_verify::Engine;
use serde_json::Value;

use crate::browsers::program;

const STAGE: &str = include_str!("stage.html");
/// Maximum time for all copies.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server on loopback whose pages are the copies.
pub(crate) struct Stage {
    listener: TcpListener,
    /// Address of the page whose copies are shown. The copies themselves are elsewhere on its host.
    pub(crate) url: String,
}

/// Script by which copy number `copy` tells that it runs. It holds no quotes.
pub(crate) fn script(copy: usize) -> String {
    format!("top.postMessage({copy},`*`)")
}

impl Stage {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/dir/page", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// Shows the copies in an engine's browser. Returns an object for each copy, whose keys are
    /// those of `stage.html`. Returns None if the browser is not on this machine.
    pub(crate) fn show(&self, engine: Engine, copies: Vec<String>) -> Option<Vec<Value>> {
        let program = program(engine)?;
        let (sender, seen) = channel();
        let listener = self.listener.try_clone().unwrap();
        let copies = Arc::new(copies);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (copies, sender) = (Arc::clone(&copies), sender.clone());
                std::thread::spawn(move || answer(stream.unwrap(), &copies, &sender));
            }
        });
        let address = self.url.replace("/dir/page", "/");
        let window = engine.open(&program, &address).unwrap();
        let seen: Result<Vec<u8>, _> = Receiver::recv_timeout(&seen, PATIENCE);
        drop(window);
        let seen = seen.unwrap_or_else(|_| panic!("{engine} tells nothing"));
        Some(serde_json::from_slice(&seen).unwrap())
    }
}

/// Answers one request: for the stage, for a copy, or with what is seen.
fn answer(stream: TcpStream, copies: &[String], seen: &Sender<Vec<u8>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut first, mut line, mut length) = (String::new(), String::new(), 0);
    reader.read_line(&mut first).ok()?;
    while reader.read_line(&mut line).ok()? > 2 {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().ok()?;
        }
        line.clear();
    }
    let path = first.split(' ').nth(1)?;
    let stage = STAGE.replace("{COUNT}", &copies.len().to_string());
    let (status, body) = match path.strip_prefix("/copy/") {
        Some(number) => ("200 OK", copies[number.parse::<usize>().ok()?].as_str()),
        None if path == "/" => ("200 OK", stage.as_str()),
        None if path == "/seen" => {
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            seen.send(body).ok()?;
            ("200 OK", "")
        }
        None => ("404 Not Found", ""),
    };
    let mut stream = reader.into_inner();
    let length = body.len();
    let head = "Content-Type: text/html\r\nConnection: close";
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}"
    )
    .ok()
}
