//! Generates pages for benchmarks: the same number gives the same page. Word frequencies are as in
//! real text. Two thirds of a page are markup and script, and some regions are withheld.

use std::fmt::Write as _;
use std::io::Write;

/// Number of different words in generated pages.
const WORDS: u64 = 200_000;

/// Markup that each generated page repeats around its text.
const MARKUP: &str = r#"<div class="card card--wide" data-id="entry" role="article"><header class="card-head"><svg width="16" height="16"
viewBox="0 0 16 16"><path d="M8 1l2.2 4.6 5 .7-3.6 3.5.9 5L8 12.4l-4.5 2.4.9-5L.8 6.3l5-.7z"/></svg></header><img src="/static/picture.jpg" alt=""
loading="lazy" srcset="/static/picture-2x.jpg 2x"></div><script>window.entries=window.entries||[];window.entries.push({seen:Date.now(),id:1});</script>"#;

/// Generator of random numbers. The same seed gives the same numbers.
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn word(&mut self, into: &mut String) {
        let share = self.below(1 << 20) as f64 / f64::from(1 << 20);
        let mut number = (share.powi(4) * WORDS as f64) as u64 + 7;
        while number > 0 {
            into.push(char::from(b"bdfghklmnprstvwz"[(number % 16) as usize]));
            into.push(char::from(b"aeiou"[(number / 16 % 5) as usize]));
            number /= 80;
        }
    }
}

/// Returns the generated page with this number. It has about `size` bytes, markup included.
pub(crate) fn page(number: u64, size: usize) -> String {
    let mut chance = Chance::new(number + 1);
    let mut html =
        format!("<!doctype html><html><head><title>Page {number}</title></head><body>\n");
    while html.len() < size.saturating_sub(20) {
        let withheld = chance.below(200) == 0;
        html.push_str(MARKUP);
        html.push_str(if withheld {
            "<!--noindex--><div class=\"box\">"
        } else {
            "<div class=\"entry wide\"><p>"
        });
        for _ in 0..20 + chance.below(20) {
            chance.word(&mut html);
            html.push(' ');
        }
        let target = chance.below(1 << 20);
        let _ = write!(html, "<a href=\"/page/{target}\" class=\"link\">");
        chance.word(&mut html);
        html.push_str(if withheld {
            "</a></div><!--/noindex-->\n"
        } else {
            "</a></p></div>\n"
        });
    }
    html.push_str("</body></html>");
    html
}

/// Writes generated pages as WARC records to `out`, each of about `size` bytes. Begins with the
/// page number `first`. Stops at `most_bytes` bytes or `most_pages` pages. Returns the number of
/// written pages.
pub(crate) fn warc(out: &mut dyn Write, size: usize, most_bytes: u64, most_pages: u64) -> u64 {
    let (mut written, mut number) = (0, 0);
    while written < most_bytes && number < most_pages {
        let html = page(number, size);
        let head = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
            html.len()
        );
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://site{}.example/page/{number}\r\n\
             WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{head}{html}\r\n\r\n",
            number % 100,
            head.len() + html.len()
        );
        out.write_all(record.as_bytes()).unwrap();
        written += record.len() as u64;
        number += 1;
    }
    number
}
