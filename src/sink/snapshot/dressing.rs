//! Marks in a snapshot, in place of parts that are left out, and additions to a snapshot.

use url::Url;

/// The mark in a snapshot that replaces each part that was left out. By default, the mark is
/// `[...]`.
///
/// ```
/// use heedful::{Bot, Conventions, CutMark, Dressing, Filter, Uses};
///
/// let own = Conventions::default().element(".inner", Uses::parse_names("archive")?)?;
/// let filter = Filter::new(Bot::new("FooBot")?).conventions(own).snapshots();
/// let html = b"<p>Dark <b class=inner>bread</b>";
/// let page = filter.page("https://example.com/", &[], html)?;
/// let snapshot = page.snapshot(&Dressing::default().mark(CutMark::new("[cut]"))).unwrap();
/// assert!(snapshot.contains("[cut]") && !snapshot.contains("bread"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CutMark {
    pub(super) text: String,
    pub(super) comment: String,
    element: Option<String>,
}

impl Default for CutMark {
    fn default() -> Self {
        Self::new("[...]")
    }
}

impl CutMark {
    /// Creates a mark with this text. The mark is plain text where HTML allows text, and a comment
    /// elsewhere.
    pub fn new(text: &str) -> Self {
        let plain: String = text.chars().filter(|c| !c.is_control()).collect();
        // A letter after a reference without its semicolon would become part of the reference.
        let first = plain
            .chars()
            .next()
            .is_none_or(|c| c.is_alphanumeric() || matches!(c, ';' | '=' | '#'));
        let plain = if first { format!(" {plain}") } else { plain };
        let words: String = plain
            .chars()
            .filter(|c| !matches!(c, '-' | '<' | '>' | '!'))
            .collect();
        Self {
            text: escaped(&plain),
            comment: format!("<!--{words}-->"),
            element: None,
        }
    }

    /// Makes the mark a `span` with the HTML class `name`. Where HTML allows no `span`, the mark
    /// stays text or a comment.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, CutMark, Dressing, Filter, Uses};
    ///
    /// let own = Conventions::default().element(".inner", Uses::parse_names("archive")?)?;
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(own).snapshots();
    /// let html = b"<p>Dark <b class=inner>bread</b>";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// let dressing = Dressing::default().mark(CutMark::new("[cut]").class("cut"));
    /// let snapshot = page.snapshot(&dressing).unwrap();
    /// assert!(snapshot.contains("<span class=\"cut\">[cut]</span>"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn class(mut self, name: &str) -> Self {
        self.element = Some(format!(
            "<span class=\"{}\">{}</span>",
            escaped(name),
            self.text
        ));
        self
    }

    pub(super) fn comments_only(&self) -> Self {
        Self {
            text: self.comment.clone(),
            comment: self.comment.clone(),
            element: None,
        }
    }

    pub(super) fn as_text(&self) -> &str {
        self.element.as_deref().unwrap_or(&self.text)
    }
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Options of a snapshot: the mark that replaces each part that is left out, and additions such as
/// a banner. By default nothing is added.
///
/// ```
/// use heedful::{Bot, Dressing, Filter};
///
/// let page = Filter::new(Bot::new("FooBot")?)
///     .snapshots()
///     .page("https://example.com/rye", &[], b"<p>Dark bread")?;
/// let plain = page.snapshot(&Dressing::default()).unwrap();
/// assert_eq!(plain, "<p>Dark bread");
/// let dressed = page.snapshot(&Dressing::default().no_scripts().banner("A copy")).unwrap();
/// assert!(dressed.contains("A copy") && dressed.ends_with("<p>Dark bread"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Dressing {
    pub(super) mark: CutMark,
    base: bool,
    no_scripts: bool,
    banner: Option<String>,
}

impl Dressing {
    /// Sets the mark that replaces parts of the page that are left out.
    pub fn mark(mut self, mark: CutMark) -> Self {
        self.mark = mark;
        self
    }

