//! Opens a URL in a browser without a visible window. This module chooses the program of an engine
//! and starts it. A module for each engine then makes the browser open the URL: by the command line
//! (`chromium`), by `WebDriver BiDi` (`firefox`), or by `WebDriver` (`webkit`).
//!
//! The opened page does the rest (see `judge.html`). It sends its results to this process itself,
//! so all engines run the same code.

use std::io;
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, Result};
use tempfile::TempDir;

use super::running::{Running, on_path, wait_for};
use super::{chromium, firefox, webkit};

/// A browser engine: a family of browsers that share one tokenizer and one tree builder.
///
/// ```
/// use heedful_verify::Engine;
///
/// assert_eq!(Engine::parse("firefox")?, Engine::Firefox);
/// assert_eq!(Engine::from_program("/opt/firefox/firefox-bin".as_ref()), Engine::Firefox);
/// assert_eq!(Engine::from_program("/opt/new/chrome".as_ref()), Engine::Chromium);
/// # Ok::<(), heedful_base::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Chromium and browsers that are based on it (the engine Blink).
    #[default]
    Chromium,
    /// Firefox (the engine Gecko).
    Firefox,
    /// The engine `WebKitGTK`. Its program is `WebKitWebDriver`, which starts the browser that is
    /// installed with it. This browser has no headless mode. If `Xvfb` is installed, the browser
    /// runs on a virtual display.
    WebKit,
}

heedful_base::display!(Engine);
heedful_base::from_str!(Engine);

impl Engine {
    /// All engines in which pages can be compared.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// Returns the name of the engine: `chromium`, `firefox` or `webkit`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Returns the engine with this name.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if no engine has the name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| Error::setting(format!("{name:?} is no engine")))
    }

    /// Returns the engine of a browser program, by its file name. A program with an unknown name
    /// counts as Chromium.
    pub fn from_program(program: &Path) -> Self {
        let file = program.file_name().unwrap_or_default().to_string_lossy();
        let file = file.to_ascii_lowercase();
        let named = |part: &str| file.contains(part);
        match () {
            () if named("firefox") => Self::Firefox,
            () if named("webkit") => Self::WebKit,
            () => Self::Chromium,
        }
    }

    /// Returns the names by which the engine's program is searched on the `PATH`, in this order.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Chromium => &["chromium", "chromium-browser", "google-chrome", "chrome"],
            Self::Firefox => &["firefox-esr", "firefox"],
            Self::WebKit => &["WebKitWebDriver"],
        }
    }

    /// Returns the path of the engine's program, or `None` if there is none on the `PATH`. For
    /// Chromium, the first of `chromium`, `chromium-browser`, `google-chrome` and `chrome` is
    /// returned. For Firefox, it is the first of `firefox-esr` and `firefox`. For `WebKitGTK`, it
    /// is `WebKitWebDriver`.
    pub fn find(self) -> Option<PathBuf> {
        self.programs().iter().find_map(|name| on_path(name))
    }

    /// Returns the path of the engine's program, like [`Engine::find`].
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if the program is not on the `PATH`. The message has the
    /// names by which it was searched.
    pub(super) fn found(self) -> Result<PathBuf> {
        self.find().ok_or_else(|| {
            let names = self.programs().join(", ");
            Error::setting(format!("no browser on the PATH: {names}"))
        })
    }

    /// Starts the browser `program` with a new profile, and opens a URL in it. Scripts of the page
    /// run. Scripts may connect to the addresses that the page's Content-Security-Policy allows.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the browser does not start within a minute, or refuses to
    /// open the URL.
    pub fn open(self, program: &Path, url: &str) -> Result<Window> {
        let opened = TempDir::new().and_then(|folder| {
            let running = match self {
                Self::Chromium => chromium::open(program, folder.path(), url),
                Self::Firefox => firefox::open(program, folder.path(), url),
                Self::WebKit => webkit::open(program, folder.path(), url),
            }?;
            Ok(Window {
                running,
                _folder: folder,
            })
        });
        opened.map_err(|source| {
            ErrorKind::Io {
                subject: program.display().to_string(),
                source,
            }
            .into()
        })
    }
}

/// A running browser with one open page. When this value is dropped, the browser is closed and its
/// profile is deleted.
#[must_use]
pub struct Window {
    running: Box<dyn Running>,
    _folder: TempDir,
}

impl Window {
    /// Calls `ready` until it returns a value. Fails if the browser ends first, or if a minute
    /// passes without a value.
    pub(super) fn wait_for<T>(&mut self, ready: impl FnMut() -> Option<T>) -> io::Result<T> {
        wait_for(&mut *self.running, ready)
    }
}

impl std::fmt::Debug for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Window").finish_non_exhaustive()
    }
}
