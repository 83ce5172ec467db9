//! The JSON format of a census (docs/census.md). Other programs and [`Census::parse`] read it.
//!
//! Equal censuses give equal bytes of JSON. Shares and intervals are written for people and other
//! programs. [`Census::parse`] ignores them, because they are computed from the counts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use heedful::NoteKind;
use heedful_base::bot::BotSet;
use heedful_base::error::{ErrorKind, Result};
use heedful_json as json;

use super::estimate::Estimate;
use super::names::{Audience, Carrier, PagePlace, StatementKind, StatementSide, StatementSubject};
use super::row::{CensusRow, CensusStatement, ConventionId, Count};
use super::sample::{Sample, SiteCounts};
use super::settings::CensusSettings;
use super::sums::Census;

/// Version number of the JSON format of a census, which is the value of its key `census`.
const FORM: u32 = 1;

#[derive(Serialize, Deserialize)]
struct CensusJson {
    census: u32,
    settings: CensusSettings,
    outcomes: BTreeMap<String, u64>,
    sites: SitesJson,
    rows: Vec<RowJson>,
    /// Sites of the sample. Each element has the hash of a site in hexadecimal, and the counts of
    /// the site in each row.
    sample: Vec<(String, Vec<SiteCount>)>,
}

/// Counts of one site in one row of the census. The first number is the index of the row in the
/// JSON array `rows`. The other numbers count statements, pages and characters, in this order.
type SiteCount = (usize, u64, u64, u64);

#[derive(Serialize, Deserialize)]
struct SitesJson {
    /// Number of all sites. The number is an estimate if sites were dropped from the sample.
    number: u64,
    /// True if `number` is an estimate, because sites were dropped from the sample.
    is_estimate: bool,
}

/// A row of the census as JSON, with its counts and shares. Keys that do not apply to the row are
/// null.
#[derive(Default, Serialize, Deserialize)]
struct RowJson {
    row: String,
    by: Option<String>,
    /// Index of the bot in the array `bots` of the settings.
    bot: Option<u8>,
    convention: Option<String>,
    carrier: Option<String>,
    about: Option<String>,
    says: Option<String>,
    to: Option<String>,
    part: Option<String>,
    note: Option<String>,
    statements: u64,
    pages: u64,
    characters: u64,
    #[serde(skip_deserializing)]
    of_pages: Option<ShareJson>,
    #[serde(skip_deserializing)]
    of_sites: Option<ShareJson>,
    #[serde(skip_deserializing)]
    of_text: Option<ShareJson>,
}

