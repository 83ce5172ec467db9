//! Starts Firefox, and tells it by the protocol `WebDriver BiDi` which page to open. Firefox serves
//! this protocol on a WebSocket itself, so geckodriver is not needed.

use std::io;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::running::{PATIENCE, Process, Running, wait_for};

/// Settings of the Firefox profile. With these settings Firefox sends no requests and opens no
/// pages unless it is told to. Firefox also runs timers and layout at full speed in a hidden
/// window.
const SETTINGS: &str = r#"
user_pref("app.normandy.enabled", false);
user_pref("app.update.disabledForTesting", true);
user_pref("browser.newtabpage.enabled", false);
user_pref("browser.region.network.url", "");
user_pref("browser.safebrowsing.malware.enabled", false);
user_pref("browser.safebrowsing.phishing.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("dom.ipc.processCount", 1);
user_pref("dom.min_background_timeout_value", 4);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("extensions.systemAddon.update.enabled", false);
user_pref("extensions.update.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("network.dns.disablePrefetch", true);
user_pref("network.prefetch-next", false);
user_pref("services.settings.server", "data:,");
user_pref("toolkit.telemetry.enabled", false);
user_pref("toolkit.telemetry.server", "data:,");
"#;

/// A Firefox process, and the `WebDriver BiDi` session through which Firefox was told which page to
/// open.
struct Firefox {
    process: Process,
    socket: WebSocket<TcpStream>,
    last: u64,
}

pub(super) fn open(program: &Path, folder: &Path, url: &str) -> io::Result<Box<dyn Running>> {
    let profile = folder.join("profile");
    std::fs::create_dir(&profile)?;
    std::fs::write(profile.join("user.js"), SETTINGS)?;
    let child = Command::new(program)
        .args(["--headless", "--no-remote", "--remote-debugging-port=0"])
        .arg("--profile")
        .arg(&profile)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut process = Process(child);
    let told = profile.join("WebDriverBiDiServer.json");
    let port = wait_for(&mut process, || port_in(&told))?;
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let address = format!("ws://127.0.0.1:{port}/session");
    let (socket, _) = tungstenite::client(address, stream).map_err(io::Error::other)?;
    let mut firefox = Firefox {
        process,
        socket,
        last: 0,
    };
    firefox.ask("session.new", &json!({"capabilities": {}}))?;
    let tree = firefox.ask("browsingContext.getTree", &json!({}))?;
    let context = &tree["contexts"][0]["context"];
    let place = json!({"context": context, "url": url, "wait": "none"});
    firefox.ask("browsingContext.navigate", &place)?;
    Ok(Box::new(firefox))
}

/// Returns the port that Firefox has written into this file of its profile. Returns `None` while
/// the file does not have the port.
fn port_in(file: &Path) -> Option<u16> {
    let told: Value = serde_json::from_slice(&std::fs::read(file).ok()?).ok()?;
    told["ws_port"].as_u64()?.try_into().ok()
}

impl Firefox {
    /// Sends a command of `WebDriver BiDi`, and returns its result. Skips events that arrive before
    /// the result.
    fn ask(&mut self, method: &str, parameters: &Value) -> io::Result<Value> {
        self.last += 1;
        let command = json!({"id": self.last, "method": method, "params": parameters});
        let message = Message::text(command.to_string());
        self.socket.send(message).map_err(io::Error::other)?;
        loop {
            let answer = self.socket.read().map_err(io::Error::other)?.into_data();
            let mut answer: Value = serde_json::from_slice(&answer)?;
            if answer["id"] != self.last {
                continue;
            }
            if answer["type"] == "error" {
                let message = format!("{method}: {}", answer["message"]);
                return Err(io::Error::other(message));
            }
            return Ok(answer["result"].take());
        }
    }
}

impl Running for Firefox {
    fn has_ended(&mut self) -> io::Result<bool> {
        self.process.has_ended()
    }
}
