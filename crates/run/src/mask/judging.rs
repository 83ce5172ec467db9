//! Computes the answers of a mask from the outcomes of a run.

use std::time::SystemTime;

use crate::gate::{Gate, GateRules};
use crate::outcome::Outcome;
use crate::work::{judged, outcome};
use heedful::{Filter, PagePolicies, Policy, Uses};
use heedful_base::bot::BotId;
use heedful_base::error::Result;
use heedful_index::decision::BotAnswer;
use heedful_index::decision::hex::digest_name_of_bytes;
use heedful_input::{FetchedPage, InputPlace, Item, Skip, Skipped};
use heedful_json::rfc3339;

use super::answer::{AnswerKind, MaskAnswer, forget_places};

/// Settings of a mask: the uses and the bots for which each record has an answer.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::mask::{AnswerKind, MaskQuestions};
/// use heedful_run::{Run, survey};
/// use heedful::{Bot, Use, Uses, Filter};
///
/// let folder = tempfile::tempdir()?;
/// let lines = r#"{"url":"https://example.com/a","html":"<meta name=robots content=noarchive><p>one"}
/// {"url":"https://example.com/b"}"#;
/// std::fs::write(folder.path().join("crawl.jsonl"), lines)?;
/// let inputs = Inputs::default().each_record().open(&[folder.path().join("crawl.jsonl")])?;
/// let (gate, filter) = survey(&inputs, Filter::new(Bot::new("FooBot")?))?;
/// let asking = MaskQuestions::new(Uses::parse_names("index,archive")?, &filter);
/// let mut answers = Vec::new();
/// Run::new(&inputs, &gate, 1).each(
///     |document, gate_rules| asking.page(document, &gate_rules, &filter),
///     |outcome, _| Ok(answers.push(asking.answer(outcome))),
/// )?;
/// assert!(answers[0].allow.allows(Use::Index) && !answers[0].allow.allows(Use::Archive));
/// assert_eq!(answers[1].kind, AnswerKind::Unknown);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct MaskQuestions {
    pub(super) uses: Uses,
    pub(super) bots: Vec<String>,
    pub(super) parts: bool,
    digests: bool,
}

impl MaskQuestions {
    /// Creates settings of a mask for these uses, and for the bots of a filter.
    pub fn new(uses: Uses, filter: &Filter) -> Self {
        let bots = filter.terms.bots.list();
        Self {
            uses,
            bots: bots.iter().map(|bot| bot.name().to_owned()).collect(),
            parts: false,
            digests: true,
        }
    }

    /// Makes each answer of the mask also list the uses that are denied only for a part of its
    /// page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_input::JsonRow;
    /// use heedful_run::{Gate, mask::MaskQuestions};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("index")?, &filter).parts();
    /// let mut row = JsonRow::default();
    /// row.url = Some("https://site.example/rye".to_owned());
    /// row.html = Some("<p>Rye <!--noindex-->and rue<!--/noindex-->".to_owned());
    /// for item in row.into_record("table", 1) {
    ///     let answer = asking.answer_item(item, &filter, &Gate::default());
    ///     assert_eq!(answer.bots[0].parts, Some(vec!["index".to_owned()]));
    /// }
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn parts(mut self) -> Self {
        self.parts = true;
        self
    }

