//! Does the work of a run on one page: filtering, judging, explaining or checking the page. A panic
//! becomes an error of that page alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use heedful::{Explanation, Filter, Page, PagePolicies};
use heedful_base::error::{Error, ErrorKind, Result};
use heedful_input::{FetchedPage, Item, Skipped};
use heedful_lint as lint;
use heedful_lint::Linted;

use crate::feed::pass_document;
use crate::gate::{Gate, GateRules};
use crate::outcome::{Filtered, Outcome};

/// Calls `work` for one item of an input, with the rules that `gate` has for it. A panic becomes an
/// error of that page. `number` is the number of the item in the run.
pub(crate) fn outcome<T>(
    item: Item,
    number: u64,
    gate: &Gate,
    headers: &[(String, String)],
    work: impl Fn(&FetchedPage, GateRules<'_>) -> Result<T>,
) -> Outcome<T> {
    let result = |document: &FetchedPage| {
        let result = catch_unwind(AssertUnwindSafe(|| {
            #[cfg(debug_assertions)]
            planted(document, "");
            let gate_rules = GateRules {
                headers,
                ..gate.for_page(document, number)
            };
            work(document, gate_rules)
        }));
        result.unwrap_or_else(|panic| Err(panicked(&*panic)))
    };
    match item {
        Item::Document(document) => match result(&document) {
            Ok(result) => Outcome::Pages(result),
            Err(error) => failed(&document, error),
        },
        Item::Unchanged(document) => match result(&document) {
            Ok(result) => Outcome::Unchanged(result),
            Err(error) => failed(&document, error),
        },
        Item::Skipped(skipped) => match skipped.head().map(|head| (head, result(head))) {
            None => Outcome::Skipped(skipped),
            Some((head, Err(error))) => failed(head, error),
            Some((_, Ok(result))) => Outcome::Head { skipped, result },
        },
        Item::Damage(damage) => Outcome::Damage(damage),
        // A robots.txt gets here only if the caller passes one: the reader of a run keeps them.
        Item::Robots(robots) => Outcome::Skipped(Skipped::of_robots(&robots)),
    }
}

fn failed<T>(document: &FetchedPage, error: Error) -> Outcome<T> {
    Outcome::Failed {
        url: document.url().to_owned(),
        origin: document.origin().clone(),
        captured: document.captured(),
        error,
    }
}

/// Panics if the environment variable `HEEDFUL_PLANTED_BUG` is the page's URL followed by `whose`.
/// `whose` is `#reader` in the code that reads inputs, and otherwise empty. This is for tests;
/// release builds lack this function.
#[cfg(debug_assertions)]
pub(crate) fn planted(document: &FetchedPage, whose: &str) {
    if let Ok(named) = std::env::var("HEEDFUL_PLANTED_BUG")
        && named.strip_suffix(whose) == Some(document.url())
    {
        panic!("planted: {}", String::from_utf8_lossy(document.bytes()));
    }
}

pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let message = if let Some(message) = panic.downcast_ref::<String>() {
        message.as_str()
    } else {
        panic.downcast_ref::<&str>().copied().unwrap_or_default()
    };
    ErrorKind::Internal(message.to_owned()).into()
}

/// Explains the directives of a page. Returns the source of the page, its directives, and the
/// extent and effect of each directive.
///
/// # Errors
/// Fails like [`Filter::page`]: if the URL is not absolute, if a limit is exceeded, or if the
/// markup is ambiguous.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, Outcome, explained, one_with};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Rye <!--noindex-->and rue<!--/noindex-->".to_owned());
/// let mut directives = 0;
/// for item in row.into_items("table", 1) {
///     let outcome = one_with(item, &Gate::default(), &[], |page, rules| {
///         explained(page, &rules, &filter)
///     });
///     if let Outcome::Pages(explanation) = outcome {
///         directives += explanation.directives().len();
///     }
/// }
/// assert_eq!(directives, 1);
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn explained(
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
    filter: &Filter,
) -> Result<Explanation> {
    pass_document(filter.explain(document.url())?, document, gate_rules)?.end()
}

