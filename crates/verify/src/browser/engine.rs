//! Opens an address in a browser that nobody looks at. All that is asked of an engine is here: which
//! program it is, and that it opens an address. How each is started and told so is in the rooms
//! below: the command line (`chromium`), `WebDriver BiDi` (`firefox`), `WebDriver` (`webkit`).
//!
//! The page that is opened does the rest. It says by itself what it finds (see `judge.html`), so no
//! protocol stands between it and this process, and all engines run the same code.

use std::io;
use std::path::{Path, PathBuf};

use heedful_base::error::{Error, ErrorKind, Result};
use tempfile::TempDir;

use super::running::{Running, on_path, wait_for};
use super::{chromium, firefox, webkit};

/// An engine that reads pages: the browsers of one family, which share tokenizer and tree builder.
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
    /// Chromium and its kin (the engine Blink).
    #[default]
    Chromium,
    /// Firefox (the engine Gecko).
    Firefox,
    /// `WebKitGTK`, by its `WebKitWebDriver`, which starts the browser that came with it. It has no
    /// mode without a window, so `Xvfb` is started for it where there is one.
    WebKit,
}

heedful_base::display!(Engine);
heedful_base::from_str!(Engine);

impl Engine {
    /// All engines.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::WebKit];

    /// Returns the name of the engine: `chromium`, `firefox` or `webkit`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::WebKit => "webkit",
        }
    }

    /// Returns the engine of this name.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if no engine has the name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| Error::setting(format!("{name:?} is no engine")))
    }

    /// Returns the engine of a program, by the name of its file. A program of another name is taken
    /// for one that understands Chromium's options.
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

    /// Names of the programs that are looked for on the `PATH`, the first one first.
    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Chromium => &["chromium", "chromium-browser", "google-chrome", "chrome"],
            Self::Firefox => &["firefox-esr", "firefox"],
            Self::WebKit => &["WebKitWebDriver"],
        }
    }

    /// Returns the path of the engine's program, if there is one on the `PATH`: the first of
    /// `chromium`, `chromium-browser`, `google-chrome` and `chrome`; of `firefox-esr` and `firefox`;
    /// `WebKitWebDriver`.
    pub fn find(self) -> Option<PathBuf> {
        self.programs().iter().find_map(|name| on_path(name))
    }

    /// Returns what [`Engine::find`] returns.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Setting`] if there is none. The message has the names.
    pub(super) fn found(self) -> Result<PathBuf> {
        self.find().ok_or_else(|| {
            let names = self.programs().join(", ");
            Error::setting(format!("no browser on the PATH: {names}"))
        })
    }

    /// Opens an address in a new browser: `program`, with a profile of its own. The page's scripts
    /// run, and may connect to whatever its policy allows.
    ///
    /// # Errors
    /// Fails with [`ErrorKind::Io`] if the browser does not start within a minute, or does not take
    /// the address.
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

/// A browser with one open page. It ends, and its profile is deleted, when this is dropped.
#[must_use]
pub struct Window {
    running: Box<dyn Running>,
    _folder: TempDir,
}

impl Window {
    /// Calls `ready` until it returns a value, as the function of this name does.
    pub(super) fn wait_for<T>(&mut self, ready: impl FnMut() -> Option<T>) -> io::Result<T> {
        wait_for(&mut *self.running, ready)
    }
}

impl std::fmt::Debug for Window {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Window").finish_non_exhaustive()
    }
}
