//! The settings of a pass: which conventions are obeyed, for which bots, and within which limits.
//! One [`Filter`] serves any number of passes and threads. The passes decide about their pages; the
//! filter itself decides nothing.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::convention::{Conventions, PAGEFIND_BODY};
use crate::explain::ExplainSink;
use crate::html::Landmarks;
use crate::page::{Page, Recorder};
use crate::pass::Pass;
use crate::policy::{Policy, Uses};
use crate::policy_pass::PolicyPass;
use crate::scope::{Licence, Licences, NamesResolver, PassTerms, ProfileNames};
use crate::sink::Sink;
use crate::sink::parts::VerdictSink;
use heedful_base::bot::{Bot, Bots};
use heedful_base::error::Result;
use heedful_base::limits::Limits;
use heedful_robots::Mode;

/// Settings for filtering pages: conventions, bots and limits.
///
/// One filter opens any number of passes, from several threads if wanted. Each pass filters one
/// page. Each setter takes the filter by value, and returns the changed filter. A clone is cheap:
/// it shares the settings of the original until a setter changes them.
///
/// ```
/// use heedful::{Bot, Filter, Use, Uses};
///
/// let filter = Filter::new(Bot::new("FooBot")?).deny(Uses::parse("notrain")?, "*")?;
/// for url in ["https://example.com/rye", "https://example.com/wheat"] {
///     let page = filter.page(url, &[], b"<p>Dark bread")?;
///     assert_eq!(page.phrases(), ["Dark bread"]);
///     assert!(!page.policy().allows(Use::Train));
/// }
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Filter {
    #[doc(hidden)]
    pub terms: Arc<PassTerms>,
    snapshots: bool,
    clock: Clock,
}

