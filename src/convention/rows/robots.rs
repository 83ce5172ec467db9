//! Conventions with the words of META robots: META, headers, `rel`, Spiderline's comments, and the
//! classes of the Robot Exclusion Profile.

use crate::policy::Extent;

use super::super::law::{DocRows, elements, regions};
use super::super::row::{Convention, Preset};
use super::super::sign::{function, read};
use super::super::uses::{BOTH, LINK, META, MODELS, PROFILE};

pub(in crate::convention) const ROWS: &[Convention] = &[
    Convention {
        name: "meta",
        preset: Preset::Seed,
        signs: &[function(META, Extent::Page)],
        rule: "adds up",
        summary: "META robots, and META with a bot's name",
        example: r#"<meta name="robots" content="noindex, nofollow">"#,
        source: "Robots META tag 1996; MDN, Google, ht://Dig, FreeFind",
        readers: "most crawlers, each in part",
        law: DocRows::Prose,
    },
    Convention {
        name: "header",
        preset: Preset::Web,
        signs: &[function(META, Extent::Response)],
        rule: "adds up, line by line",
        summary: "the X-Robots-Tag header",
        example: "X-Robots-Tag: noarchive, foobot: noindex",
        source: "Google, MDN",
        readers: "Google, Bing, Fess, YaCy, DataparkSearch; Norconex its first value",
        law: DocRows::Prose,
    },
    Convention {
        name: "robots-tag",
        preset: Preset::Web,
        signs: &[function(META, Extent::Response)],
        rule: "adds up",
        summary: "the Robots-Tag header",
        example: "Robots-Tag: *;nosnippet, foobot;noindex",
        source: "draft-illyes-repext",
        readers: "no indexer that we know",
        law: DocRows::Prose,
    },
    Convention {
        name: "noarchive-train",
        preset: Preset::Web,
        signs: &[function(MODELS, Extent::Page)],
        rule: "adds up",
        summary: "noarchive and nocache in META robots or X-Robots-Tag: no training, no answers",
        example: r#"<meta name="robots" content="noarchive">"#,
        source: "Bing 2023; Amazon 2026, of training",
        readers: "Bing; Amazon of training",
        law: DocRows::Prose,
    },
    Convention {
        name: "spiderline",
        preset: Preset::Seed,
        signs: &[read(
            BOTH,
            &[
                "/robots",
                "robots content=noindex",
                "robots content=nofollow",
                "robots content=none",
            ],
        )],
        rule: "counted",
        summary: "regions between robots comments",
        example: r#"<!-- robots content="noindex" --> ... <!-- /robots -->"#,
        source: "Spiderline",
        readers: "nobody any more",
        law: DocRows::Rows(&[regions(
            r#"`robots content="noindex\|nofollow\|none\|..."` ... `/robots`"#,
            "index+anchor / follow / all three; `index follow all` nothing (the region still counts)",
        )]),
    },
    Convention {
        name: "rel",
        preset: Preset::Seed,
        signs: &[function(LINK, Extent::Node)],
        rule: "adds up",
        summary: "rel=nofollow, ugc and sponsored on links",
        example: r#"<a href="/ad" rel="nofollow">"#,
        source: "HTML, Google",
        readers: "Google as a hint, Nutch, Elastic, Funnelback",
        law: DocRows::Rows(&[elements(
            "the words `nofollow` `ugc` `sponsored` in `rel`, separated by spaces or commas, on `a` `area` `form`",
            "follow, anchor, that link",
        )]),
    },
    Convention {
        name: "profile",
        preset: Preset::Seed,
        signs: &[function(PROFILE, Extent::Subtree)],
        rule: "nearest wins",
        summary: "class names of the Robot Exclusion Profile, where the page declares it",
        example: r#"<p class="robots-noindex robot1-index">"#,
        source: "Robot Exclusion Profile 2005",
        readers: "nobody",
        law: DocRows::Prose,
    },
    Convention {
        name: "profile-undeclared",
        preset: Preset::Web,
        signs: &[function(PROFILE, Extent::Subtree)],
        rule: "nearest wins, denials only",
        summary: "denials of these classes on pages that do not declare the profile; results name them `profile`",
        example: r#"<p class="robots-noindex">"#,
        source: "Robot Exclusion Profile 2005, as it is used",
        readers: "ChupaText `robots-noindex`",
        law: DocRows::Prose,
    },
];
