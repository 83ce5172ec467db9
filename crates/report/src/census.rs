//! Renders a census of pages as one HTML report. Each section has a plot with confidence intervals,
//! and beside the plot a table of the same shares.
//!
//! The bars of a plot are measured in per cent of the plot's width, so labels keep their size on a
//! narrow screen. The HTML loads nothing and has no script. It shows only counts and names of
//! conventions, since a census contains no content of pages.

use std::cmp::Reverse;

use askama::Template;

use heedful::Use;
use heedful_census::{
    Census, CensusRow, CensusStatement, ConventionId, Count, Estimate, PagePlace, StatementSide,
};

use super::render::render;
use super::wording;

/// Maximum number of bars in a plot of the report. The table beside the plot has all rows.
const MOST_BARS: usize = 24;
/// Height of a bar of a plot together with its label, in pixels.
const BAR: usize = 40;

/// A report that shows a census as one HTML page. A census counts the robots markup of many pages.
///
/// ```
/// use heedful::{Bot, Filter};
/// use heedful_census::Counter;
/// use heedful_report::CensusReport;
///
/// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
/// let mut census = counter.census();
/// census.add(&counter.page("https://site.example/", |mut pass| {
///     pass.write(b"<meta name=robots content=noindex><p>Rye")?;
///     Ok(pass)
/// })?);
/// let html = CensusReport::new(&census).html();
/// assert!(html.contains("1 page") && html.contains("meta"));
/// # Ok::<(), heedful::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct CensusReport<'a> {
    census: &'a Census,
}

#[derive(Template)]
#[template(path = "census.html", config = "askama.toml")]
struct CensusView {
    pages: String,
    sites: String,
    /// Sentences of the report about the settings and the sample of the census.
    about: Vec<String>,
    sections: Vec<Section>,
}

/// A section of the census report: a plot, and a table of the same counts.
struct Section {
    id: String,
    title: String,
    note: String,
    plot: Option<Plot>,
    /// Column heads of the section's table. The first column has names. The other columns have
    /// numbers.
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

struct Plot {
    height: usize,
    /// Vertical position of the lower end of the plot's grid lines, in pixels from the top.
    floor: usize,
    /// Vertical grid lines of the plot. Each grid line has a position, a label, and the
    /// `text-anchor` of the label. The position is in per cent of the plot's width.
    ticks: Vec<(f64, String, &'static str)>,
    bars: Vec<Bar>,
}

/// A bar of a plot. All lengths are in per cent of the plot's width, from its left edge.
struct Bar {
    label: String,
    value: String,
    /// Text of the bar's confidence interval. It is hidden on narrow screens.
    interval: String,
    top: usize,
    length: f64,
    /// Length of a second, longer bar that is drawn behind this bar. `None` if there is no second
    /// bar.
    behind: Option<f64>,
    whisker: Option<(f64, f64)>,
}

/// Label and shares of a bar, before the scale of its plot is known.
struct BarData {
    label: String,
    estimate: Estimate,
    behind: Option<Estimate>,
}

/// Texts of a section of the report: its title, a note, and the head of the first column of its
/// table.
struct Heading {
    id: &'static str,
    title: &'static str,
    note: &'static str,
    first_column: &'static str,
}

/// A convention of the census with its counts of pages.
struct ConventionCount {
    row: CensusRow,
    id: ConventionId,
    count: Count,
}

impl<'a> CensusReport<'a> {
    /// Creates a report about a census, with default settings.
    pub fn new(census: &'a Census) -> Self {
        Self { census }
    }

    /// Renders the census report as an HTML page.
    pub fn html(&self) -> String {
        let census = self.census;
        let about = if census.is_sampled() { "about " } else { "" };
        let mut sections = vec![
            self.conventions_by_pages(),
            self.conventions_by_sites(),
            self.subjects(),
        ];
        for (bot, name) in (0..).zip(census.bots()) {
            sections.extend([
                self.denied(bot, name),
                self.text_denied(bot, name),
                self.withheld(bot, name),
            ]);
        }
        sections.extend([self.notes(), self.statements(), self.outcomes()]);
        render(&CensusView {
            pages: wording::count(census.count(CensusRow::Pages).pages, "page"),
            sites: format!("{about}{}", wording::count(census.sites(), "site")),
            about: self.about(),
            sections,
        })
    }

