//! Conventions about the use of pages. Most of them are in headers and in a robots.txt.

use crate::policy::Extent;

use super::super::law::{DocRows, elements, records};
use super::super::row::{Convention, Preset};
use super::super::sign::function;
use super::super::uses::{INDEX, MODELS, SIGNALS, TRAIN};

pub(in crate::convention) const ROWS: &[Convention] = &[
    Convention {
        name: "tdm",
        preset: Preset::Web,
        signs: &[function(TRAIN, Extent::Page)],
        rule: "adds up",
        summary: "text and data mining reserved, in META or a header",
        example: r#"<meta name="tdm-reservation" content="1">"#,
        source: "TDM Reservation Protocol",
        readers: "no indexer that we know",
        law: DocRows::Rows(&[elements(
            "META name / header `tdm-reservation`: `1` denies, `0` has no effect, another value is a note (`unreadable-value`); the site's tdmrep.json (6.2). `tdm-policy` is reported (`terms`) and not read",
            "",
        )]),
    },
    Convention {
        name: "rsl",
        preset: Preset::Web,
        signs: &[function(MODELS.union(INDEX), Extent::Page)],
        rule: "the most specific content; licences are alternatives",
        summary: "an RSL licence, if it is available",
        example: r#"<link rel="license" type="application/rsl+xml" href="/licence.xml">"#,
        source: "Really Simple Licensing 1.0",
        readers: "no indexer that we know",
        law: DocRows::Rows(&[elements(
            r#"`Link: <URL>; rel="license"; type="application/rsl+xml"`, `link` with the same, `License: URL` in a robots.txt, or `<script type="application/rsl+xml">` with the document itself: what the RSL document there says of the page (6.3), where it is at hand"#,
            "train, input, index, page",
        )]),
    },
    Convention {
        name: "content-signal",
        preset: Preset::Web,
        signs: &[function(SIGNALS, Extent::Page)],
        rule: "a no denies; use is the most",
        summary: "Content Signals in a robots.txt, a header or META",
        example: "Content-Signal: search=yes, ai-train=no, use=reference",
        source: "Cloudflare, contentsignals.org; draft-romm-aipref-contentsignals",
        readers: "Cloudflare's crawler",
        law: DocRows::Rows(&[
            elements(
                "header `Content-Signal: search=yes, ai-input=no, ai-train=no, use=reference`, the same in META `content-signal`; the words are those of 6.1",
                "as in 6.1, page",
            ),
            records(
                "`Content-Signal: [PATH] search=yes, ai-input=no, ai-train=no, use=reference`, also `Content-Signals`",
                "`search` no: index; `ai-train` no: train; `ai-input` no: input; `use`: see below",
            ),
        ]),
    },
    Convention {
        name: "ai-training",
        preset: Preset::Web,
        signs: &[function(TRAIN, Extent::Response)],
        rule: "the longest path",
        summary: "Rules about training in a robots.txt",
        example: "DisallowAITraining: /",
        source: "draft-canel-robots-ai-control",
        readers: "no indexer that we know",
        law: DocRows::Rows(&[records(
            "`DisallowAITraining: PATH`, `AllowAITraining: PATH`; the rules of a group for training",
            "train",
        )]),
    },
    Convention {
        name: "noindex-record",
        preset: Preset::All,
        signs: &[function(INDEX, Extent::Response)],
        rule: "any denies",
        summary: "Noindex in a robots.txt",
        example: "Noindex: /drafts/",
        source: "nobody's; large engines read it until 2019",
        readers: "Google until 2019",
        law: DocRows::Rows(&[records("`Noindex: PATH`", "index")]),
    },
    Convention {
        name: "aipref",
        preset: Preset::Web,
        signs: &[function(INDEX.union(MODELS), Extent::Response)],
        rule: "adds up; of one key in a line the last",
        summary: "Content-Usage, a header or in a robots.txt",
        example: "Content-Usage: train-ai=n, ai-use=n",
        source: "draft-ietf-aipref-vocab-08, -attach-05",
        readers: "no indexer that we know",
        law: DocRows::Rows(&[
            elements(
                "header `Content-Usage: train-ai=n, ai-use=n, search=n` (RFC 9651 dictionary; lines add up)",
                "train / input / index, page",
            ),
            records(
                "`Content-Usage: [PATH] train-ai=n, ai-use=n, search=n`, the words of the header (4.5)",
                "train / input / index",
            ),
        ]),
    },
];
