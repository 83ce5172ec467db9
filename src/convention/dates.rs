//! Parses the dates of `unavailable_after`: RFC 822 and 850, `asctime`, all calendars of ISO 8601,
//! `25 Jun 2010 15:00:00 PST`, `12/31/2010`. Weekday, time and zone are optional.
//!
//! An incomplete date means the earliest possible moment, which withholds most. A day without a
//! time means its beginning. A month or a year means its first day. A time without a zone, or with
//! an unknown abbreviation, is read 14 hours east of Greenwich. A two-digit year below 70 is in
//! this century. If the year is the last of three numbers, day and month may be in either order.

use std::time::SystemTime;

use jiff::SignedDuration;
use jiff::civil::{Date, ISOWeekDate, Time};
use jiff::fmt::temporal::Pieces;
use jiff::tz::{Offset, TimeZone};

/// Parses the date of an `unavailable_after` in any known format. Returns `None` if the text is not
/// a date.
pub(super) fn parse(text: &str) -> Option<SystemTime> {
    let (date, time) = parse_numeric(text.trim()).or_else(|| parse_words(text))?;
    let moment = date
        .to_datetime(Time::midnight())
        .checked_add(SignedDuration::from_secs(time.seconds))
        .ok()?;
    let zone = TimeZone::fixed(Offset::from_seconds(time.offset).ok()?);
    zone.to_timestamp(moment).ok().map(SystemTime::from)
}

/// A time of the day, with its zone.
struct TimeOfDay {
    /// Number of seconds since midnight.
    seconds: i64,
    /// Offset of the time zone from Greenwich in seconds, east positive.
    offset: i32,
}

/// Offset, in seconds east of Greenwich, that is assumed for a time without a known zone. In the
/// zone with this offset, each day begins first, so a page expires as early as possible.
const EARLIEST: i32 = 14 * 3600;

/// Parses a date without the name of a month, such as `2010-06-25` or `2010-W25-5`. A time and a
/// zone may follow the date.
fn parse_numeric(text: &str) -> Option<(Date, TimeOfDay)> {
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let text = text.to_ascii_uppercase();
    let (day, time) = text.split_at(text.find(['T', ' ']).unwrap_or(text.len()));
    let date = match three_numbers(day) {
        Some(numbers) => date_from_numbers(numbers)?,
        None => date_from_iso(day)?,
    };
    Some((date, parse_time(time.strip_prefix('T').unwrap_or(time))?))
}

/// Returns the three numbers of a date such as `12/31/2010`, in the order of the text. Returns
/// `None` if the text has another form.
fn three_numbers(day: &str) -> Option<[i16; 3]> {
    let mut parts = day.split(['-', '/', '.']);
    let numbers = [
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
        parts.next()?.parse().ok()?,
    ];
    if parts.next().is_some() {
        return None;
    }
    Some(numbers)
}

/// Returns the day that the three numbers of a date mean. The year is the first or the last number.
/// If it is the last, day and month may be in either order, and the earlier possible day is
/// returned.
fn date_from_numbers([first, second, third]: [i16; 3]) -> Option<Date> {
    match (first, third) {
        (1000.., _) => new_date(first, second, third),
        (_, 1000..) => {
            let month_first = new_date(third, first, second);
            let day_first = new_date(third, second, first);
            month_first.into_iter().chain(day_first).min()
        }
        _ => None,
    }
}

fn new_date(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()
}

/// Parses a date of ISO 8601: a day, a week, a month or a year. Returns the first day of a week,
/// month or year.
fn date_from_iso(day: &str) -> Option<Date> {
    for rest in ["", "-01", "-01-01"] {
        if let Ok(date) = [day, rest].concat().parse() {
            return Some(date);
        }
    }
    for rest in ["", "-1", "1"] {
        if let Ok(week) = [day, rest].concat().parse::<ISOWeekDate>() {
            return Some(week.date());
        }
    }
    let digits = day.len() - usize::from(day.contains('-'));
    if digits != 7 {
        return None;
    }
    for form in ["%Y%j", "%Y-%j"] {
        if let Ok(date) = Date::strptime(form, day) {
            return Some(date);
        }
    }
    None
}

/// Parses a date whose month is a word, such as `25 Jun 2010 15:00:00 PST`. The day may precede or
/// follow the month.
fn parse_words(text: &str) -> Option<(Date, TimeOfDay)> {
    let mut words = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>();
    if let Some(first) = words.first()
        && is_weekday(first)
    {
        words.remove(0);
    }
    // In the format of `asctime` the year follows the time.
    if let Some(third) = words.get(2)
        && third.contains(':')
    {
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
    Some((date, parse_time(&rest.join(" "))?))
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

/// Parses a time and a zone, in ISO 8601 or as words such as `15:00:00 PST`. The hour 24 means the
/// end of the day. An empty text means midnight at its start.
fn parse_time(text: &str) -> Option<TimeOfDay> {
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
    if !is_end {
        return Some(TimeOfDay { seconds, offset });
    }
    (seconds == 0).then_some(TimeOfDay {
        seconds: 24 * 3600,
        offset,
    })
}

/// Parses a time of ISO 8601. Returns the time, and the offset of its zone from Greenwich in
/// seconds, east positive.
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
    let second = match parts.next() {
        Some(second) => second.parse().ok()?,
        None => 0,
    };
    if parts.next().is_some() {
        return None;
    }
    Time::new(hour, minute, second, 0).ok()
}

/// Returns the offset of a time zone, such as `PST` or `+0200`, from Greenwich in seconds. It is
/// positive for zones in the east. For an unknown abbreviation, returns [`EARLIEST`]. For any other
/// text, returns `None`.
fn offset(zone: &str) -> Option<i32> {
    let upper = zone.trim_matches(['(', ')']).to_ascii_uppercase();
    let sign = match upper.as_bytes().first() {
        Some(b'+') => Some(1),
        Some(b'-') => Some(-1),
        _ => None,
    };
    if let Some(sign) = sign {
        let digits: String = upper.chars().filter(char::is_ascii_digit).collect();
        if digits.len() != 4 {
            return None;
        }
        let number: i32 = digits.parse().ok()?;
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