    fn about(&self) -> Vec<String> {
        let census = self.census;
        let bots: Vec<_> = census.bots().collect();
        let entered = wording::count(census.count(CensusRow::Entered).pages, "page");
        let mut about = vec![format!("Read as {}: {entered} let it in.", bots.join(", "))];
        if census.sites_kept() < heedful_census::LEAST_SITES {
            about.push("There are too few sites for intervals.".to_owned());
            return about;
        }
        about.push(match census.sites_kept() {
            _ if census.is_sampled() => format!(
                "Sums are of all pages. Shares of sites, and intervals, are of {} of the sites, chosen by a hash.",
                wording::grouped(census.sites_kept() as u64)
            ),
            _ => "Sums are of all pages.".to_owned(),
        });
        about.push(
            "Whiskers, and the numbers in brackets, are intervals at 95 %, for other sites like these.".to_owned(),
        );
        about
    }

    /// Returns the rows of the census for which `is_wanted` returns true, with their counts of
    /// pages. The row with the most pages comes first.
    fn by_pages(&self, is_wanted: impl Fn(CensusRow) -> bool) -> Vec<(CensusRow, Count)> {
        let mut rows: Vec<_> = self
            .census
            .rows()
            .filter(|(row, _)| is_wanted(*row))
            .collect();
        rows.sort_by_key(|(row, count)| (Reverse((count.pages, count.times)), *row));
        rows
    }

    /// Returns the conventions of the census with their counts of pages. The convention with the
    /// most pages comes first.
    fn conventions(&self) -> Vec<ConventionCount> {
        let mut conventions = Vec::new();
        for (row, count) in self.by_pages(|row| matches!(row, CensusRow::Convention(_))) {
            if let CensusRow::Convention(id) = row {
                conventions.push(ConventionCount { row, id, count });
            }
        }
        conventions
    }

    /// Returns the name of a convention, followed by `(not obeyed)` if the census does not obey it.
    fn name(&self, convention: ConventionId) -> String {
        let word = if self.census.obeys(convention) {
            ""
        } else {
            " (not obeyed)"
        };
        format!("{}{word}", convention.name())
    }

    fn conventions_by_pages(&self) -> Section {
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for convention in self.conventions() {
            let name = self.name(convention.id);
            let share = self.census.share_of_pages(convention.row);
            rows.push(vec![
                name.clone(),
                wording::grouped(convention.count.times),
                wording::grouped(convention.count.pages),
                in_percent(&share),
            ]);
            bars.push(BarData::new(name, share));
        }
        Section {
            id: "pages".to_owned(),
            title: "Conventions, by pages that use them".to_owned(),
            note:
                "Of the pages that were let in; for robots.txt, of all pages: there only pages that it keeps out are \
                counted."
                    .to_owned(),
            plot: plot(bars),
            heads: vec!["convention", "statements", "pages", "of pages"],
            rows,
        }
    }

    fn conventions_by_sites(&self) -> Section {
        let census = self.census;
        let mut conventions = self.conventions();
        conventions.sort_by_key(|one| (Reverse(census.share_of_sites(one.row).part()), one.row));
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for convention in conventions {
            let name = self.name(convention.id);
            let share = census.share_of_sites(convention.row);
            rows.push(vec![
                name.clone(),
                wording::grouped(share.part()),
                in_percent(&share),
            ]);
            bars.push(BarData::new(name, share));
        }
        Section {
            id: "sites".to_owned(),
            title: "Conventions, by sites that use them".to_owned(),
            note: "A site is a host. It counts if one of its pages uses the convention.".to_owned(),
            plot: plot(bars),
            heads: vec!["convention", "sites", "of sites"],
            rows,
        }
    }

    fn subjects(&self) -> Section {
        let heading = Heading {
            id: "subjects",
            title: "What statements are about",
            note: "Whatever the convention, and whether it is obeyed or not.",
            first_column: "statement",
        };
        let rows = self.by_pages(|row| matches!(row, CensusRow::About(..)));
        self.section_of_rows(&heading, rows, subject_name)
    }

    fn notes(&self) -> Section {
        let heading = Heading {
            id: "notes",
            title: "What looked wrong",
            note: "What looked wrong, by kind: misspelt words, regions that are never closed, and more. Statements are \
                not counted here.",
            first_column: "note",
        };
        let rows = self.by_pages(|row| matches!(row, CensusRow::Noted(..)));
        self.section_of_rows(&heading, rows, note_name)
    }

