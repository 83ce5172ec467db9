//! The dates of `unavailable_after`: RFC 822 and 850, ISO 8601, `25 Jun 2010 15:00:00 PST`, with or without weekday,
//! time and zone.
//!
//! An incomplete date means the earliest possible moment. A day without a time is its beginning. A time without a zone,
//! or with an unknown abbreviation, is read 14 hours east of Greenwich. A two-digit year is in this century below 70.

use std::time::SystemTime;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};

/// The moment that a text means, if it can be read as a date.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let text = text.trim();
    let timestamp = match text.parse::<jiff::Timestamp>() {
        Ok(timestamp) => timestamp,
        Err(_) => moment(text)?,
    };
    Some(SystemTime::from(timestamp))
}

fn moment(text: &str) -> Option<jiff::Timestamp> {
    let (date_time, offset) = match iso(text) {
        Some(date_time) => (date_time, EARLIEST),
        None => worded(text)?,
    };
    let zone = TimeZone::fixed(Offset::from_seconds(offset).ok()?);
    zone.to_timestamp(date_time).ok()
}

/// Seconds east of Greenwich in the zone where days begin first.
const EARLIEST: i32 = 14 * 3600;

/// Reads `2030-12-31`, with or without a time, without a zone.
fn iso(text: &str) -> Option<DateTime> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    text.parse::<DateTime>().ok().or_else(|| text.parse::<Date>().ok().map(|date| date.to_datetime(Time::midnight())))
}

/// Reads day, month name and year in words, in either order of day and month.
fn worded(text: &str) -> Option<(DateTime, i32)> {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()).collect::<Vec<_>>();
    if words.first().is_some_and(|word| is_weekday(word)) {
        words.remove(0);
    }
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = words.as_slice();
    while parts.len() < 3
        && let [first, after @ ..] = rest
    {
        parts.extend(first.split('-').filter(|part| !part.is_empty()));
        rest = after;
    }
    let [first, second, year] = parts.as_slice() else { return None };
    let (day, month) = match (month(first), month(second)) {
        (None, Some(month)) => (first, month),
        (Some(month), None) => (second, month),
        _ => return None,
    };
    let date = Date::new(full_year(year)?, month, day.parse().ok()?).ok()?;
    let (time, offset) = time_and_zone(rest)?;
    Some((date.to_datetime(time), offset))
}

fn is_weekday(word: &str) -> bool {
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
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
    let at = MONTHS.iter().position(|month| word.len() >= 3 && month.starts_with(&word))?;
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

fn time_and_zone(words: &[&str]) -> Option<(Time, i32)> {
    match words {
        [] => Some((Time::midnight(), EARLIEST)),
        [time] => Some((time_of_day(time)?, EARLIEST)),
        [time, zone] => Some((time_of_day(time)?, offset(zone)?)),
        _ => None,
    }
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
    if let Some(sign) = upper.strip_prefix('+').map(|_| 1).or_else(|| upper.strip_prefix('-').map(|_| -1)) {
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
