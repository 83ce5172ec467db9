//! The settings of passes: what is obeyed, for whom, within which limits. They may be used again
//! and shared between threads.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::SystemTime;

use crate::convention::{Conventions, PAGEFIND_BODY};
use crate::explain::ExplainSink;
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

/// The settings of a pass: conventions, bots and limits. Reusable, and may be shared between threads.
#[derive(Clone, Debug)]
#[must_use]
pub struct Filter {
    #[doc(hidden)]
    pub terms: Arc<PassTerms>,
    snapshots: bool,
    clock: Clock,
}

/// The clock by which a page is past its `unavailable_after`.
#[derive(Clone, Copy, Debug)]
enum Clock {
    System,
    At(SystemTime),
    /// It is before everything: nothing has expired.
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

impl Filter {
    /// A filter for one bot, with the conventions of the preset `web` and the default limits.
    pub fn new(bot: Bot) -> Self {
        Self::from_bots(Bots::one(bot))
    }

    /// A filter that reads each page once for several bots.
    ///
    /// # Errors
    /// Fails with no bot, or with more than [`BotSet::MAX`](heedful_base::bot::BotSet::MAX).
    pub fn for_bots(bots: Vec<Bot>) -> Result<Self> {
        Bots::new(bots).map(Self::from_bots)
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

    /// Sets the conventions to obey.
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

    /// Sets the limits of a pass.
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

    /// The conventions of this filter.
    pub fn conventions_set(&self) -> &Conventions {
        &self.terms.conventions
    }

    /// The limits of this filter. Code that reads pages for the filter keeps to them too.
    pub fn limits_set(&self) -> &Limits {
        &self.terms.limits
    }

    /// Sets the URI by which a page declares the Robot Exclusion Profile. The default is the
    /// draft's `http://example.org/xmdp/robots-profile#`.
    ///
    /// ```
    /// use heedful::{Bot, Filter};
    ///
    /// let page = b"<head profile='https://example.com/ours'><p class=robots-noindex>one <b class=robots-index>two</b>";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// assert!(filter.page("https://example.com/", &[], page)?.phrases().is_empty()); // undeclared: denials only
    /// let filter = filter.profile("https://example.com/ours");
    /// assert_eq!(filter.page("https://example.com/", &[], page)?.phrases(), ["two"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn profile(mut self, uri: &str) -> Self {
        uri.clone_into(&mut self.terms_mut().profile.uri);
        self
    }

    /// Sets how Names pages are found: `resolve` gets the URL of one, and returns its content or
    /// nothing. Without a resolver no Names page is known. Then the profile's denials for a bot by
    /// number bind every bot, and its allowances bind none.
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

    /// Sets how RSL documents are found, by the whole address that a page, a header or a robots.txt
    /// gives. A document that is not found denies nothing, and is reported in a note (`terms`). The
    /// function is called once for each pointer of each page.
    ///
    /// ```
    /// use heedful::{Bot, Use, Filter, Licence};
    ///
    /// let document = b"<rsl xmlns='https://rslstandard.org/rsl'><content url='/'><license><prohibits type='usage'>ai-train\
    ///     </prohibits></license></content></rsl>";
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let filter = filter.licences(|url| url.ends_with("/rsl.xml").then(|| Licence::read(document)));
    /// let page = filter.page("https://example.com/", &[], b"<link rel=license type=application/rsl+xml href=/rsl.xml><p>one")?;
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

    #[doc(hidden)]
    pub fn asks_for_pagefind_sites(&self) -> bool {
        self.terms.conventions.has(PAGEFIND_BODY)
    }

    /// Adds sites that have a page with `data-pagefind-body`, as scheme, host and port.
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

    /// The time at which pages are judged, if one of these policies expires.
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

    /// The RSL document at `url`, as far as is known.
    #[doc(hidden)]
    pub fn licence_at(&self, url: &str) -> Option<Licence> {
        self.terms.licences.find(url)
    }

    /// True if Names pages can be found.
    #[doc(hidden)]
    pub fn has_names(&self) -> bool {
        self.terms.profile.resolver.is_some()
    }

    /// The names in the page at `url`, as far as is known.
    #[doc(hidden)]
    pub fn names_at(&self, url: &str) -> Option<ProfileNames> {
        self.terms.profile.resolver.as_ref()?.names_at(url)
    }

    /// Denies more uses, on the operator's behalf, to the pages that a URL pattern matches. A
    /// pattern that begins with `/` is compared with path and query as in robots.txt. Any other
    /// pattern is compared with the whole URL, and `*` alone is about every page.
    ///
    /// # Errors
    /// Fails if the pattern neither begins with `/` or `*` nor is a whole URL.
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

    /// Sets how every robots.txt is read. The default is RFC 9309, or what the file itself says.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Mode, RobotsTxt};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).robots_mode(Mode::Text1994);
    /// let mut pass = filter.open("https://example.com/private/open")?;
    /// pass.robots_txt(&RobotsTxt::parse(b"User-agent: *\nDisallow: /private/\nAllow: /private/open"));
    /// assert!(!pass.end()?.policy().entered()); // in 1994 there was no Allow
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn robots_mode(mut self, mode: Mode) -> Self {
        self.terms_mut().mode = Some(mode);
        self
    }

