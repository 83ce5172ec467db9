//! Reads a page in a real browser. The browser shares neither the tokenizer nor the tree builder
//! with the streaming filter ("the stream").
//!
//! The browser opens a page of this crate (`judge.html`), which parses all other pages in a frame.
//! `judge.html` connects to this process, and works in the same way in every engine. The module
//! `engine` makes each engine open it. The parser has scripting enabled, but a policy prevents all
//! scripts and loads. Before a page is parsed, each of its start tags, texts and comments gets a
//! number, by which it is found in the browser's tree. The stream decides where in the page these
//! tokens are. It is a leak if the browser's tree lacks a token, or has a text or comment without a
//! number. In both cases the stream has read the page differently from the browser.
//!
//! The browser also reports which lines of text it shows, and the landmarks around them (`shown`).
//!
//! The browser's reading shares with the stream the parsing of statements (`convention`), the
//! choice among them (`scope`, `policy`), and the rule for text (`oracle::content`). The browser
//! connects to no address except 127.0.0.1.

mod chromium;
mod engine;
mod firefox;
mod running;
mod shown;
mod stamp;
mod webkit;

use std::io;
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};
use url::Url;

use crate::oracle::{self, GrownNode, GrownTree, NodeKind, Surroundings};
use heedful::{Filter, Recorder};
use heedful_base::error::{Error, ErrorKind, Result};

use super::beside::compare_with_tree;
use super::difference::{Comparison, Mismatch};
use super::recording::VerdictRecording;
use super::stream::read_stream;
pub use engine::{Engine, Window};
use running::PATIENCE;
pub(crate) use shown::{ShownPage, ShownText};
use stamp::Stamps;

const JUDGE: &str = include_str!("judge.html");

/// A running browser that parses pages to trees. The verdicts by these trees are compared with the
/// filter's verdicts.
pub struct Browser {
    socket: WebSocket<TcpStream>,
    window: Window,
    _folder: TempDir,
}

/// Answer about one page from `judge.html`, the document whose script parses pages in the browser.
#[derive(Deserialize)]
struct BrowserAnswer {
    #[serde(default)]
    rows: Vec<NodeRow>,
    shown: Option<ShownPage>,
    error: Option<String>,
}

/// A page that is sent to `judge.html`, and the job to do with it: `tree` returns the tree, `texts`
/// the shown text.
#[derive(Serialize)]
struct BrowserQuestion<'a> {
    job: &'static str,
    page: &'a str,
}

/// A node of the browser's tree, as `judge.html` writes the node in JSON. The first number of each
/// variant is the index of the node's parent.
#[derive(Deserialize)]
#[serde(untagged)]
enum NodeRow {
    Element(usize, String, bool, Vec<String>),
    Data(usize, Data),
    Root(usize),
}

#[derive(Deserialize)]
enum Data {
    Text(String),
    Comment(String),
}

impl Browser {
    /// Starts a browser of this engine. Its program is searched on the `PATH`, as by
    /// [`Engine::find`].
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if no browser is found. Fails with [`ErrorKind::Io`] if
    /// the browser does not start.
    pub fn start(engine: Engine) -> Result<Self> {
        Self::launch(engine, engine.found()?)
    }

