//! A census as one HTML page: plots with intervals, each beside its table.
//!
//! A plot is measured in per cent of its own width, so letters keep their size on a narrow screen.
//! The page loads nothing and has no script. All that it shows is counts and names of conventions:
//! nothing of a page is in a census.

use std::cmp::Reverse;

use askama::Template;

use heedful::Use;
use heedful_census::{
    Census, CensusRow, CensusStatement, ConventionId, Count, Estimate, PagePlace, StatementSide,
};

use super::render::rendered;
use super::wording;

/// The most bars of a plot. Its table has all rows.
const MOST_BARS: usize = 24;
/// The height of a bar with its label.
const BAR: usize = 40;

/// A census as an HTML page.
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
    /// Sentences about the settings and the sample.
    about: Vec<String>,
    sections: Vec<Section>,
}

/// A plot with its table.
struct Section {
    id: String,
    title: String,
    note: String,
    plot: Option<Plot>,
    /// The heads of the columns. The first is of names, the others of numbers.
    heads: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

struct Plot {
    height: usize,
    /// The lower end of the grid.
    floor: usize,
    /// Where lines of the grid stand, in per cent, with their labels and where these are held.
    ticks: Vec<(f64, String, &'static str)>,
    bars: Vec<Bar>,
}

/// A bar. All lengths are in per cent of the plot's width, from its left.
struct Bar {
    label: String,
    value: String,
    /// The interval, which has no room on a narrow screen.
    interval: String,
    top: usize,
    length: f64,
    /// A longer bar behind it.
    behind: Option<f64>,
    whisker: Option<(f64, f64)>,
}

/// One bar before the scale is known.
struct BarData {
    label: String,
    estimate: Estimate,
    behind: Option<Estimate>,
}

impl<'a> CensusReport<'a> {
    /// A report on a census.
    pub fn new(census: &'a Census) -> Self {
        Self { census }
    }

