//! The dates of `unavailable_after`: RFC 822 and 850, `asctime`, all calendars of ISO 8601,
//! `25 Jun 2010 15:00:00 PST`, `12/31/2010`, with or without weekday, time and zone.
//!
//! An incomplete date means the earliest possible moment. A day without a time is its beginning, a
//! month or a year is its first day. A time without a zone, or with an unknown abbreviation, is
//! read 14 hours east of Greenwich. A two-digit year is in this century below 70. In figures, a day
//! and a month may stand in either order before the year.

use std::time::SystemTime;

use jiff::SignedDuration;
use jiff::civil::{Date, ISOWeekDate, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};

/// The moment that a text means, if it can be read as a date.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let (date, (seconds, offset)) = in_figures(text.trim()).or_else(|| worded(text))?;
    let moment = date
        .to_datetime(Time::midnight())
        .checked_add(SignedDuration::from_secs(seconds))
        .ok()?;
    let zone = TimeZone::fixed(Offset::from_seconds(offset).ok()?);
    zone.to_timestamp(moment).ok().map(SystemTime::from)
}

/// Seconds since midnight, and those of the zone east of Greenwich.
type TimeOfDay = (i64, i32);

/// Seconds east of Greenwich in the zone where days begin first.
const EARLIEST: i32 = 14 * 3600;

/// Reads a day in figures, then perhaps a time and a zone.
fn in_figures(text: &str) -> Option<(Date, TimeOfDay)> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let text = text.to_ascii_uppercase();
    let (day, time) = text.split_at(text.find(['T', ' ']).unwrap_or(text.len()));
    let parts = day
        .split(['-', '/', '.'])
        .map(|part| part.parse().ok())
        .collect::<Option<Vec<i16>>>();
    let date = match parts.as_deref() {
        Some([first, second, third]) => of_numbers(*first, *second, *third)?,
        _ => of_iso(day)?,
    };
    Some((date, clock(time.strip_prefix('T').unwrap_or(time))?))
}

/// The day of three numbers. If the year stands last it is the earlier of two, where there are two.
fn of_numbers(first: i16, second: i16, third: i16) -> Option<Date> {
    let date = |year, month: i16, day: i16| {
        Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
    };
    match (first, third) {
        (1000.., _) => date(first, second, third),
        (_, 1000..) => date(third, first, second)
            .into_iter()
            .chain(date(third, second, first))
            .min(),
        _ => None,
    }
}

/// The day of a calendar date, a week or a day of the year in ISO 8601. Of a month or a week it is
/// the first.
fn of_iso(day: &str) -> Option<Date> {
    let with = |rest: &&str| [day, *rest].concat();
    let calendar = || {
        ["", "-01", "-01-01"]
            .iter()
            .find_map(|rest| with(rest).parse().ok())
    };
    let week = || {
        ["", "-1", "1"]
            .iter()
            .find_map(|rest| with(rest).parse::<ISOWeekDate>().ok())
    };
    let of_year = || {
        ["%Y%j", "%Y-%j"]
            .iter()
            .find_map(|form| Date::strptime(form, day).ok())
    };
    let is_of_year = day.len() - usize::from(day.contains('-')) == 7;
    calendar()
        .or_else(|| week().map(ISOWeekDate::date))
        .or_else(|| is_of_year.then(of_year).flatten())
}