#[derive(Serialize)]
struct ShareJson {
    share: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl ShareJson {
    fn from_estimate(estimate: Estimate) -> Option<Self> {
        let (low, high) = estimate.interval().unzip();
        Some(Self {
            share: rounded(estimate.share()?),
            low: low.map(rounded),
            high: high.map(rounded),
        })
    }
}

fn rounded(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

impl Census {
    /// Returns this census as one line of JSON. [`Census::parse`] can parse the line. Equal
    /// censuses give equal lines.
    ///
    /// # Examples
    /// ```
    /// use heedful::{Bot, Filter};
    /// use heedful_census::{Census, Counter};
    ///
    /// let counter = Counter::new(&Filter::new(Bot::new("FooBot")?))?;
    /// let mut census = counter.census();
    /// census.add(&counter.page("https://example.com/", Ok)?);
    /// assert_eq!(Census::parse(&census.json())?, census);
    /// assert!(!census.json().contains("example.com"));
    /// # Ok::<(), heedful::Error>(())
    /// ```
    pub fn json(&self) -> String {
        let places: BTreeMap<CensusRow, usize> = self.rows.keys().copied().zip(0..).collect();
        let mut sample = Vec::new();
        for (site, counts) in self.sample.sites() {
            let counts = counts
                .iter()
                .map(|(row, count)| (places[row], count.times, count.pages, count.text));
            sample.push((format!("{site:016x}"), counts.collect()));
        }
        json::line(&CensusJson {
            census: FORM,
            settings: self.settings.clone(),
            outcomes: self.outcomes.clone(),
            sites: SitesJson {
                number: self.sites(),
                is_estimate: self.is_sampled(),
            },
            rows: self.rows.keys().map(|row| self.row_json(*row)).collect(),
            sample,
        })
    }

    fn row_json(&self, row: CensusRow) -> RowJson {
        let Count { times, pages, text } = self.count(row);
        RowJson {
            statements: times,
            pages,
            characters: text,
            of_pages: ShareJson::from_estimate(self.share_of_pages(row)),
            of_sites: ShareJson::from_estimate(self.share_of_sites(row)),
            of_text: if has_text(row) {
                ShareJson::from_estimate(self.share_of_text(row))
            } else {
                None
            },
            ..row_names(row)
        }
    }

    /// Parses a census from the JSON that [`Census::json`] returns.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] if `text` is not a census in JSON. Also if another version of heedful
    /// wrote the census.
    pub fn parse(text: &str) -> Result<Self> {
        let read: CensusJson = serde_json::from_str(text).map_err(|error| {
            invalid(format!(
                "this is no census, as `heedful census -o` writes one: {}",
                json::unreadable(&error)
            ))
        })?;
        if read.census != FORM || read.settings.version != env!("CARGO_PKG_VERSION") {
            let version = &read.settings.version;
            return Err(invalid(format!(
                "the census was made by another version of heedful, {version}: count again"
            )));
        }
        let bots = read.settings.bots.len();
        if bots >= BotSet::MAX {
            return Err(invalid(format!(
                "a census is for at most {} bots",
                BotSet::MAX - 1
            )));
        }
        let mut listed: Vec<(CensusRow, Count)> = Vec::with_capacity(read.rows.len());
        for row in &read.rows {
            listed.push(row_and_count(row, bots)?);
        }
        let mut sites = BTreeMap::new();
        for (site, counts) in &read.sample {
            let Ok(hash) = u64::from_str_radix(site, 16) else {
                return Err(invalid(format!("`{site}` is no site of a census")));
            };
            let mut rows = SiteCounts::new();
            for &(place, times, pages, text) in counts {
                let Some((row, _)) = listed.get(place) else {
                    return Err(invalid(format!(
                        "a site has a row {place}, and there is none"
                    )));
                };
                rows.insert(*row, Count { times, pages, text });
            }
            if sites.insert(hash, rows).is_some() {
                return Err(invalid(format!("the site `{site}` is there twice")));
            }
        }
        let sample = Sample::from_sites(read.settings.sites, sites, read.sites.is_estimate);
        let rows: BTreeMap<_, _> = listed.iter().copied().collect();
        if rows.len() < listed.len() {
            return Err(invalid("a row is there twice".to_owned()));
        }
        Ok(Self {
            settings: read.settings,
            rows,
            outcomes: read.outcomes,
            sample,
        })
    }
}

fn invalid(message: String) -> heedful_base::error::Error {
    ErrorKind::Input(message).into()
}

/// True if `row` counts characters of withheld text. Only these rows have a share of text, which is
/// the number of withheld characters divided by the number of all characters.
fn has_text(row: CensusRow) -> bool {
    matches!(row, CensusRow::Denied { .. } | CensusRow::Withheld { .. })
}

/// Returns the JSON object of a row with the keys that identify it. All counts are 0, and the
/// shares are null.
fn row_names(row: CensusRow) -> RowJson {
    let text = |name: &str| Some(name.to_owned());
    let of = |row: &str| RowJson {
        row: row.to_owned(),
        ..RowJson::default()
    };
    match row {
        CensusRow::Pages => of("pages"),
        CensusRow::Entered => of("entered"),
        CensusRow::Text { bot } => RowJson {
            bot: Some(bot),
            ..of("text")
        },
        CensusRow::KeptOut { bot } => RowJson {
            bot: Some(bot),
            ..of("kept-out")
        },
        CensusRow::Convention(convention) => RowJson {
            convention: text(convention.name()),
            ..of("convention")
        },
        CensusRow::About(subject, effect) => RowJson {
            about: text(subject.name()),
            says: text(effect.name()),
            ..of("about")
        },
        CensusRow::Said(CensusStatement {
            convention,
            carrier,
            subject,
            effect,
            audience,
        }) => RowJson {
            convention: text(convention.name()),
            carrier: text(carrier.name()),
            about: text(subject.name()),
            says: text(effect.name()),
            to: text(audience.name()),
            ..of("said")
        },
        CensusRow::Denied {
            by,
            bot,
            usage,
            part,
        } => RowJson {
            by: text(by.name()),
            bot: Some(bot),
            about: text(usage.name()),
            part: text(part.name()),
            ..of("denied")
        },
        CensusRow::Withheld {
            by,
            bot,
            convention,
            usage,
        } => RowJson {
            by: text(by.name()),
            bot: Some(bot),
            convention: text(convention.name()),
            about: text(usage.name()),
            ..of("withheld")
        },
        CensusRow::Noted(kind, convention) => RowJson {
            note: text(kind.name()),
            convention: convention.map(|convention| convention.name().to_owned()),
            ..of("note")
        },
    }
}

/// Converts the JSON object `read` of a row to a row and its counts. `bots` is the number of bots
/// of the census. Fails if the object does not identify a row, or has a bot that is not in the
/// census.
fn row_and_count(read: &RowJson, bots: usize) -> Result<(CensusRow, Count)> {
    let count = Count {
        times: read.statements,
        pages: read.pages,
        text: read.characters,
    };
    match row(read) {
        Some(row) if read.bot.is_none_or(|bot| usize::from(bot) < bots) => Ok((row, count)),
        _ => Err(invalid(format!(
            "a census has no such row: {}",
            json::line(read)
        ))),
    }
}

fn row(read: &RowJson) -> Option<CensusRow> {
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    let convention = || ConventionId::find(read.convention.as_deref()?);
    let subject = StatementSubject::find(&name(&read.about));
    let usage = match subject {
        Some(StatementSubject::Use(usage)) => Some(usage),
        _ => None,
    };
    let effect = StatementKind::find(&name(&read.says));
    let by = StatementSide::find(&name(&read.by));
    Some(match read.row.as_str() {
        "pages" => CensusRow::Pages,
        "entered" => CensusRow::Entered,
        "text" => CensusRow::Text { bot: read.bot? },
        "kept-out" => CensusRow::KeptOut { bot: read.bot? },
        "convention" => CensusRow::Convention(convention()?),
        "about" => CensusRow::About(subject?, effect?),
        "said" => CensusRow::Said(CensusStatement {
            convention: convention()?,
            carrier: Carrier::find(&name(&read.carrier))?,
            subject: subject?,
            effect: effect?,
            audience: Audience::find(&name(&read.to))?,
        }),
        "denied" => CensusRow::Denied {
            by: by?,
            bot: read.bot?,
            usage: usage?,
            part: PagePlace::find(&name(&read.part))?,
        },
        "withheld" => CensusRow::Withheld {
            by: by?,
            bot: read.bot?,
            convention: convention()?,
            usage: usage?,
        },
        "note" => CensusRow::Noted(
            NoteKind::ALL
                .into_iter()
                .find(|kind| Some(kind.name()) == read.note.as_deref())?,
            match &read.convention {
                Some(name) => Some(ConventionId::find(name)?),
                None => None,
            },
        ),
        _ => return None,
    })
}