    /// The page as HTML.
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
        rendered(&CensusView {
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

    /// The rows of a kind, those with the most pages first.
    fn by_pages(&self, is_wanted: impl Fn(CensusRow) -> bool) -> Vec<(CensusRow, Count)> {
        let mut rows: Vec<_> = self
            .census
            .rows()
            .filter(|(row, _)| is_wanted(*row))
            .collect();
        rows.sort_by_key(|(row, count)| (Reverse((count.pages, count.times)), *row));
        rows
    }

    fn conventions(&self) -> Vec<(CensusRow, ConventionId, Count)> {
        let rows = self.by_pages(|row| matches!(row, CensusRow::Convention(_)));
        let named = |(row, count)| {
            if let CensusRow::Convention(convention) = row {
                Some((row, convention, count))
            } else {
                None
            }
        };
        rows.into_iter().filter_map(named).collect()
    }

    /// The name of a convention, with a word if it is not obeyed.
    fn name(&self, convention: ConventionId) -> String {
        let word = if self.census.obeys(convention) {
            ""
        } else {
            " (not obeyed)"
        };
        format!("{}{word}", convention.name())
    }

    fn conventions_by_pages(&self) -> Section {
        let (census, conventions) = (self.census, self.conventions());
        let bar = |(row, convention, _): &(CensusRow, ConventionId, Count)| BarData {
            label: self.name(*convention),
            estimate: census.share_of_pages(*row),
            behind: None,
        };
        let cells = |(row, convention, count): &(CensusRow, ConventionId, Count)| {
            let share = in_percent(&census.share_of_pages(*row));
            vec![
                self.name(*convention),
                wording::grouped(count.times),
                wording::grouped(count.pages),
                share,
            ]
        };
        Section {
            id: "pages".to_owned(),
            title: "Conventions, by pages that use them".to_owned(),
            note:
                "Of the pages that were let in; for robots.txt, of all pages: there only pages that it keeps out are \
                counted."
                    .to_owned(),
            plot: plot(conventions.iter().map(bar)),
            heads: vec!["convention", "statements", "pages", "of pages"],
            rows: conventions.iter().map(cells).collect(),
        }
    }

    fn conventions_by_sites(&self) -> Section {
        let (census, mut conventions) = (self.census, self.conventions());
        conventions.sort_by_key(|(row, ..)| (Reverse(census.share_of_sites(*row).part()), *row));
        let bar = |(row, convention, _): &(CensusRow, ConventionId, Count)| BarData {
            label: self.name(*convention),
            estimate: census.share_of_sites(*row),
            behind: None,
        };
        let cells = |(row, convention, _): &(CensusRow, ConventionId, Count)| {
            let share = census.share_of_sites(*row);
            vec![
                self.name(*convention),
                wording::grouped(share.part()),
                in_percent(&share),
            ]
        };
        Section {
            id: "sites".to_owned(),
            title: "Conventions, by sites that use them".to_owned(),
            note: "A site is a host. It counts if one of its pages uses the convention.".to_owned(),
            plot: plot(conventions.iter().map(bar)),
            heads: vec!["convention", "sites", "of sites"],
            rows: conventions.iter().map(cells).collect(),
        }
    }

    fn subjects(&self) -> Section {
        let rows = self.by_pages(|row| matches!(row, CensusRow::About(..)));
        self.simple(
            ("subjects", "What statements are about"),
            "Whatever the convention, and whether it is obeyed or not.",
            ("statement", rows),
            |row| {
                if let CensusRow::About(subject, says) = row {
                    format!("{} {}", says.name(), subject.name())
                } else {
                    String::new()
                }
            },
        )
    }

    fn notes(&self) -> Section {
        let rows = self.by_pages(|row| matches!(row, CensusRow::Noted(..)));
        let name = |row| match row {
            CensusRow::Noted(kind, Some(convention)) => {
                format!("{} ({})", kind.name(), convention.name())
            }
            CensusRow::Noted(kind, None) => kind.name().to_owned(),
            _ => String::new(),
        };
        let note = "What looked wrong, by kind: misspelt words, regions that are never closed, and more. Statements are \
            not counted here.";
        self.simple(("notes", "What looked wrong"), note, ("note", rows), name)
    }

    /// A plot and table of rows with their pages and sites.
    fn simple(
        &self,
        (id, title): (&str, &str),
        note: &str,
        (head, rows): (&'static str, Vec<(CensusRow, Count)>),
        name: impl Fn(CensusRow) -> String,
    ) -> Section {
        let census = self.census;
        let bar = |(row, _): &(CensusRow, Count)| BarData {
            label: name(*row),
            estimate: census.share_of_pages(*row),
            behind: None,
        };
        let cells = |(row, count): &(CensusRow, Count)| {
            let [pages, sites] = [census.share_of_pages(*row), census.share_of_sites(*row)];
            let times = if count.times > 0 {
                wording::grouped(count.times)
            } else {
                "\u{2013}".to_owned()
            };
            vec![
                name(*row),
                times,
                wording::grouped(count.pages),
                in_percent(&pages),
                in_percent(&sites),
            ]
        };
        Section {
            id: id.to_owned(),
            title: title.to_owned(),
            note: note.to_owned(),
            plot: plot(rows.iter().map(bar)),
            heads: vec![head, "statements", "pages", "of pages", "of sites"],
            rows: rows.iter().map(cells).collect(),
        }
    }

    fn denied(&self, bot: u8, name: &str) -> Section {
        let census = self.census;
        let row = |by, usage| CensusRow::Denied {
            by,
            bot,
            usage,
            part: PagePlace::Page,
        };
        let mut bars = vec![BarData {
            label: "enter".to_owned(),
            estimate: census.share_of_pages(CensusRow::KeptOut { bot }),
            behind: None,
        }];
        bars.extend(Use::ALL.into_iter().map(|usage| BarData {
            label: usage.name().to_owned(),
            estimate: census.share_of_pages(row(StatementSide::Obeyed, usage)),
            behind: Some(census.share_of_pages(row(StatementSide::All, usage))),
        }));
        let cells = |bar: &BarData| {
            let all = bar
                .behind
                .as_ref()
                .map_or_else(|| in_percent(&bar.estimate), in_percent);
            vec![
                bar.label.clone(),
                wording::grouped(bar.estimate.part()),
                in_percent(&bar.estimate),
                all,
            ]
        };
        let rows = bars.iter().map(cells).collect();
        Section {
            id: format!("denied-{bot}"),
            title: format!("Pages that deny a use to {name} as a whole"),
            note: "Of the pages that let it in; for entering, of all pages. Behind, in a lighter shade: if all conventions \
                were obeyed."
                .to_owned(),
            plot: plot(bars.into_iter()),
            heads: vec!["use", "pages", "of pages", "if all were obeyed"],
            rows,
        }
    }

    fn text_denied(&self, bot: u8, name: &str) -> Section {
        let census = self.census;
        let of = |by, usage, part| CensusRow::Denied {
            by,
            bot,
            usage,
            part,
        };
        let uses = || Use::ALL.into_iter().filter(|usage| is_of_text(*usage));
        let bar = |usage: Use| BarData {
            label: usage.name().to_owned(),
            estimate: census.share_of_denied_text(StatementSide::Obeyed, bot, usage),
            behind: Some(census.share_of_denied_text(StatementSide::All, bot, usage)),
        };
        let cells = |usage: Use| {
            let text = |part| alone(&census.share_of_text(of(StatementSide::Obeyed, usage, part)));
            let whole = [StatementSide::Obeyed, StatementSide::All]
                .map(|by| in_percent(&census.share_of_denied_text(by, bot, usage)));
            let [obeyed, all] = whole;
            vec![
                usage.name().to_owned(),
                text(PagePlace::Page),
                text(PagePlace::Text),
                obeyed,
                all,
            ]
        };
        Section {
            id: format!("text-{bot}"),
            title: format!("Text withheld from {name}, by use"),
            note: format!(
                "Of {} characters of text (white space not counted) on the pages that let it in. Behind, in a lighter \
                 shade: if all conventions were obeyed.",
                wording::grouped(census.count(CensusRow::Text { bot }).text)
            ),
            plot: plot(uses().map(bar)),
            heads: vec![
                "use",
                "by whole pages",
                "by parts",
                "together",
                "if all were obeyed",
            ],
            rows: uses().map(cells).collect(),
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
        let is_wanted = |row| matches!(row, CensusRow::Withheld { by: StatementSide::Obeyed, bot: of, usage, .. } if of == bot && is_of_text(usage));
        let named = |(row, _)| {
            if let CensusRow::Withheld { convention, .. } = row {
                Some(convention)
            } else {
                None
            }
        };
        let mut conventions: Vec<_> = self
            .by_pages(is_wanted)
            .into_iter()
            .filter_map(named)
            .collect();
        conventions.sort_unstable();
        conventions.dedup();
        let text = |convention, usage| census.count(row(convention, usage)).text;
        conventions.sort_by_key(|one| {
            (
                Reverse((text(*one, Use::Index), text(*one, Use::Train))),
                *one,
            )
        });
        let bar = |one: &ConventionId| BarData {
            label: one.name().to_owned(),
            estimate: census.share_of_text(row(*one, Use::Index)),
            behind: None,
        };
        let cells = |one: &ConventionId| {
            let estimate = |usage| census.share_of_text(row(*one, usage));
            let others = [Use::Archive, Use::Snippet, Use::Train, Use::Input];
            let first = [one.name().to_owned(), in_percent(&estimate(Use::Index))];
            first
                .into_iter()
                .chain(others.map(|usage| alone(&estimate(usage))))
                .collect()
        };
        Section {
            id: format!("withheld-{bot}"),
            title: format!("Text withheld from {name}, by the convention that decides"),
            note: "The plot is of the index. If several conventions withhold a text, the first one that is as strict \
                counts."
                .to_owned(),
            plot: plot(conventions.iter().filter(|one| text(**one, Use::Index) > 0).map(bar)),
            heads: vec!["convention", "index", "archive", "snippet", "train", "input"],
            rows: conventions.iter().map(cells).collect(),
        }
    }

    fn statements(&self) -> Section {
        let census = self.census;
        let rows = self.by_pages(|row| matches!(row, CensusRow::Said(_)));
        let cells = |(row, count): (CensusRow, Count)| {
            let CensusRow::Said(CensusStatement {
                convention,
                carrier,
                about,
                says,
                to,
            }) = row
            else {
                return Vec::new();
            };
            let said = format!(
                "{}, in {}: {} {}, to {}",
                self.name(convention),
                carrier.name(),
                says.name(),
                about.name(),
                to.name()
            );
            let [times, pages] = [count.times, count.pages].map(wording::grouped);
            vec![
                said,
                times,
                pages,
                in_percent(&census.share_of_pages(row)),
                in_percent(&census.share_of_sites(row)),
            ]
        };
        Section {
            id: "statements".to_owned(),
            title: "All statements".to_owned(),
            note: "By convention, where they stand, what they say, and to whom.".to_owned(),
            plot: None,
            heads: vec!["statement", "times", "pages", "of pages", "of sites"],
            rows: rows.into_iter().map(cells).collect(),
        }
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

fn is_of_text(usage: Use) -> bool {
    !matches!(usage, Use::Follow | Use::Anchor | Use::Image)
}

/// A share in per cent, with its interval: `12.3 % (10.2 to 14.6)`.
pub fn in_percent(estimate: &Estimate) -> String {
    let Some(share) = estimate.share() else {
        return "\u{2013}".to_owned();
    };
    match estimate.interval() {
        Some((low, high)) => format!("{} ({} to {})", percent(share), digits(low), digits(high)),
        None => percent(share),
    }
}

/// A share in per cent without its interval; a dash for nothing.
fn alone(estimate: &Estimate) -> String {
    estimate
        .share()
        .filter(|share| *share > 0.0)
        .map_or_else(|| "\u{2013}".to_owned(), percent)
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

/// A plot of the first bars; None of nothing.
fn plot(bars: impl Iterator<Item = BarData>) -> Option<Plot> {
    let bars: Vec<_> = bars
        .filter(|bar| bar.estimate.share().is_some())
        .take(MOST_BARS)
        .collect();
    let end = |bar: &BarData| {
        let ends = [Some(&bar.estimate), bar.behind.as_ref()]
            .into_iter()
            .flatten();
        ends.flat_map(|one| {
            one.share()
                .into_iter()
                .chain(one.interval().map(|(_, high)| high))
        })
        .fold(0.0, f64::max)
    };
    let scale = Scale::new(bars.iter().map(end).fold(0.0, f64::max));
    let height = bars.len() * BAR;
    (!bars.is_empty()).then(|| Plot {
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

/// The scale of a plot, which ends at a round share.
struct Scale(f64);

impl Scale {
    fn new(most: f64) -> Self {
        let ends = [
            0.0001, 0.0002, 0.0004, 0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.1, 0.2, 0.4, 0.6, 0.8,
            1.0,
        ];
        Self(ends.into_iter().find(|end| most <= *end).unwrap_or(1.0))
    }

    /// The place of a share in per cent of the width, in hundredths.
    fn position(&self, share: f64) -> f64 {
        (share / self.0 * 10_000.0).round().clamp(0.0, 10_000.0) / 100.0
    }

    fn ticks(&self) -> Vec<(f64, String, &'static str)> {
        let tick = |quarter: u8| {
            let anchor = match quarter {
                0 => "start",
                4 => "end",
                _ => "middle",
            };
            let label = format!("{:.3}", self.0 * f64::from(quarter) * 25.0);
            let label = label.trim_end_matches('0').trim_end_matches('.');
            (
                f64::from(quarter) * 25.0,
                format!("{} %", if label.is_empty() { "0" } else { label }),
                anchor,
            )
        };
        (0..=4).map(tick).collect()
    }

    fn bar(&self, at: usize, bar: BarData) -> Bar {
        let length = |estimate: &Estimate| self.position(estimate.share().unwrap_or_default());
        let (value, whole) = (
            percent(bar.estimate.share().unwrap_or_default()),
            in_percent(&bar.estimate),
        );
        Bar {
            interval: whole.strip_prefix(&value).unwrap_or_default().to_owned(),
            value,
            top: at * BAR,
            length: length(&bar.estimate),
            behind: bar.behind.as_ref().map(length),
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
