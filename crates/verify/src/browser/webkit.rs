//! Starts `WebKitGTK`, and tells it by the protocol `WebDriver` which page to open: JSON over HTTP
//! to `WebKitWebDriver`, which starts the browser that is installed with it. This browser needs a
//! display. `Xvfb` provides a virtual one. If `Xvfb` is not installed, the window appears on the
//! user's display.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::running::{PATIENCE, Process, Running, on_path, wait_for};

/// The driver process with the session that told the browser which page to open, and the virtual
/// display of the browser, if any. Fields are dropped in their order, so the browser ends before
/// its display.
struct WebKit {
    driver: Driver,
    _display: Option<Process>,
}

struct Driver {
    process: Process,
    port: u16,
    /// Path of the session in URLs of `WebDriver`. Empty until the session is created.
    session: String,
}

pub(super) fn open(program: &Path, folder: &Path, url: &str) -> io::Result<Box<dyn Running>> {
    let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
    let mut command = Command::new(program);
    command
        .arg(format!("--port={port}"))
        // The pages are not looked at, so software rendering is enough.
        .envs([
            ("LIBGL_ALWAYS_SOFTWARE", "1"),
            ("WEBKIT_DISABLE_COMPOSITING_MODE", "1"),
        ])
        .envs(["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"].map(|name| (name, folder)))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let display = on_path("Xvfb").map(|xvfb| display(&xvfb)).transpose()?;
    if let Some((_, name)) = &display {
        command.env("DISPLAY", name).env("GDK_BACKEND", "x11");
    }
    let mut driver = Driver {
        process: Process(command.spawn()?),
        port,
        session: String::new(),
    };
    wait_for(&mut driver.process, || {
        TcpStream::connect(("127.0.0.1", port)).ok()
    })?;
    let wanted = json!({"capabilities": {"alwaysMatch": {"pageLoadStrategy": "none"}}});
    let session = driver.ask("POST", "/session", &wanted)?;
    let id = session["sessionId"].as_str();
    driver.session = format!("/session/{}", id.unwrap_or_default());
    let place = format!("{}/url", driver.session);
    driver.ask("POST", &place, &json!({ "url": url }))?;
    Ok(Box::new(WebKit {
        driver,
        _display: display.map(|(process, _)| process),
    }))
}

/// Starts a virtual display with the program `xvfb`. Returns the process, and the name of the
/// display, such as `:1`.
fn display(xvfb: &Path) -> io::Result<(Process, String)> {
    let mut child = Command::new(xvfb)
        .args(["-displayfd", "1", "-nolisten", "tcp"])
        .args(["-screen", "0", "1280x1024x24"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let told = child.stdout.take();
    let process = Process(child);
    let mut number = String::new();
    if let Some(told) = told {
        BufReader::new(told).read_line(&mut number)?;
    }
    match number.trim() {
        "" => Err(io::Error::other("Xvfb gives no display")),
        number => Ok((process, format!(":{number}"))),
    }
}

impl Driver {
    /// Sends a command of `WebDriver`, and returns the value in the response.
    fn ask(&self, method: &str, path: &str, parameters: &Value) -> io::Result<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let body = parameters.to_string();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut answer: Value = serde_json::from_slice(&body_of(BufReader::new(stream))?)?;
        let mut value = answer["value"].take();
        match value["error"].take() {
            Value::Null => Ok(value),
            error => Err(io::Error::other(format!("{error}: {}", value["message"]))),
        }
    }
}

/// Reads an HTTP response that has a `Content-Length`, and returns its body.
fn body_of(mut answer: impl BufRead) -> io::Result<Vec<u8>> {
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if answer.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().unwrap_or(0);
            }
            None if line.trim_end().is_empty() => break,
            _ => {}
        }
    }
    let mut body = Vec::new();
    answer.take(length).read_to_end(&mut body)?;
    Ok(body)
}

impl Running for WebKit {
    fn has_ended(&mut self) -> io::Result<bool> {
        self.driver.process.has_ended()
    }
}

impl Drop for Driver {
    /// Ends the `WebDriver` session, which closes the browser. The driver process is killed
    /// afterwards.
    fn drop(&mut self) {
        if !self.session.is_empty() {
            let _ = self.ask("DELETE", &self.session, &json!({}));
        }
    }
}
