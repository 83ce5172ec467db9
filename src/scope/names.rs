//! Declarations about the Robot Exclusion Profile itself: that a page follows the profile, and
//! which bots its robot numbers mean.
//!
//! A robot number of the Robot Exclusion Profile is resolved to bots when a statement is read, and
//! again at the end of the page (docs/semantics.md, section 4.3). For content before its
//! declaration, a name can add denials but no allowances.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use url::Url;

use crate::charset::Charset;
use crate::convention::{self, Conventions, Declaration, Recipients, StatementCollector};
use crate::lex::{Lexer, Token, TokenKind};
use crate::note::{Note, NoteKind};
use crate::place::Place;
use heedful_base::address::Key;
use heedful_base::bot::{BotSet, Bots};
use heedful_base::error::{Error, Result};
use heedful_base::limits::{Limits, size};

/// Names of bots, by the robot numbers of the Robot Exclusion Profile. They are read from a *Names
/// page*: an HTML page that lists names of bots. Other pages link to the Names page.
///
/// ```
/// use heedful::{Bot, Filter, ProfileNames};
/// let page = br#"<meta name="RobotExclusion.RobotName3" content="Evil Bot">"#;
/// let names = ProfileNames::read(page)?;
/// let filter = Filter::new(Bot::new("Evil Bot")?).names(move |_url| Some(names.clone()));
/// let html = br#"<link rel="RobotExclusion.Names" href="/bots.html">
///     <p>for all <b class="robot3-noindex">not for Evil Bot</b>"#;
/// assert_eq!(filter.page("https://example.com/", &[], html)?.phrases(), ["for all"]);
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProfileNames(Vec<(u32, String)>);

impl ProfileNames {
    /// Appends the names of another Names page (a page that lists names of bots).
    ///
    /// ```
    /// use heedful::ProfileNames;
    ///
    /// let ours = ProfileNames::read(br#"<meta name="RobotExclusion.RobotName3" content=Foo>"#)?;
    /// let theirs = ProfileNames::read(br#"<meta name="RobotExclusion.RobotName4" content=Bar>"#)?;
    /// assert_eq!(ours.and(&theirs).into_iter().count(), 2);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn and(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    /// Parses a Names page: an HTML page that lists names of bots, each with a robot number. Each
    /// name is in a META tag, such as `<meta name="RobotExclusion.RobotName3" content="Foo Bot">`.
    ///
    /// # Errors
    /// Returns an error if the Names page exceeds a default limit, or if its markup is ambiguous.
    pub fn read(page: &[u8]) -> Result<Self> {
        Self::decoded(page, Charset::from_headers(&[], false))
    }

    #[doc(hidden)]
    pub fn decoded(page: &[u8], charset: Charset) -> Result<Self> {
        let limits = Limits::default();
        if page.len() as u64 > limits.page_bytes {
            return Err(Error::limit("page_bytes", limits.page_bytes));
        }
        let mut names = Vec::new();
        let mut lexer = Lexer::new(&limits);
        let bots = Bots::none();
        let conventions = Conventions::default();
        let mut read_token = |token: &Token<'_>| {
            if token.kind() == TokenKind::Start {
                names.extend(convention::robot_names(
                    token,
                    &mut StatementCollector::new(&bots, &conventions, "", size(limits.statements)),
                ));
            }
            Ok(())
        };
        lexer.write(&charset.decode_page(page), &mut read_token)?;
        lexer.end(&mut read_token)?;
        Ok(Self(names))
    }
}

/// Iterates over the pairs of a robot number and a name.
impl IntoIterator for ProfileNames {
    type Item = (u32, String);
    type IntoIter = std::vec::IntoIter<(u32, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

type ResolveNames = dyn Fn(&str) -> Option<ProfileNames> + Send + Sync;

/// Callback that returns the names in the Names page (a page that lists names of bots) at an
/// absolute URL.
#[derive(Clone)]
pub(crate) struct NamesResolver(Arc<ResolveNames>);

impl NamesResolver {
    pub(crate) fn new(
        resolve: impl Fn(&str) -> Option<ProfileNames> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(resolve))
    }

    pub(crate) fn names_at(&self, url: &str) -> Option<ProfileNames> {
        (self.0)(url)
    }
}

impl std::fmt::Debug for NamesResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Resolver")
    }
}