/// Returns the policies of a page: which uses of the page as a whole are allowed. Texts and links
/// are not judged. The policies are computed by [`Filter::open_policies`].
///
/// # Errors
/// Fails like [`Filter::page`]: if the URL is not absolute, if a limit is exceeded, or if the
/// markup is ambiguous.
///
/// ```
/// use heedful_input::Inputs;
/// use heedful_run::{Outcome, Run, judged, survey};
/// use heedful::{Bot, BotId, Use, Filter, Url};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("robots.txt"), "User-agent: *\nDisallow: /private")?;
/// std::fs::write(folder.path().join("private.html"), "<p>private")?;
/// std::fs::write(folder.path().join("rye.html"), "<p>Rye <meta name=robots content=noarchive>")?;
///
/// let inputs = Inputs::default().url("https://example.com/".parse::<Url>()?).open(&[folder.path()])?;
/// let (gate, filter) = survey(&inputs, Filter::new(Bot::new("FooBot")?))?;
/// let mut archived = Vec::new();
/// Run::new(&inputs, &gate, 2).each(
///     |document, gate_rules| judged(document, &gate_rules, &filter),
///     |outcome, _| {
///         if let Outcome::Pages(policies) = outcome {
///             let policy = policies.policy(BotId::FIRST);
///             archived.push((policies.url().to_owned(), policy.may_fetch(), policy.allows(Use::Archive)));
///         }
///         Ok(())
///     },
/// )?;
/// let expected = [("https://example.com/private.html", false, false), ("https://example.com/rye.html", true, false)];
/// assert_eq!(archived, expected.map(|(url, entered, archive)| (url.to_owned(), entered, archive)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn judged(
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
    filter: &Filter,
) -> Result<PagePolicies> {
    filter
        .open_policies(document.url())?
        .with_inputs(|pass| pass_document(pass, document, gate_rules))?
        .end()
}

/// Checks a page for its publisher, and returns the findings. The page is read even if its
/// robots.txt disallows that.
///
/// # Errors
/// Fails like [`Filter::page`]: if the URL is not absolute, if a limit is exceeded, or if the
/// markup is ambiguous.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_input::JsonRow;
/// use heedful_run::{Gate, Outcome, linted, one_with};
///
/// let filter = Filter::new(Bot::new("FooBot")?);
/// let mut row = JsonRow::default();
/// row.url = Some("https://site.example/rye".to_owned());
/// row.html = Some("<p>Rye <!--noindex-->and rue".to_owned());
/// let mut messages = Vec::new();
/// for item in row.into_items("table", 1) {
///     let outcome = one_with(item, &Gate::default(), &[], |page, rules| {
///         linted(page, &rules, &filter)
///     });
///     if let Outcome::Pages(linted) = outcome {
///         messages.extend(linted.findings().iter().map(|finding| finding.message().to_owned()));
///     }
/// }
/// assert!(!messages.is_empty());
/// # Ok::<(), heedful::Error>(())
/// ```
pub fn linted(
    document: &FetchedPage,
    gate_rules: &GateRules<'_>,
    filter: &Filter,
) -> Result<Linted> {
    let open = GateRules {
        headers: gate_rules.headers,
        ..GateRules::default()
    };
    let pass = pass_document(lint::open(filter, document.url())?, document, &open)?;
    lint::end(
        pass,
        document.url(),
        gate_rules.robots.iter().map(AsRef::as_ref),
    )
}

/// Filters one page of a run for all bots of the filter.
///
/// # Errors
/// Fails like [`Filter::page`]: if the URL is not absolute, if a limit is exceeded, or if the
/// markup is ambiguous.
pub fn filtered(
    document: &FetchedPage,
    gate_rules: GateRules<'_>,
    filter: &Filter,
) -> Result<Filtered> {
    let judge = || pass_document(filter.open(document.url())?, document, &gate_rules)?.end_each();
    let now = |pages: &Vec<Page>| filter.expiry_clock(pages.iter().map(Page::policy));
    let (pages, basis) = gate_rules.judging(document, judge, now)?;
    let ruled = pages
        .first()
        .and_then(|page| gate_rules.forbidden_at(page.bot(), document.url()));
    let mut headers = document.headers().iter();
    let date = headers.find(|(name, _)| name.eq_ignore_ascii_case("date"));
    Ok(Filtered {
        bytes: document.bytes().len(),
        ruled,
        pages,
        site_without_robots: gate_rules.site_without_robots,
        is_by_earlier: gate_rules.is_earlier,
        date: date.map(|(_, value)| value.clone()),
        captured: document.captured(),
        record: document.record().map(str::to_owned),
        is_cut: document.is_cut(),
        basis,
    })
}