    /// Creates a section of the report. Its plot shows shares of pages. Its table shows shares of
    /// pages and shares of sites.
    fn section_of_rows(
        &self,
        heading: &Heading,
        counts: Vec<(CensusRow, Count)>,
        name: fn(CensusRow) -> String,
    ) -> Section {
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for (row, count) in counts {
            let pages = self.census.share_of_pages(row);
            let sites = self.census.share_of_sites(row);
            rows.push(vec![
                name(row),
                if count.times > 0 {
                    wording::grouped(count.times)
                } else {
                    "\u{2013}".to_owned()
                },
                wording::grouped(count.pages),
                in_percent(&pages),
                in_percent(&sites),
            ]);
            bars.push(BarData::new(name(row), pages));
        }
        Section {
            id: heading.id.to_owned(),
            title: heading.title.to_owned(),
            note: heading.note.to_owned(),
            plot: plot(bars),
            heads: vec![
                heading.first_column,
                "statements",
                "pages",
                "of pages",
                "of sites",
            ],
            rows,
        }
    }

    fn denied(&self, bot: u8, name: &str) -> Section {
        let census = self.census;
        let mut bars = vec![BarData::new(
            "enter".to_owned(),
            census.share_of_pages(CensusRow::KeptOut { bot }),
        )];
        for usage in Use::ALL {
            let [obeyed, all] = [StatementSide::Obeyed, StatementSide::All].map(|by| {
                census.share_of_pages(CensusRow::Denied {
                    by,
                    bot,
                    usage,
                    part: PagePlace::Page,
                })
            });
            bars.push(BarData {
                label: usage.name().to_owned(),
                estimate: obeyed,
                behind: Some(all),
            });
        }
        let mut rows = Vec::new();
        for bar in &bars {
            let all = bar.behind.as_ref().unwrap_or(&bar.estimate);
            rows.push(vec![
                bar.label.clone(),
                wording::grouped(bar.estimate.part()),
                in_percent(&bar.estimate),
                in_percent(all),
            ]);
        }
        Section {
            id: format!("denied-{bot}"),
            title: format!("Pages that deny a use to {name} as a whole"),
            note: "Of the pages that let it in; for entering, of all pages. Behind, in a lighter shade: if all conventions \
                were obeyed."
                .to_owned(),
            plot: plot(bars),
            heads: vec!["use", "pages", "of pages", "if all were obeyed"],
            rows,
        }
    }

    fn text_denied(&self, bot: u8, name: &str) -> Section {
        let census = self.census;
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for usage in Use::ALL {
            if !is_of_text(usage) {
                continue;
            }
            let [page, text] = [PagePlace::Page, PagePlace::Text].map(|part| {
                census.share_of_text(CensusRow::Denied {
                    by: StatementSide::Obeyed,
                    bot,
                    usage,
                    part,
                })
            });
            let obeyed = census.share_of_denied_text(StatementSide::Obeyed, bot, usage);
            let all = census.share_of_denied_text(StatementSide::All, bot, usage);
            rows.push(vec![
                usage.name().to_owned(),
                without_interval(&page),
                without_interval(&text),
                in_percent(&obeyed),
                in_percent(&all),
            ]);
            bars.push(BarData {
                label: usage.name().to_owned(),
                estimate: obeyed,
                behind: Some(all),
            });
        }
        Section {
            id: format!("text-{bot}"),
            title: format!("Text withheld from {name}, by use"),
            note: format!(
                "Of {} characters of text (white space not counted) on the pages that let it in. Behind, in a lighter \
                 shade: if all conventions were obeyed.",
                wording::grouped(census.count(CensusRow::Text { bot }).text)
            ),
            plot: plot(bars),
            heads: vec![
                "use",
                "by whole pages",
                "by parts",
                "together",
                "if all were obeyed",
            ],
            rows,
        }
    }