    /// Makes each answer of the mask omit the digest of its page.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Uses};
    /// use heedful_input::JsonRow;
    /// use heedful_run::{Gate, mask::MaskQuestions};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("index")?, &filter);
    /// let mut has_digest = Vec::new();
    /// for asking in [asking.clone(), asking.without_digests()] {
    ///     let mut row = JsonRow::default();
    ///     row.url = Some("https://site.example/rye".to_owned());
    ///     row.html = Some("<p>Rye".to_owned());
    ///     for item in row.into_record("table", 1) {
    ///         has_digest.push(asking.answer_item(item, &filter, &Gate::default()).digest.is_some());
    ///     }
    /// }
    /// assert_eq!(has_digest, [true, false]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn without_digests(mut self) -> Self {
        self.digests = false;
        self
    }

    /// Returns the uses for which each record of the mask has an answer.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns the names of the bots for which each record of the mask has an answer.
    pub fn bots(&self) -> &[String] {
        &self.bots
    }

    /// Judges a page, and returns the answer of the mask for this page. This method is a `work`
    /// function for [`Run::each`](crate::Run::each).
    ///
    /// # Errors
    /// Fails in the same cases as [`Filter::page`](heedful::Filter::page): the URL is not absolute,
    /// a limit is exceeded, or the markup is ambiguous.
    pub fn page(
        &self,
        document: &FetchedPage,
        gate_rules: &GateRules<'_>,
        filter: &Filter,
    ) -> Result<MaskAnswer> {
        let now =
            |judged: &PagePolicies| filter.expiry_clock(judged.ids().map(|bot| judged.policy(bot)));
        let (judged, basis) =
            gate_rules.judging(document, || judged(document, gate_rules, filter), now)?;
        let answers = judged.ids().zip(&self.bots).map(|(bot, name)| {
            let parts = self.parts.then(|| self.parts_of(&judged, bot));
            BotAnswer::from_policy(name, judged.policy(bot), self.uses, parts)
        });
        let mut answer = MaskAnswer {
            digest: self.digests.then(|| digest_name_of_bytes(document.bytes())),
            basis,
            ..MaskAnswer::page(answers.collect(), self.uses)
        };
        answer.judged_by(judged.robots_state());
        answer.stands_at(Some(document.origin()));
        answer.is_about(Some(document.url()), document.captured());
        answer.record = document.record().map(str::to_owned);
        Ok(answer)
    }

    fn parts_of(&self, judged: &PagePolicies, bot: BotId) -> Vec<String> {
        let uses = self.uses.iter();
        let withheld = uses.filter(|usage| judged.has_parts(*usage, bot));
        withheld.map(|usage| usage.name().to_owned()).collect()
    }

    /// Returns the answer of the mask for a URL whose page was not read. `policies` are the
    /// policies that [`UrlPolicies`](crate::UrlPolicies) computes for that URL.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use, Uses};
    /// use heedful_run::{Gate, UrlPolicies, mask::MaskQuestions};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?).deny(Uses::parse_names("train")?, "/news/")?;
    /// let asking = MaskQuestions::new(Uses::parse_names("index,train")?, &filter);
    /// let gate = Gate::default();
    /// let policies = UrlPolicies::new(&gate, &filter).policies("https://site.example/news/1")?;
    /// let answer = asking.policies(&policies);
    /// assert!(answer.allow.allows(Use::Index) && !answer.allow.allows(Use::Train));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn policies(&self, policies: &[Policy]) -> MaskAnswer {
        let answers = policies.iter().zip(&self.bots);
        MaskAnswer::page(
            answers
                .map(|(policy, name)| BotAnswer::from_policy(name, policy, self.uses, None))
                .collect(),
            self.uses,
        )
    }

    /// Converts the outcome of any record to an answer of the mask. For a judged page, returns the
    /// answer in the outcome. All other answers deny all uses. The kind of the answer is then one
    /// of these:
    ///
    /// - For a failed, damaged or unmodified record, the kind is `unknown`.
    /// - A record of a WAT archive has only the headers and METAs of a page. If they deny all uses,
    ///   the kind is `page`, and otherwise `unknown`.
    /// - For a record that is not a page, such as an image, the kind is `none`.
    pub fn answer(&self, outcome: Outcome<MaskAnswer>) -> MaskAnswer {
        match outcome {
            Outcome::Pages(answer) => answer,
            Outcome::Head { skipped, result } => self.of_head(&skipped, result),
            Outcome::Unchanged(seen) => {
                let unknown = self.unknown(Skip::Unchanged.to_string());
                let MaskAnswer {
                    file,
                    unit,
                    at,
                    record,
                    url,
                    date,
                    ..
                } = seen;
                MaskAnswer {
                    file,
                    unit,
                    at,
                    record,
                    url,
                    date,
                    ..unknown
                }
            }
            Outcome::Failed {
                url,
                origin,
                captured,
                error,
            } => {
                let mut answer = self.unknown(error.to_string());
                answer.stands_at(Some(&origin));
                answer.is_about(Some(&url), captured);
                answer
            }
            Outcome::Damage(damage) => {
                let mut answer = self.unknown(damage.error().to_string());
                answer.stands_at(Some(damage.origin()));
                answer.is_about(damage.url(), damage.captured());
                answer
            }
            Outcome::Skipped(skipped) => self.skipped(&skipped),
        }
    }

    /// Returns the answer of the mask for a single item, without a run over inputs. If a panic
    /// occurs, the answer is `unknown`. If the item is a robots.txt, it is not judged. Add the
    /// robots.txt files of a site to the [`Gate`] before its pages are judged.
    ///
    /// ```
    /// use heedful_input::JsonRow;
    /// use heedful_run::mask::{AnswerKind, MaskQuestions};
    /// use heedful_run::Gate;
    /// use heedful::{Bot, Use, Uses, Filter};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("index,archive")?, &filter);
    /// let mut kinds = Vec::new();
    /// for html in [Some("<meta name=robots content=noarchive><p>one"), None] {
    ///     let mut row = JsonRow::default();
    ///     row.url = Some("https://example.com/a".to_owned());
    ///     row.html = html.map(str::to_owned);
    ///     for item in row.into_record("table", 1) {
    ///         let answer = asking.answer_item(item, &filter, &Gate::default());
    ///         assert!(!answer.allow.allows(Use::Archive));
    ///         kinds.push(answer.kind);
    ///     }
    /// }
    /// assert_eq!(kinds, [AnswerKind::Page, AnswerKind::Unknown]);
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn answer_item(&self, item: Item, filter: &Filter, gate: &Gate) -> MaskAnswer {
        self.answer(outcome(item, u64::MAX, gate, &[], |document, at| {
            self.page(document, &at, filter)
        }))
    }

    /// Returns an answer of the kind `unknown` for one record, which denies all uses. `reason`
    /// states why the record cannot be read.
    ///
    /// ```
    /// use heedful::{Bot, Filter, Use, Uses};
    /// use heedful_run::mask::{AnswerKind, MaskQuestions};
    ///
    /// let filter = Filter::new(Bot::new("FooBot")?);
    /// let asking = MaskQuestions::new(Uses::parse_names("index")?, &filter);
    /// let answer = asking.unknown("a torn line");
    /// assert_eq!(answer.kind, AnswerKind::Unknown);
    /// assert!(!answer.allow.allows(Use::Index));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn unknown(&self, reason: impl Into<String>) -> MaskAnswer {
        self.denied(AnswerKind::Unknown, reason)
    }

    /// Converts the answer for headers and METAs alone to an answer for the whole page. If the
    /// headers and METAs deny all uses, so does the answer for the page. Otherwise the answer is
    /// `unknown`, since the rest of the page may deny more. This answer denies all uses, but has
    /// directives only for the uses that the headers and METAs deny.
    fn of_head(&self, skipped: &Skipped, mut head: MaskAnswer) -> MaskAnswer {
        // Lines and columns in the METAs would be places in HTML that nobody else has.
        forget_places(&mut head.bots);
        let is_decided = head.bots.iter().all(|bot| bot.allow.allowed.is_empty());
        if is_decided {
            return MaskAnswer {
                digest: None,
                basis: None,
                ..head
            };
        }
        let unknown = self.skipped(skipped);
        let mut bots = unknown.bots;
        for (bot, known) in bots.iter_mut().zip(head.bots) {
            bot.why = known.why;
        }
        MaskAnswer {
            robots: head.robots,
            robots_status: head.robots_status,
            bots,
            ..unknown
        }
    }

    fn skipped(&self, skipped: &Skipped) -> MaskAnswer {
        let kind = match skipped.why() {
            // The content of such a page is elsewhere.
            Skip::Unchanged | Skip::Wat => AnswerKind::Unknown,
            Skip::Status(_) | Skip::Type | Skip::Hidden | Skip::Other => AnswerKind::None,
        };
        let mut answer = self.denied(kind, skipped.why().to_string());
        answer.stands_at(skipped.origin());
        answer.is_about(skipped.url(), skipped.captured());
        answer.record = skipped.record().map(str::to_owned);
        answer
    }

    pub(super) fn denied(&self, kind: AnswerKind, reason: impl Into<String>) -> MaskAnswer {
        MaskAnswer::denied(kind, reason.into(), self.uses, &self.bots)
    }
}

impl MaskAnswer {
    pub(super) fn stands_at(&mut self, origin: Option<&InputPlace>) {
        let Some((file, at)) = origin.map(InputPlace::place) else {
            return;
        };
        file.clone_into(&mut self.file);
        self.unit = at.map(|(unit, _)| unit.to_owned());
        self.at = at.map(|(_, number)| number);
    }

    fn is_about(&mut self, url: Option<&str>, captured: Option<SystemTime>) {
        self.url = url.map(str::to_owned);
        self.date = captured.and_then(rfc3339);
    }
}