/// URI of the Robot Exclusion Profile, and the callback that reads Names pages (pages that list
/// names of bots).
#[derive(Clone, Debug)]
pub struct ProfileTerms {
    #[doc(hidden)]
    pub uri: String,
    pub(crate) resolver: Option<NamesResolver>,
}

impl Default for ProfileTerms {
    fn default() -> Self {
        Self {
            uri: "http://example.org/xmdp/robots-profile#".to_owned(),
            resolver: None,
        }
    }
}

impl ProfileTerms {
    /// Returns the names in the Names page (a page that lists names of bots) at `address`, which is
    /// relative to `base`. Returns `None` if the page is not available.
    fn look_up(&self, base: &Url, address: &str) -> Option<ProfileNames> {
        let resolver = self.resolver.as_ref()?;
        let url = base.join(address).ok()?;
        resolver.names_at(Key::of_url(&url).as_str())
    }
}

/// State of the Robot Exclusion Profile in one page.
#[derive(Clone, Debug)]
pub struct Profile {
    all: BotSet,
    is_lenient: bool,
    is_declared: bool,
    /// True if the page's declaration of the profile had to be repaired to be valid. Then only the
    /// profile's denials are obeyed.
    is_repaired: bool,
    /// Bots that each robot number means. A number may have several names, and each name means a
    /// set of bots. The first set in the pair has every bot that at least one of the names means.
    /// The second set has only the bots that all of the names mean.
    numbers: HashMap<u32, (BotSet, BotSet)>,
    /// Addresses, as written in the page, of the Names pages (pages that list names of bots) that
    /// were looked up.
    pages: HashSet<String>,
    /// Place at which the page refers to a Names page (a page that lists names of bots) that is not
    /// available. Also set if the base URL of the page has changed after such a reference.
    unresolved: Option<Place>,
    /// Place of the first HTML class of the profile, for a note if the page does not declare the
    /// profile.
    first_class: Option<Place>,
    /// Place of the first HTML class of the profile that allows a use.
    first_allowance: Option<Place>,
    used: BTreeMap<u32, Place>,
}

impl Profile {
    #[doc(hidden)]
    pub fn new(bots: &Bots, conventions: &Conventions) -> Self {
        Self {
            all: bots.all(),
            is_lenient: conventions.profile_is_lenient(),
            is_declared: false,
            is_repaired: false,
            numbers: HashMap::new(),
            pages: HashSet::new(),
            unresolved: None,
            first_class: None,
            first_allowance: None,
            used: BTreeMap::new(),
        }
    }

    /// Returns all bots of the pass.
    pub(crate) fn all(&self) -> BotSet {
        self.all
    }

    /// Returns the bots that a statement addresses, by the names declared so far. `denies` is true
    /// if the statement is a denial.
    #[doc(hidden)]
    pub fn bots(&self, recipients: Recipients, denies: bool) -> BotSet {
        let number = match recipients {
            Recipients::Bots(bots) | Recipients::Unless(bots) => return bots,
            Recipients::Profile(number) => number,
        };
        let counts = self.is_declared || denies && (self.is_lenient || self.is_repaired);
        match number {
            _ if !counts => BotSet::NONE,
            None => self.all,
            Some(number) => self.bots_of_number(number, denies),
        }
    }

    /// Returns the bots to which a robot number refers. If the number has several names, a denial
    /// addresses the bots of each name. An allowance addresses only the bots that all names have in
    /// common.
    ///
    /// A number without a name refers to no bots, with one exception. If a Names page (a page that
    /// lists names of bots) is not available, a denial addresses all bots.
    fn bots_of_number(&self, number: u32, denies: bool) -> BotSet {
        match self.numbers.get(&number) {
            Some((some, _)) if denies => *some,
            Some((_, all)) => *all,
            None if denies && self.unresolved.is_some() => self.all,
            None => BotSet::NONE,
        }
    }

