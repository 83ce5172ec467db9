//! Header lines of a response. The name of a line decides which conventions read it
//! (docs/semantics.md, section 4.2).
//!
//! A header's value with line breaks may be several lines or a single line, so both are read. Each
//! convention gives the value its meaning. A header with a similar name or with unusual characters
//! is read by the same parsers, but only its denials have an effect.

use std::borrow::Cow;

use heedful_base::lenient::Shape;

use super::collector::StatementCollector;
use super::{aipref, header, robots_tag, rsl, signal, site_search, tdm};

/// A convention that reads response headers.
struct HeaderConvention {
    name: &'static str,
    /// Predicate that is true for the names of the headers that the convention reads.
    is_name: fn(&str) -> bool,
    /// Function that reads the value of one header line.
    read: fn(&str, &mut StatementCollector<'_>),
    /// Syntax of the header's value, which decides which misspellings in the value are repaired.
    /// `None` if no misspellings are repaired.
    shape: Option<Shape>,
}

const HEADERS: [HeaderConvention; 6] = [
    HeaderConvention {
        name: "header",
        is_name: header::is_name,
        read: header::header,
        shape: Some(Shape::Words),
    },
    HeaderConvention {
        name: robots_tag::CONVENTION,
        is_name: robots_tag::is_header,
        read: robots_tag::header,
        shape: Some(Shape::Field),
    },
    HeaderConvention {
        name: "tdm",
        is_name: tdm::is_name,
        read: tdm::header,
        shape: Some(Shape::Words),
    },
    HeaderConvention {
        name: aipref::CONVENTION,
        is_name: aipref::is_name,
        read: aipref::header,
        shape: Some(aipref::SHAPE),
    },
    HeaderConvention {
        name: rsl::CONVENTION,
        is_name: rsl::is_header,
        read: rsl::header,
        shape: None,
    },
    HeaderConvention {
        name: signal::CONVENTION,
        is_name: signal::is_name,
        read: signal::header,
        shape: Some(signal::SHAPE),
    },
];

/// Reads a response header by every convention in force, and adds its statements to `collector`.
pub fn read_header(name: &str, value: &str, collector: &mut StatementCollector<'_>) {
    for line in field_lines(value) {
        header_line(name, &line, collector);
    }
}

/// Returns the name and the value of a header line. A caller may have put the whole line, or its
/// beginning, into `name`. If `name` contains a colon, it is split there.
pub fn split_name<'a>(name: &'a str, value: &'a str) -> (&'a str, Cow<'a, str>) {
    match name.split_once(':') {
        Some((own, rest)) if !own.trim().is_empty() => (own, Cow::Owned(format!("{rest} {value}"))),
        _ => (name, Cow::Borrowed(value)),
    }
}

/// Returns the part of a header's value that some convention reads. For a `Link` header, this part
/// is the links to RSL licences. For any other header, it is the whole value. Returns `None` if no
/// convention reads any part.
pub fn deciding_value(name: &str, value: &str) -> Option<String> {
    if rsl::is_header(name) {
        let links: Vec<_> = field_lines(value)
            .iter()
            .filter_map(|line| rsl::links_to_licences(line))
            .collect();
        return (!links.is_empty()).then(|| links.join(", "));
    }
    let is_read =
        HEADERS.iter().any(|header| (header.is_name)(name)) || site_search::is_header(name);
    is_read.then(|| value.to_owned())
}

/// Splits a header's value at its line breaks. A line that begins with a blank is joined to the
/// line before it (RFC 9112, section 5.2). If several lines are left, a line that joins them all is
/// added. It is unknown whether these lines are one value or several headers.
fn field_lines(value: &str) -> Vec<Cow<'_, str>> {
    const BREAKS: [char; 2] = ['\r', '\n'];
    if !value.contains(BREAKS) {
        return vec![Cow::Borrowed(value)];
    }
    let mut lines: Vec<String> = Vec::new();
    for line in value.split(BREAKS).filter(|line| !line.trim().is_empty()) {
        match lines.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
            Some(before) => before.extend([" ", line.trim_start()]),
            None => lines.push(line.to_owned()),
        }
    }
    if lines.len() != 1 {
        lines.push(lines.join(" "));
    }
    lines.into_iter().map(Cow::Owned).collect()
}

fn header_line(name: &str, value: &str, collector: &mut StatementCollector<'_>) {
    for convention in &HEADERS {
        if (convention.is_name)(name) && collector.conventions.has(convention.name) {
            header_value(convention, name, value, collector);
        }
    }
    if collector.conventions.has("tdm") {
        tdm::policy_header(name, value, collector);
    }
    site_search::header(name, collector);
    collector.report_contradictions();
}

fn header_value(
    convention: &HeaderConvention,
    name: &str,
    value: &str,
    collector: &mut StatementCollector<'_>,
) {
    match convention.shape {
        None => (convention.read)(value, collector),
        // No convention reads a header with this name in its exact form.
        Some(shape) if header::is_nearly_named(name) => {
            collector.read_lenient_text(value, shape, ODD_HEADER, convention.read);
        }
        Some(shape) => collector.read_text(value, shape, ODD_HEADER, convention.read),
    }
}

const ODD_HEADER: &str =
    "most robots ignore this line, because its name or a character in it is wrong";