impl Filter {
    /// Creates a filter for one bot, with the conventions of the preset `web` and the default
    /// limits.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let html = b"<meta name=barbot content=noindex><p>Dark bread";
    /// assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["Dark bread"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn new(bot: Bot) -> Self {
        Self::from_bots(Bots::one(bot))
    }

    /// Creates a filter for several bots. The filter parses each page only once for all bots.
    /// [`Pass::end_each`] returns one page for each bot.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](crate::ErrorKind::Setting) if `bots` is empty, or has more
    /// than [`BotSet::MAX`](heedful_base::bot::BotSet::MAX) bots.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::for_bots(vec![Bot::new("FooBot")?, Bot::new("BarBot")?])?;
    /// let mut pass = filter.open("https://example.com/")?;
    /// pass.write(b"<meta name=foobot content=noindex><p>Dark bread")?;
    /// let phrases: Vec<_> = pass.end_each()?.iter().map(|page| page.phrases().len()).collect();
    /// assert_eq!(phrases, [0, 1]);
    /// assert!(Filter::for_bots(Vec::new()).is_err());
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn for_bots(bots: Vec<Bot>) -> Result<Self> {
        Bots::new(bots).map(Self::from_bots)
    }

    /// Sets the conventions that the filter obeys, such as META robots and `googleoff` comments.
    /// The default is the preset `web`.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Filter};
    ///
    /// let page = b"<p>one <!--googleoff: index-->two<!--googleon: index-->";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["one"]);
    /// let filter = filter.conventions("web,-googleoff".parse::<Conventions>()?);
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["one two"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn conventions(mut self, conventions: Conventions) -> Self {
        self.terms_mut().set_conventions(conventions);
        self
    }

    /// Denies the uses in `denies` for every page whose URL matches `pattern`. The denial is a rule
    /// of the program's operator, in addition to the statements of publishers. Each call adds one
    /// denial.
    ///
    /// A pattern that begins with `/` is matched against path and query, as in robots.txt. Any
    /// other pattern is matched against the whole URL. The pattern `*` matches every page.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Setting`](crate::ErrorKind::Setting) if `pattern` does not begin with
    /// `/` or `*`, and does not contain `://`.
    ///
    /// ```
    /// use heedful::{Bot, Use, Uses, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).deny(Uses::parse("nosnippet")?, "/drafts/")?;
    /// let page = filter.page("https://example.com/drafts/rye", &[], b"<p>Rye")?;
    /// assert!(page.policy().allows(Use::Index) && !page.policy().allows(Use::Snippet));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn deny(mut self, denies: Uses, pattern: &str) -> Result<Self> {
        self.terms_mut().deny(denies, pattern)?;
        Ok(self)
    }

    /// Sets the mode in which every robots.txt is interpreted. By default a robots.txt is
    /// interpreted by RFC 9309, or by the mode that
    /// [`RobotsTxt::mode`](heedful_robots::RobotsTxt::mode) has set for this file.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Mode, RobotsTxt};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).robots_mode(Mode::Text1994);
    /// let mut pass = filter.open("https://example.com/private/open")?;
    /// let robots = b"User-agent: *\nDisallow: /private/\nAllow: /private/open";
    /// pass.robots_txt(&RobotsTxt::parse(robots));
    /// assert!(!pass.end()?.policy().may_fetch()); // in 1994 there was no Allow
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_mode(mut self, mode: Mode) -> Self {
        self.terms_mut().mode = Some(mode);
        self
    }

    /// Sets the landmarks, such as `main` and `nav`, whose text is read. By default all text is
    /// read. Text in other landmarks is left out of the body text and the alternative texts of each
    /// page. A phrase ends where text is left out. Links in other landmarks have no anchor text.
    /// Text that a publisher withholds stays withheld in every landmark.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let page = b"<nav>Bread <a href=/oat>Oat</a></nav><main>Rye</main><footer>2026</footer>";
    /// let filter = Filter::new(Bot::new("FooBot")?).landmarks("main,none".parse()?);
    /// let page = filter.page("https://example.com/", &[], page)?;
    /// assert_eq!(page.phrases(), ["Rye"]);
    /// assert_eq!(page.links().len(), 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn landmarks(mut self, landmarks: Landmarks) -> Self {
        self.terms_mut().landmarks = landmarks;
        self
    }

    /// Sets the URI with which a page declares that it follows the Robot Exclusion Profile. The
    /// default is the URI in the profile's draft, `http://example.org/xmdp/robots-profile#`.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let page = b"<head profile='https://example.com/ours'>
    ///     <p class=robots-noindex>one <b class=robots-index>two</b>";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let undeclared = filter.page("https://example.com/", &[], page)?;
    /// assert!(undeclared.phrases().is_empty()); // denials only
    /// let filter = filter.profile("https://example.com/ours");
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["two"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn profile(mut self, uri: &str) -> Self {
        uri.clone_into(&mut self.terms_mut().profile.uri);
        self
    }

    /// Sets the callback that provides Names pages of the Robot Exclusion Profile. A Names page
    /// gives numbers to bots. `resolve` receives the URL of a Names page, and returns the names in
    /// it, or `None` if the page is unknown.
    ///
    /// By default there is no callback for Names pages, so every Names page is unknown. A denial of
    /// the Robot Exclusion Profile for a numbered bot then binds every bot. An allowance for a
    /// numbered bot binds none.
    ///
    /// ```
    /// use heedful::{Bot, Filter, ProfileNames};
    ///
    /// let page = b"<head profile='http://example.org/xmdp/robots-profile#'>
    ///     <link rel=RobotExclusion.Names href=/names><p>one <b class=robot1-noindex>two</b>";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["one"]);
    ///
    /// let names = b"<meta name=RobotExclusion.RobotName1 content=BarBot>";
    /// let filter = filter.names(move |_url| ProfileNames::read(names).ok());
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["one two"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    ///
    /// ```
    /// use heedful::{Bot, Filter, ProfileNames};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let names = "https://example.com/names";
    /// let filter = filter.names(move |url| (url == names).then(ProfileNames::default));
    /// let page = filter.page("https://example.com/", &[], b"<p>one")?;
    /// assert_eq!(page.phrases(), ["one"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn names(
        mut self,
        resolve: impl Fn(&str) -> Option<ProfileNames> + Send + Sync + 'static,
    ) -> Self {
        self.terms_mut().profile.resolver = Some(NamesResolver::new(resolve));
        self
    }

    /// Sets the callback that provides RSL documents (licences of Really Simple Licensing).
    /// `resolve` receives the absolute URL of an RSL document to which a page, a header or a
    /// robots.txt refers. `resolve` returns `None` if it does not have this document. It is called
    /// once for each URL in a page. By default there is no callback, so every document is missing.
    /// A missing document denies nothing, and a note of the kind
    /// [`NoteKind::Terms`](crate::NoteKind::Terms) reports it.
    ///
    /// ```
    /// use heedful::{Bot, Use, Filter, Licence};
    ///
    /// let document = b"<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license>\
    ///     <prohibits type='usage'>ai-train\
    ///     </prohibits></license></content></rsl>";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let filter = filter.licences(|url| url.ends_with("/rsl.xml").then(|| Licence::read(document)));
    /// let html = b"<link rel=license type=application/rsl+xml href=/rsl.xml><p>one";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// assert!(!page.policy().allows(Use::Train));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn licences(
        mut self,
        resolve: impl Fn(&str) -> Option<Licence> + Send + Sync + 'static,
    ) -> Self {
        self.terms_mut().licences = Licences::new(resolve);
        self
    }

    /// Sets the limits of each pass. The default is [`Limits::default`].
    ///
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().page_bytes(10));
    /// let error = filter.page("https://example.com/", &[], b"<p>too long a page").unwrap_err();
    /// assert_eq!(error.passed_limit(), Some("page_bytes"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms_mut().limits = limits;
        self
    }

    /// Sets the time at which pages are judged. A page may not be indexed if its
    /// `unavailable_after` is before this time. By default, the time is that of the system clock.
    ///
    /// ```
    /// use std::time::SystemTime;
    ///
    /// use heedful::{Bot, Use, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let html = b"<meta name=robots content='unavailable_after: 2020-01-01'><p>old";
    /// assert!(!filter.page("https://example.com/", &[], html)?.policy().allows(Use::Index));
    /// let then = filter.now(SystemTime::UNIX_EPOCH);
    /// assert!(then.page("https://example.com/", &[], html)?.policy().allows(Use::Index));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn now(mut self, now: SystemTime) -> Self {
        self.clock = Clock::At(now);
        self
    }

    /// Enables [`Page::snapshot`]: each pass keeps the HTML source of its page in memory. By
    /// default the source is not kept.
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let html = b"<p>one</p><p class=robots-noarchive>two</p>";
    /// let page = filter.page("https://example.com/", &[], html)?;
    /// assert_eq!(page.snapshot(&Dressing::default()).as_deref(), Some("<p>one</p><p>[...]</p>"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn snapshots(mut self) -> Self {
        self.snapshots = true;
        self
    }

    /// Returns the conventions that this filter obeys.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert!(filter.get_conventions().has("googleoff"));
    /// assert!(!filter.get_conventions().has("noindex-record")); // not in the preset `web`
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn get_conventions(&self) -> &Conventions {
        &self.terms.conventions
    }

    /// Returns the limits of this filter. Code that collects the bytes of pages for this filter
    /// should obey the same limits.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Limits};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).limits(Limits::default().page_bytes(1000));
    /// let room = filter.get_limits().page_bytes;
    /// assert_eq!(room, 1000);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn get_limits(&self) -> &Limits {
        &self.terms.limits
    }

    /// Returns the user's own rules in [`Conventions`] that have matched nothing so far. Such a
    /// rule may be misspelt. A rule for regions or elements is returned if no page has had such a
    /// region or element. A denial of [`Conventions::page`] is returned if it has matched no URL.
    /// Each rule is spelt as on the command line. If a rule matches in a pass of one clone of the
    /// filter, it counts as matched in all clones.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Uses, Filter};
    ///
    /// let noindex = Uses::parse("noindex")?;
    /// let conventions = Conventions::parse("meta")?
    ///     .page("/rye", noindex)?
    ///     .page("/wheat", noindex)?
    ///     .element("nav", noindex)?;
    /// assert!(conventions.to_string().ends_with(" noindex=/rye noindex=/wheat noindex=nav"));
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
    /// filter.clone().page("https://example.com/rye", &[], b"<p>one")?;
    /// assert_eq!(filter.unmatched_rules().collect::<Vec<_>>(), ["noindex=nav", "noindex=/wheat"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unmatched_rules(&self) -> impl Iterator<Item = String> {
        self.terms.unmatched_rules()
    }

    /// Returns the denials of [`Filter::deny`] that have matched no URL so far. Each denial is
    /// spelt as on the command line. If a denial matches in a pass of one clone of the filter, it
    /// counts as matched in all clones. Denials of [`Conventions::page`] are not included: see
    /// [`Filter::unmatched_rules`].
    ///
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    ///
    /// let noindex = Uses::parse("noindex")?;
    /// let filter = Filter::new(Bot::new("FooBot")?)
    ///     .deny(noindex, "/drafts/")?
    ///     .deny(noindex, "/darfts/")?;
    /// filter.page("https://example.com/drafts/rye", &[], b"<p>one")?;
    /// assert_eq!(filter.unmatched_denials().collect::<Vec<_>>(), ["noindex=/darfts/"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unmatched_denials(&self) -> impl Iterator<Item = String> {
        self.terms.unmatched_denials()
    }

    /// Filters a page that is in memory. Returns the page as the filter's first bot may have it.
    ///
    /// `headers` has the name and the value of each header line of the response, as received. Give
    /// all header lines, since a publisher may forbid in a header what the page itself allows.
    /// Decode a value that is not UTF-8 with [`String::from_utf8_lossy`]. For a page without a
    /// response, give `&[]`.
    ///
    /// This method reads no robots.txt. To apply a robots.txt, see
    /// [`RobotsTxt::ruling`](heedful_robots::RobotsTxt::ruling) and [`Pass::robots_txt`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Url`](crate::ErrorKind::Url) if `url` is not an absolute URL. Returns
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the page exceeds a limit. Returns
    /// [`ErrorKind::Ambiguous`](crate::ErrorKind::Ambiguous) if two HTML parsers would find
    /// different text in the page.
    ///
    /// ```
    /// use heedful::{Bot, Use, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let headers = [("Content-Type", "text/html; charset=utf-8"), ("X-Robots-Tag", "noarchive")];
    /// let html = b"<title>Rye</title><p>Dark <a href=/rye>rye</a>";
    /// let page = filter.page("https://example.com/", &headers, html)?;
    /// assert_eq!(page.title(), ["Rye"]);
    /// assert_eq!(page.phrases(), ["Dark rye"]);
    /// assert_eq!(page.links()[0].url(), "https://example.com/rye");
    /// assert!(!page.policy().allows(Use::Archive));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn page(&self, url: &str, headers: &[(&str, &str)], html: &[u8]) -> Result<Page> {
        let mut pass = self.open(url)?;
        for (name, value) in headers {
            pass.header(name, value);
        }
        pass.write(html)?;
        pass.end()
    }

    /// Begins a pass over the page at `url`. The pass records text and links for a [`Page`].
    ///
    /// # Errors
    /// Returns [`ErrorKind::Url`](crate::ErrorKind::Url) if `url` is not an absolute URL. Returns
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the operator's denials for this URL exceed
    /// a limit.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open("https://example.com/rye")?;
    /// pass.write(b"<p>Dark br")?;
    /// pass.write(b"ead")?;
    /// assert_eq!(pass.end()?.phrases(), ["Dark bread"]);
    /// assert!(filter.open("/rye").is_err()); // relative
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn open(&self, url: &str) -> Result<Pass> {
        self.open_with(url, Recorder::new(&self.terms, self.snapshots))
    }

    /// Begins a pass whose tokens go to the caller's [`Sink`], each with its verdict.
    ///
    /// # Errors
    /// Returns the errors of [`Filter::open`]: [`ErrorKind::Url`](crate::ErrorKind::Url) and
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit).
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Judged, PageEnd, Result, Sink, Use};
    ///
    /// #[derive(Default)]
    /// struct Withheld(usize);
    ///
    /// impl Sink for Withheld {
    ///     fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
    ///         self.0 += usize::from(!judged.allows(Use::Index, BotId::FIRST));
    ///         Ok(())
    ///     }
    ///
    ///     fn finish(&mut self, _: &PageEnd) -> Result<()> {
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_with("https://example.com/", Withheld::default())?;
    /// pass.write(b"<p>one <!--noindex-->two<!--/noindex-->")?;
    /// assert_eq!(pass.into_sink()?.0, 1);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn open_with<S: Sink>(&self, url: &str, sink: S) -> Result<Pass<S>> {
        Pass::new(self.terms.clone(), url, self.clock.now(), sink)
    }

    /// Begins a pass that computes only the policies of the page at `url`. A policy states which
    /// uses of the whole page one bot may make. These policies equal those of a pass from
    /// [`Filter::open`]. This pass is several times as fast if the page has no directives for
    /// regions or elements.
    ///
    /// # Errors
    /// Returns the errors of [`Filter::open`]: [`ErrorKind::Url`](crate::ErrorKind::Url) and
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit).
    ///
    /// ```
    /// use heedful::{Bot, BotId, Filter, Use};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let mut pass = filter.open_policies("https://example.com/")?;
    /// pass.write(b"<meta name=robots content=noarchive><p>Dark bread")?;
    /// assert!(!pass.end()?.policy(BotId::FIRST).allows(Use::Archive));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn open_policies(&self, url: &str) -> Result<PolicyPass> {
        Ok(PolicyPass::new(
            self.open_with(url, VerdictSink::new(&self.terms.limits))?,
        ))
    }

    /// Begins a pass that explains every decision about the page at `url`. The explanation contains
    /// the page's whole source, including the parts that are withheld from bots.
    ///
    /// ```
    /// use heedful::{Bot, BotId, DirectiveOutcome, Filter};
    ///
    /// let mut pass = Filter::new(Bot::new("FooBot")?).explain("https://example.com/")?;
    /// pass.write(b"<p>one <!--noindex--> two <!--/noindex--></p><!--noindex--><!--/noindex-->")?;
    /// let explanation = pass.end()?;
    /// let directives = explanation.directives().iter();
    /// let texts: Vec<_> = directives.map(|explained| explained.directive().text()).collect();
    /// assert_eq!(texts, ["<!--noindex-->", "<!--noindex-->"]);
    /// let effects = explanation.effects(BotId::FIRST);
    /// let outcomes: Vec<_> = effects.iter().map(|effects| effects[0].outcome()).collect();
    /// assert_eq!(outcomes, [DirectiveOutcome::Obeyed, DirectiveOutcome::Idle]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Filter::open`]: [`ErrorKind::Url`](crate::ErrorKind::Url) and
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit).
    pub fn explain(&self, url: &str) -> Result<Pass<ExplainSink>> {
        let recorder = Recorder::new(&self.terms, true);
        let mut pass = self.open_with(url, ExplainSink::new(recorder, self.terms.bots.all()))?;
        pass.record_lifts();
        Ok(pass)
    }

    fn from_bots(bots: Bots) -> Self {
        Self {
            terms: Arc::new(PassTerms::new(bots)),
            snapshots: false,
            clock: Clock::System,
        }
    }

    fn terms_mut(&mut self) -> &mut PassTerms {
        Arc::make_mut(&mut self.terms)
    }
}