    /// Adds a `base` element to the snapshot, so that relative URLs of links and images lead to the
    /// publisher's site.
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let page = Filter::new(Bot::new("FooBot")?)
    ///     .snapshots()
    ///     .page("https://example.com/rye", &[], b"<img src=loaf.jpg>")?;
    /// let snapshot = page.snapshot(&Dressing::default().base()).unwrap();
    /// // The image loads from the publisher's site, wherever the snapshot is shown.
    /// assert!(snapshot.contains("<base href=\"https://example.com/rye\""));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn base(mut self) -> Self {
        self.base = true;
        self
    }

    /// Adds a Content-Security-Policy to the snapshot, which keeps browsers from running any script
    /// in it.
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let page = Filter::new(Bot::new("FooBot")?)
    ///     .snapshots()
    ///     .page("https://example.com/", &[], b"<script>bake()</script>")?;
    /// let snapshot = page.snapshot(&Dressing::default().no_scripts()).unwrap();
    /// let policy = snapshot.find("Content-Security-Policy").unwrap();
    /// assert!(policy < snapshot.find("bake()").unwrap());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn no_scripts(mut self) -> Self {
        self.no_scripts = true;
        self
    }

    /// Adds a line with this text at the lower edge of the browser's window. The line may, for
    /// example, name the source of the copy.
    ///
    /// No style of the page changes the line itself. A page may still hide its whole body, or cover
    /// the line. If readers must see a notice, show the copy in a frame, and put the notice outside
    /// of the frame.
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let page = Filter::new(Bot::new("FooBot")?)
    ///     .snapshots()
    ///     .page("https://example.com/", &[], b"<p>Dark bread")?;
    /// let snapshot = page.snapshot(&Dressing::default().banner("From <example.com>")).unwrap();
    /// assert!(snapshot.contains("From &lt;example.com&gt;"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn banner(mut self, text: &str) -> Self {
        self.banner = Some(text.to_owned());
        self
    }

    /// Returns the HTML that is added before all content of the snapshot. If anything is added, the
    /// snapshot also declares its encoding. A page with frames gets no banner, since an element
    /// before a `frameset` would prevent the frames.
    pub(super) fn additions(&self, base: &Url, has_frames: bool) -> String {
        let banner = self.banner.as_ref().filter(|_| !has_frames);
        if !self.base && !self.no_scripts && banner.is_none() {
            return String::new();
        }
        let mut additions = "<meta charset=\"utf-8\">".to_owned();
        if self.no_scripts {
            additions.push_str(
                "<meta http-equiv=\"Content-Security-Policy\" content=\"script-src 'none'; object-src 'none'\">",
            );
        }
        if self.base {
            additions.extend(["<base href=\"", &escaped(base.as_str()), "\">"]);
        }
        if let Some(text) = banner {
            let text = escaped(text);
            additions.extend(["<div style=\"", BANNER, "\">", BANNER_ROOT, &text, "</div>"]);
        }
        additions
    }
}

/// Style of the banner. All properties are `important`, so that no style sheet of the page hides or
/// moves the banner. `display` is `flex`, since `::first-line` and `::first-letter` do not apply to
/// a box of this kind.
const BANNER: &str = "all:initial!important;display:flex!important;visibility:visible!important;\
    position:fixed!important;inset:auto 0 0 0!important;z-index:2147483647!important;padding:.4em 1em!important;\
    font:14px/1.4 sans-serif!important;color:#111!important;background:#ffd!important;\
    border-top:1px solid #998!important";

/// Shadow root of the banner. Its style keeps the page from adding `::before` or `::after` to the
/// banner. A browser that does not know shadow roots ignores this style.
const BANNER_ROOT: &str = "<template shadowrootmode=\"closed\"><style>:host::before,:host::after{content:none!important}\
    </style><slot></slot></template>";