    /// Adds a name, which means `bots`, for a robot number. Returns true if this changes the
    /// number's bots.
    fn add_name(&mut self, number: u32, bots: BotSet) -> bool {
        let before = self.numbers.get(&number).copied();
        let (some, all) = before.unwrap_or((bots, bots));
        let now = (some.or(bots), all.and(bots));
        self.numbers.insert(number, now);
        before != Some(now)
    }

    /// Records the place of an HTML class of the Robot Exclusion Profile, for the notes at the
    /// page's end.
    pub(crate) fn record_use(&mut self, recipients: Recipients, denies: bool, place: Place) {
        let Recipients::Profile(number) = recipients else {
            return;
        };
        self.first_class.get_or_insert(place);
        if !denies {
            self.first_allowance.get_or_insert(place);
        }
        if let Some(number) = number {
            self.used.entry(number).or_insert(place);
        }
    }

    /// Applies a declaration about the Robot Exclusion Profile at `place`. Returns true if the
    /// declaration is new.
    #[doc(hidden)]
    pub fn declare(
        &mut self,
        declaration: Declaration,
        bots: &Bots,
        terms: &ProfileTerms,
        base: &Url,
        place: Place,
    ) -> bool {
        match declaration {
            Declaration::Profile => !std::mem::replace(&mut self.is_declared, true),
            Declaration::MeantProfile => !std::mem::replace(&mut self.is_repaired, true),
            Declaration::Name(number, name) => self.add_name(number, bots.with_name(&name)),
            Declaration::NamesPage(address) => {
                if self.pages.contains(&address) {
                    return false;
                }
                match terms.look_up(base, &address) {
                    Some(ProfileNames(names)) => {
                        for (number, name) in &names {
                            self.add_name(*number, bots.with_name(name));
                        }
                    }
                    None => self.unresolved = self.unresolved.or(Some(place)),
                }
                self.pages.insert(address)
            }
        }
    }

    /// Records that the base URL of the page has changed. A Names page (a page that lists names of
    /// bots) that was looked up earlier may then be the wrong one. So a denial for a robot number
    /// without a name addresses all bots, as if a Names page were not available.
    #[doc(hidden)]
    pub fn base_changed(&mut self, place: Place) {
        if !self.pages.is_empty() {
            self.unresolved = self.unresolved.or(Some(place));
        }
    }

    fn note(&self, kind: NoteKind, place: Place, message: String) -> Note {
        Note {
            kind,
            bots: self.all,
            convention: Some("profile"),
            place: Some(place),
            message,
            left_out: 0,
        }
    }

    /// Returns the place of the first HTML class of the Robot Exclusion Profile. `None` if the page
    /// declares the profile.
    pub(crate) fn undeclared(&self) -> Option<Place> {
        self.first_class.filter(|_| !self.is_declared)
    }

    /// Calls `tell` with a note for each mistake of the publisher: HTML classes of the Robot
    /// Exclusion Profile on a page that does not declare it, and robot numbers without a name.
    pub(crate) fn report_notes(&self, uri: &str, tell: &mut impl FnMut(Note)) {
        let silent = if self.is_lenient || self.is_repaired {
            self.first_allowance
        } else {
            self.first_class
        };
        if let (Some(place), false) = (silent, self.is_declared) {
            let which = if self.is_lenient || self.is_repaired {
                "its classes that allow do"
            } else {
                "its classes do"
            };
            let message = format!(
                "{which} nothing here: no `<head profile>` or `<link>` names the profile {uri}"
            );
            tell(self.note(NoteKind::UndeclaredProfile, place, message));
        }
        let unknown = self
            .used
            .iter()
            .filter(|(number, _)| !self.numbers.contains_key(number));
        for (number, place) in unknown {
            let message = match self.unresolved {
                Some(_) => format!(
                    "a page that is not available names robot{number}: its denials apply to every bot"
                ),
                None => {
                    format!(
                        "no META `RobotExclusion.RobotName{number}` says who is robot{number}: it binds nobody"
                    )
                }
            };
            tell(self.note(NoteKind::UnknownRobot, *place, message));
        }
    }
}