    fn withheld(&self, bot: u8, name: &str) -> Section {
        let census = self.census;
        let row = |convention, usage| CensusRow::Withheld {
            by: StatementSide::Obeyed,
            bot,
            convention,
            usage,
        };
        let text = |convention, usage| census.count(row(convention, usage)).text;
        let mut conventions = self.withholding_conventions(bot);
        conventions.sort_by_key(|one| {
            let texts = (text(*one, Use::Index), text(*one, Use::Train));
            (Reverse(texts), *one)
        });
        let mut bars = Vec::new();
        let mut rows = Vec::new();
        for convention in conventions {
            let index = census.share_of_text(row(convention, Use::Index));
            let mut cells = vec![convention.name().to_owned(), in_percent(&index)];
            for usage in [Use::Archive, Use::Snippet, Use::Train, Use::Input] {
                cells.push(without_interval(
                    &census.share_of_text(row(convention, usage)),
                ));
            }
            rows.push(cells);
            if text(convention, Use::Index) > 0 {
                bars.push(BarData::new(convention.name().to_owned(), index));
            }
        }
        Section {
            id: format!("withheld-{bot}"),
            title: format!("Text withheld from {name}, by the convention that decides"),
            note: "The plot is of the index. If several conventions withhold a text, the first one that is as strict \
                counts."
                .to_owned(),
            plot: plot(bars),
            heads: vec!["convention", "index", "archive", "snippet", "train", "input"],
            rows,
        }
    }

    /// Returns the obeyed conventions by which pages withhold text from a bot. No convention is
    /// repeated. `bot` is the bot's position in the list of bots, from 0.
    fn withholding_conventions(&self, bot: u8) -> Vec<ConventionId> {
        let mut conventions = Vec::new();
        for (row, _) in self.census.rows() {
            if let CensusRow::Withheld {
                by: StatementSide::Obeyed,
                bot: row_bot,
                convention,
                usage,
            } = row
                && row_bot == bot
                && is_of_text(usage)
            {
                conventions.push(convention);
            }
        }
        conventions.sort_unstable();
        conventions.dedup();
        conventions
    }

    fn statements(&self) -> Section {
        let census = self.census;
        let rows = self.by_pages(|row| matches!(row, CensusRow::Said(_)));
        let mut cells = Vec::new();
        for (row, count) in rows {
            let CensusRow::Said(statement) = row else {
                continue;
            };
            cells.push(vec![
                self.statement_text(&statement),
                wording::grouped(count.times),
                wording::grouped(count.pages),
                in_percent(&census.share_of_pages(row)),
                in_percent(&census.share_of_sites(row)),
            ]);
        }
        Section {
            id: "statements".to_owned(),
            title: "All statements".to_owned(),
            note: "By convention, where they stand, what they say, and to whom.".to_owned(),
            plot: None,
            heads: vec!["statement", "times", "pages", "of pages", "of sites"],
            rows: cells,
        }
    }

    fn statement_text(&self, statement: &CensusStatement) -> String {
        format!(
            "{}, in {}: {} {}, to {}",
            self.name(statement.convention),
            statement.carrier.name(),
            statement.effect.name(),
            statement.subject.name(),
            statement.audience.name()
        )
    }