/// Reads day, month name and year in words, in any order that has the month in it.
fn worded(text: &str) -> Option<(Date, TimeOfDay)> {
    let mut words = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>();
    if words.first().is_some_and(|word| is_weekday(word)) {
        words.remove(0);
    }
    // In the form of `asctime` the year stands behind the time.
    if words.get(2).is_some_and(|word| word.contains(':')) {
        let year = words.pop()?;
        words.insert(2, year);
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = words.as_slice();
    while parts.len() < 3
        && let [first, after @ ..] = rest
    {
        parts.extend(first.split('-').filter(|part| !part.is_empty()));
        rest = after;
    }
    let [first, second, third] = parts.as_slice() else {
        return None;
    };
    let (day, month) = match (month(first), month(second)) {
        (None, Some(month)) => (first, month),
        (Some(month), None) => (second, month),
        _ => return None,
    };
    let (day, year) = if day.len() == 4 {
        (third, day)
    } else {
        (day, third)
    };
    let date = Date::new(full_year(year)?, month, day.parse().ok()?).ok()?;
    Some((date, clock(&rest.join(" "))?))
}

fn is_weekday(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
    .iter()
    .any(|day| word.len() >= 3 && day.starts_with(&word))
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    let at = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && month.starts_with(&word))?;
    i8::try_from(at + 1).ok()
}

fn full_year(word: &str) -> Option<i16> {
    let year: i16 = word.parse().ok()?;
    match (word.len(), year) {
        (4, _) => Some(year),
        (2, 0..70) => Some(2000 + year),
        (2, _) => Some(1900 + year),
        _ => None,
    }
}

/// Reads a time and a zone, in ISO 8601 or in words. The last moment of a day may be its hour 24.
fn clock(text: &str) -> Option<TimeOfDay> {
    let text = text.trim();
    let is_end = text.starts_with("24");
    let text = if is_end {
        text.replacen("24", "00", 1)
    } else {
        text.to_owned()
    };
    let words: Vec<_> = text.split_whitespace().collect();
    let (time, offset) = match (words.as_slice(), iso_clock(&text)) {
        ([], _) => (Time::midnight(), EARLIEST),
        (_, Some(clock)) => clock,
        ([time], _) => (time_of_day(time)?, EARLIEST),
        ([time, zone], _) => (time_of_day(time)?, offset(zone)?),
        _ => return None,
    };
    let seconds =
        i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
    match is_end {
        true => (seconds == 0).then_some((24 * 3600, offset)),
        false => Some((seconds, offset)),
    }
}

/// Reads a time of ISO 8601, beside a day.
fn iso_clock(text: &str) -> Option<(Time, i32)> {
    let beside = format!("2000-01-01T{text}");
    let pieces = Pieces::parse(&beside).ok()?;
    Some((
        pieces.time()?,
        pieces.to_numeric_offset().map_or(EARLIEST, Offset::seconds),
    ))
}

fn time_of_day(word: &str) -> Option<Time> {
    let mut parts = word.split(':');
    let hour = parts.next()?.parse().ok()?;
    let minute = parts.next()?.parse().ok()?;
    let second = parts.next().map_or(Some(0), |second| second.parse().ok())?;
    if parts.next().is_some() {
        return None;
    }
    Time::new(hour, minute, second, 0).ok()
}

/// Seconds east of Greenwich. An unknown abbreviation counts as the earliest zone.
fn offset(zone: &str) -> Option<i32> {
    let upper = zone.trim_matches(['(', ')']).to_ascii_uppercase();
    if let Some(sign) = upper
        .strip_prefix('+')
        .map(|_| 1)
        .or_else(|| upper.strip_prefix('-').map(|_| -1))
    {
        let digits: String = upper.chars().filter(char::is_ascii_digit).collect();
        let number: i32 = digits.parse().ok().filter(|_| digits.len() == 4)?;
        return Some(sign * (number / 100 * 3600 + number % 100 * 60));
    }
    if upper.is_empty() || !upper.bytes().all(|b| b.is_ascii_alphabetic()) || upper.len() > 5 {
        return None;
    }
    let hours = match upper.as_str() {
        "UTC" | "GMT" | "UT" | "Z" | "WET" => 0,
        "CET" | "WEST" | "MEZ" => 1,
        "CEST" | "MESZ" | "EET" => 2,
        "EEST" | "MSK" => 3,
        "JST" | "KST" => 9,
        "AEST" => 10,
        "AEDT" => 11,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        _ => 14,
    };
    Some(hours * 3600)
}