    /// Starts the browser `program` with the options of `engine`. The program must be a browser of
    /// this engine.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the browser does not start, or does not open its start page
    /// `judge.html` within a minute.
    pub fn launch(engine: Engine, program: impl AsRef<Path>) -> Result<Self> {
        let program = program.as_ref();
        let failed = |source| -> Error {
            ErrorKind::Io {
                subject: program.display().to_string(),
                source,
            }
            .into()
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let folder = TempDir::new().map_err(failed)?;
        let page = folder.path().join("judge.html");
        let nonce = format!("{:x}{:x}", fastrand::u64(..), fastrand::u64(..));
        let judge = JUDGE
            .replace("{PORT}", &port.to_string())
            .replace("{NONCE}", &nonce)
            .replace("{PLACES}", &crate::shown_places::selectors());
        std::fs::write(&page, judge).map_err(failed)?;
        let url = Url::from_file_path(&page)
            .map_err(|()| failed(io::Error::other("its folder has no address")))?;
        let mut window = engine.open(program, url.as_str())?;
        let socket = accept(&listener, &mut window).and_then(|stream| {
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_nodelay(true)?;
            tungstenite::accept(stream).map_err(io::Error::other)
        });
        Ok(Self {
            socket: socket.map_err(failed)?,
            window,
            _folder: folder,
        })
    }

    /// Compares the streaming filter's verdicts on a page with the verdicts by the browser's tree,
    /// for all bots of the filter.
    ///
    /// # Errors
    /// Fails if the streaming filter refuses the page, as [`Filter::page`] does. Fails with
    /// [`ErrorKind::Io`] or [`ErrorKind::Internal`] if the browser does not respond.
    pub fn compare(
        &mut self,
        filter: &Filter,
        url: &str,
        page: &[u8],
        around: &Surroundings<'_>,
    ) -> Result<Comparison> {
        let recorder = Recorder::new(&filter.terms, false);
        let sinks = (recorder, VerdictRecording::default(), Stamps::default());
        let ((recorder, stream, stamps), outcome) = read_stream(filter, sinks, url, page, around)?;
        let url = Url::parse(url).map_err(|_| Error::url(url))?;
        let mut grown = self.grow(&stamps.page)?;
        grown.roots = stamps.roots(&grown);
        let strays = stamps.strays(&grown);
        let tree = oracle::judge(&filter.terms, &url, &grown, &stamps.events(&grown), around);
        let mut comparison = compare_with_tree(filter, &url, &stream, &tree, (recorder, outcome));
        comparison
            .leaks
            .extend(strays.into_iter().map(Mismatch::of_reading));
        Ok(comparison)
    }

    /// Parses the HTML `page` in the browser, and returns the browser's tree.
    fn grow(&mut self, page: &str) -> Result<GrownTree> {
        let answer = self.ask("tree", page)?;
        Ok(GrownTree {
            nodes: answer.rows.into_iter().map(NodeRow::node).collect(),
            ..GrownTree::default()
        })
    }

    /// Opens the HTML `page` in the browser, without the page's scripts and styles. Returns the
    /// text that the browser shows.
    pub(crate) fn show(&mut self, page: &str) -> Result<ShownPage> {
        let answer = self.ask("texts", page)?;
        answer
            .shown
            .ok_or_else(|| ErrorKind::Internal("the browser showed nothing".to_owned()).into())
    }

    fn ask(&mut self, job: &'static str, page: &str) -> Result<BrowserAnswer> {
        let failed = |error: tungstenite::Error| -> Error {
            ErrorKind::Io {
                subject: "the browser".to_owned(),
                source: io::Error::other(error),
            }
            .into()
        };
        let unreadable = |error: serde_json::Error| -> Error {
            ErrorKind::Internal(format!("the browser's answer: {error}")).into()
        };
        let question = serde_json::to_string(&BrowserQuestion { job, page }).map_err(unreadable)?;
        self.socket.send(Message::text(question)).map_err(failed)?;
        let answer = self.socket.read().map_err(failed)?;
        let answer: BrowserAnswer =
            serde_json::from_slice(&answer.into_data()).map_err(unreadable)?;
        match answer.error {
            Some(error) => Err(ErrorKind::Internal(format!("the browser: {error}")).into()),
            None => Ok(answer),
        }
    }
}

impl NodeRow {
    fn node(self) -> GrownNode {
        match self {
            Self::Element(parent, name, is_foreign, attributes) => {
                let pairs = attributes
                    .chunks_exact(2)
                    .map(|pair| (pair[0].clone(), pair[1].clone()));
                GrownNode {
                    parent,
                    kind: NodeKind::Element {
                        name,
                        is_foreign,
                        attributes: pairs.collect(),
                    },
                }
            }
            Self::Data(parent, Data::Text(text)) => GrownNode {
                parent,
                kind: NodeKind::Text(text),
            },
            Self::Data(parent, Data::Comment(text)) => GrownNode {
                parent,
                kind: NodeKind::Comment(text),
            },
            Self::Root(parent) => GrownNode {
                parent,
                kind: NodeKind::Root,
            },
        }
    }
}

/// Accepts the connection from the page that the browser has opened. Fails if the browser exits
/// first, or if no connection is made within [`PATIENCE`].
fn accept(listener: &TcpListener, window: &mut Window) -> io::Result<TcpStream> {
    listener.set_nonblocking(true)?;
    let (stream, _) = window.wait_for(|| match listener.accept() {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        accepted => Some(accepted),
    })??;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

impl std::fmt::Debug for Browser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Browser")
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}