// Methods that only heedful's own crates use.
impl Filter {
    #[doc(hidden)]
    pub fn asks_for_pagefind_sites(&self) -> bool {
        self.terms.conventions.has(PAGEFIND_BODY)
    }

    /// Adds sites that have a page with the attribute `data-pagefind-body`. On the pages of these
    /// sites, only elements with that attribute may be indexed. A site is given as scheme, host and
    /// port.
    #[doc(hidden)]
    pub fn pagefind_sites(mut self, sites: &HashSet<String>) -> Self {
        if !sites.is_empty() {
            let known = &mut self.terms_mut().pagefind_sites;
            *known = Arc::new(known.union(sites).cloned().collect());
        }
        self
    }

    #[doc(hidden)]
    pub fn asks_for_names(&self) -> bool {
        self.terms.conventions.reads_profile()
    }

    /// Returns the time that this filter compares with expiry dates. Returns `None` if none of
    /// `policies` has an expiry date, or if the filter has no clock.
    #[doc(hidden)]
    pub fn expiry_clock<'p>(
        &self,
        mut policies: impl Iterator<Item = &'p Policy>,
    ) -> Option<SystemTime> {
        if policies.any(|policy| policy.unavailable_after().is_some()) {
            self.clock.now()
        } else {
            None
        }
    }

    /// Returns the RSL document at `url`, or `None` if the callback of [`Filter::licences`] does
    /// not have it.
    #[doc(hidden)]
    pub fn licence_at(&self, url: &str) -> Option<Licence> {
        self.terms.licences.find(url)
    }

    /// True if [`Filter::names`] has set a callback for Names pages of the Robot Exclusion Profile.
    #[doc(hidden)]
    pub fn has_names(&self) -> bool {
        self.terms.profile.resolver.is_some()
    }

    /// Returns the names in the Names page at `url`. A Names page gives numbers to bots. Returns
    /// `None` if the callback of [`Filter::names`] does not know this page, or if there is no
    /// callback.
    #[doc(hidden)]
    pub fn names_at(&self, url: &str) -> Option<ProfileNames> {
        self.terms.profile.resolver.as_ref()?.names_at(url)
    }

    #[doc(hidden)]
    pub fn without_clock(mut self) -> Self {
        self.clock = Clock::Never;
        self
    }

    /// Disables the shortcuts of each pass. Tests compare a pass without shortcuts with one that
    /// uses them. Without shortcuts, every token passes through all stages, and every verdict is
    /// computed again at the end of the page. The lexer also compares its start tags with those
    /// that the tokenizer reports.
    #[doc(hidden)]
    pub fn thorough(mut self) -> Self {
        self.terms_mut().is_thorough = true;
        self
    }
}

/// Source of the time that a filter compares with the `unavailable_after` of pages.
#[derive(Clone, Copy, Debug)]
enum Clock {
    System,
    At(SystemTime),
    /// There is no time, so no page counts as expired.
    Never,
}

impl Clock {
    fn now(self) -> Option<SystemTime> {
        match self {
            Self::System => Some(SystemTime::now()),
            Self::At(time) => Some(time),
            Self::Never => None,
        }
    }
}