    fn outcomes(&self) -> Section {
        let rows = self
            .census
            .outcomes()
            .map(|(what, number)| vec![what.to_owned(), wording::grouped(number)]);
        Section {
            id: "outcomes".to_owned(),
            title: "Records that gave no page, or less".to_owned(),
            note: String::new(),
            plot: None,
            heads: vec!["what became of them", "records"],
            rows: rows.collect(),
        }
    }
}

fn subject_name(row: CensusRow) -> String {
    match row {
        CensusRow::About(subject, says) => format!("{} {}", says.name(), subject.name()),
        _ => String::new(),
    }
}

fn note_name(row: CensusRow) -> String {
    match row {
        CensusRow::Noted(kind, Some(convention)) => {
            format!("{} ({})", kind.name(), convention.name())
        }
        CensusRow::Noted(kind, None) => kind.name().to_owned(),
        _ => String::new(),
    }
}

/// True if a census counts the words that pages withhold from `usage`.
fn is_of_text(usage: Use) -> bool {
    !matches!(usage, Use::Follow | Use::Anchor | Use::Image)
}

/// Formats a share as a percentage with its confidence interval: `12.3 % (10.2 to 14.6)`. An
/// unknown share becomes a dash.
pub fn in_percent(estimate: &Estimate) -> String {
    let Some(share) = estimate.share() else {
        return "\u{2013}".to_owned();
    };
    match estimate.interval() {
        Some((low, high)) => format!("{} ({} to {})", percent(share), digits(low), digits(high)),
        None => percent(share),
    }
}

/// Formats a share as a percentage without its confidence interval. A share of zero becomes a dash.
fn without_interval(estimate: &Estimate) -> String {
    match estimate.share() {
        Some(share) if share > 0.0 => percent(share),
        _ => "\u{2013}".to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{} %", digits(share))
}

fn digits(share: f64) -> String {
    match share * 100.0 {
        percent if percent >= 1.0 || percent == 0.0 => format!("{percent:.1}"),
        percent if percent >= 0.01 => format!("{percent:.2}"),
        percent => format!("{percent:.4}"),
    }
}

/// Creates a plot of the first [`MOST_BARS`] bars that have a known share. Returns `None` if no bar
/// has a known share.
fn plot(mut bars: Vec<BarData>) -> Option<Plot> {
    bars.retain(|bar| bar.estimate.share().is_some());
    bars.truncate(MOST_BARS);
    if bars.is_empty() {
        return None;
    }
    let scale = Scale::new(bars.iter().map(BarData::end).fold(0.0, f64::max));
    let height = bars.len() * BAR;
    Some(Plot {
        height: height + 22,
        floor: height + 4,
        ticks: scale.ticks(),
        bars: bars
            .into_iter()
            .enumerate()
            .map(|(at, bar)| scale.bar(at, bar))
            .collect(),
    })
}

impl BarData {
    fn new(label: String, estimate: Estimate) -> Self {
        Self {
            label,
            estimate,
            behind: None,
        }
    }

    /// Returns the greatest value that is drawn for the bar. The values are the shares of this bar
    /// and of the bar behind it. The upper ends of their confidence intervals count, too.
    fn end(&self) -> f64 {
        let mut end: f64 = 0.0;
        for estimate in [Some(&self.estimate), self.behind.as_ref()]
            .into_iter()
            .flatten()
        {
            end = end.max(estimate.share().unwrap_or_default());
            if let Some((_, high)) = estimate.interval() {
                end = end.max(high);
            }
        }
        end
    }
}

/// Scale of a plot. The value is the share at the plot's right end, from 0 to 1. It is a round
/// number.
struct Scale(f64);

impl Scale {
    fn new(most: f64) -> Self {
        let ends = [
            0.0001, 0.0002, 0.0004, 0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8,
            1.0,
        ];
        Self(ends.into_iter().find(|end| most <= *end).unwrap_or(1.0))
    }

    /// Returns the position of a share on the plot's scale, in per cent of the plot's width. It is
    /// rounded to hundredths.
    fn position(&self, share: f64) -> f64 {
        (share / self.0 * 10_000.0).round().clamp(0.0, 10_000.0) / 100.0
    }

    fn ticks(&self) -> Vec<(f64, String, &'static str)> {
        let mut ticks = Vec::new();
        for (quarter, anchor) in ["start", "middle", "middle", "middle", "end"]
            .into_iter()
            .enumerate()
        {
            let quarter = quarter as f64;
            let label = format!("{:.3}", self.0 * quarter * 25.0);
            let label = label.trim_end_matches('0').trim_end_matches('.');
            let label = if label.is_empty() { "0" } else { label };
            ticks.push((quarter * 25.0, format!("{label} %"), anchor));
        }
        ticks
    }

    fn length(&self, estimate: &Estimate) -> f64 {
        self.position(estimate.share().unwrap_or_default())
    }

    fn bar(&self, at: usize, bar: BarData) -> Bar {
        let value = percent(bar.estimate.share().unwrap_or_default());
        let whole = in_percent(&bar.estimate);
        Bar {
            interval: whole.strip_prefix(&value).unwrap_or_default().to_owned(),
            value,
            top: at * BAR,
            length: self.length(&bar.estimate),
            behind: bar.behind.as_ref().map(|behind| self.length(behind)),
            whisker: bar
                .estimate
                .interval()
                .map(|(low, high)| (self.position(low), self.position(high))),
            label: bar.label,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_end_at_round_shares() {
        for (most, end) in [
            (0.0, 0.0001),
            (0.03, 0.04),
            (0.41, 0.6),
            (0.99, 1.0),
            (1.0, 1.0),
        ] {
            assert!((Scale::new(most).0 - end).abs() < 1e-12, "{most}");
        }
        let ticks: Vec<_> = Scale::new(0.004)
            .ticks()
            .into_iter()
            .map(|(_, label, _)| label)
            .collect();
        assert_eq!(ticks, ["0 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]);
        assert_eq!(
            Scale::new(1.0)
                .ticks()
                .pop()
                .map(|(_, label, _)| label)
                .as_deref(),
            Some("100 %")
        );
        assert!((Scale::new(0.4).position(0.1) - 25.0).abs() < 1e-9);
    }
}