    /// The user's own regions and elements, as [`Conventions`] have them, that no page had yet, and
    /// the denials of [`Conventions::page`] that were about no page. They are written as on the
    /// command line. A rule with a slip in it is among them. Clones share what was matched.
    ///
    /// ```
    /// use heedful::{Bot, Conventions, Uses, Filter};
    ///
    /// let noindex = Uses::parse("noindex")?;
    /// let conventions = Conventions::parse("meta")?.page("/rye", noindex)?.page("/wheat", noindex)?.element("nav", noindex)?;
    /// assert!(conventions.to_string().ends_with(" noindex=/rye noindex=/wheat noindex=nav"));
    /// let filter = Filter::new(Bot::new("FooBot")?).conventions(conventions);
    /// filter.clone().page("https://example.com/rye", &[], b"<p>one")?;
    /// assert_eq!(filter.unmet().collect::<Vec<_>>(), ["noindex=nav", "noindex=/wheat"]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unmet(&self) -> impl Iterator<Item = String> {
        self.terms.unmet()
    }

    /// The denials of [`Filter::deny`] that were about no page yet, as on the command line. One
    /// with a slip in its pattern is among them. Clones share what was matched. [`Filter::unmet`]
    /// has those of [`Conventions::page`].
    pub fn unmet_denials(&self) -> impl Iterator<Item = String> {
        self.terms.unmet_denials()
    }

    /// Sets the clock: a page past its `unavailable_after` is not indexed. By default it is the
    /// clock of the system.
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

    /// Keeps each page's source to the end of the pass, for [`Page::snapshot`].
    ///
    /// ```
    /// use heedful::{Bot, Dressing, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).snapshots();
    /// let page = filter.page("https://example.com/", &[], b"<p>one</p><p class=robots-noarchive>two</p>")?;
    /// assert_eq!(page.snapshot(&Dressing::default()).as_deref(), Some("<p>one</p><p>[...]</p>"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn snapshots(mut self) -> Self {
        self.snapshots = true;
        self
    }

    #[doc(hidden)]
    pub fn without_clock(mut self) -> Self {
        self.clock = Clock::Never;
        self
    }

    /// Reads every token and judges every place twice, even if that is known to change nothing.
    #[doc(hidden)]
    pub fn thorough(mut self) -> Self {
        self.terms_mut().is_thorough = true;
        self
    }

    /// Begins a page.
    ///
    /// # Errors
    /// Fails if the URL is not absolute.
    pub fn open(&self, url: &str) -> Result<Pass> {
        self.open_with(
            url,
            Recorder::new(&self.terms.bots, &self.terms.limits, self.snapshots),
        )
    }

    /// Begins a page whose tokens go to a sink of the caller's.
    ///
    /// # Errors
    /// As for [`Filter::open`].
    pub fn open_with<S: Sink>(&self, url: &str, sink: S) -> Result<Pass<S>> {
        Pass::new(self.terms.clone(), url, self.clock.now(), sink)
    }

    /// Begins a page of which only the policies are asked for. That is several times as fast as
    /// [`Filter::open`] where no part of the page is marked, and gives the same policies.
    ///
    /// # Errors
    /// As for [`Filter::open`].
    pub fn open_policies(&self, url: &str) -> Result<PolicyPass> {
        Ok(PolicyPass::new(
            self.open_with(url, VerdictSink::new(&self.terms.limits))?,
        ))
    }

    /// Begins a page with an explanation of everything. The explanation also holds the withheld
    /// parts.
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
    /// As for [`Filter::open`].
    pub fn explain(&self, url: &str) -> Result<Pass<ExplainSink>> {
        let recorder = Recorder::new(&self.terms.bots, &self.terms.limits, true);
        let mut pass = self.open_with(url, ExplainSink::new(recorder, self.terms.bots.all()))?;
        pass.record_lifts();
        Ok(pass)
    }

    /// Reads a whole page for the first bot: its URL, the header lines of its response, and its
    /// bytes. A publisher may forbid in a header what the page itself allows, so give all of them:
    /// names and values as they came, a value that is no UTF-8 as [`String::from_utf8_lossy`] reads
    /// it. `&[]` is for a page that came without a response.
    ///
    /// The site's robots.txt is asked apart: see
    /// [`RobotsTxt::ruling`](heedful_robots::RobotsTxt::ruling) and [`Pass::robots_txt`].
    ///
    /// # Errors
    /// As for [`Filter::open`], [`Pass::write`] and [`Pass::end`].
    ///
    /// ```
    /// use heedful::{Bot, Use, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let headers = [("Content-Type", "text/html; charset=utf-8"), ("X-Robots-Tag", "noarchive")];
    /// let html = b"<title>Rye</title><p>Dark <a href=/rye>rye</a>";
    /// let page = filter.page("https://example.com/", &headers, html)?;
    /// assert_eq!((page.title(), page.phrases()), (&["Rye".to_owned()][..], &["Dark rye".to_owned()][..]));
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
}
