//! The list of conventions.
//!
//! The list is the only one there is: what is obeyed, what `heedful dialects` shows and what the corpus must cover are read
//! from it. What each says is decided in the other files of this room.

mod site_search;

use crate::policy::{Extent, Facet, Facets};

use super::{BOTH, INDEX, SHOWN, SNIPPET, TEXT};

/// One convention.
#[derive(Debug)]
pub struct Dialect {
    name: &'static str,
    pub(super) preset: Preset,
    reach: Extent,
    denies: Facets,
    rule: &'static str,
    summary: &'static str,
    example: &'static str,
    source: &'static str,
}

impl Dialect {
    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The smallest preset that it belongs to: `seed`, `web` or `all`.
    pub fn preset(&self) -> &'static str {
        self.preset.name()
    }

    /// How far what it says reaches.
    pub fn reach(&self) -> Extent {
        self.reach
    }

    /// What it can deny, derived facets apart.
    pub fn denies(&self) -> Facets {
        self.denies
    }

    /// What counts where it speaks twice.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// What it is, in a few words.
    pub fn summary(&self) -> &'static str {
        self.summary
    }

    /// How it is written.
    pub fn example(&self) -> &'static str {
        self.example
    }

    /// Whose it is, or where it is described.
    pub fn source(&self) -> &'static str {
        self.source
    }
}

/// The smallest preset that a dialect belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Preset {
    Seed,
    Web,
    All,
}

impl Preset {
    fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Web => "web",
            Self::All => "all",
        }
    }
}

const LINK: Facets = Facets::of(&[Facet::Follow, Facet::Anchor]);
const FLAGS: Facets = Facets::of(&[Facet::Index, Facet::Anchor, Facet::Follow, Facet::Snippet]);
const PROFILE: Facets = Facets::of(&[Facet::Index, Facet::Follow, Facet::Anchor, Facet::Archive, Facet::Snippet]);
/// All that a META may deny, by whichever dialect.
pub(crate) const PAGE: Facets = META.with(MODELS);
/// What a model may make of a page.
const MODELS: Facets = Facets::of(&[Facet::Train, Facet::Input]);
const META: Facets = Facets::of(&[
    Facet::Index,
    Facet::Follow,
    Facet::Archive,
    Facet::Snippet,
    Facet::Image,
    Facet::Translate,
    Facet::Train,
]);

/// What a use of pages may leave out: all but links.
const SIGNALS: Facets = Facets::of(&[
    Facet::Index,
    Facet::Archive,
    Facet::Snippet,
    Facet::Image,
    Facet::Translate,
    Facet::Train,
    Facet::Input,
]);

/// All dialects.
pub static LIST: &[Dialect] = &[
    Dialect {
        name: "meta",
        preset: Preset::Seed,
        reach: Extent::Page,
        denies: META,
        rule: "adds up",
        summary: "META robots, and META with a bot's name",
        example: r#"<meta name="robots" content="noindex, nofollow">"#,
        source: "Robots META tag 1996; MDN, Google, ht://Dig, FreeFind",
    },
    Dialect {
        name: "header",
        preset: Preset::Web,
        reach: Extent::Response,
        denies: META,
        rule: "adds up, line by line",
        summary: "the X-Robots-Tag header",
        example: "X-Robots-Tag: noarchive, foobot: noindex",
        source: "Google, MDN",
    },
    Dialect {
        name: "robots-tag",
        preset: Preset::Web,
        reach: Extent::Response,
        denies: META,
        rule: "adds up",
        summary: "the Robots-Tag header",
        example: "Robots-Tag: *;nosnippet, foobot;noindex",
        source: "draft-illyes-repext",
    },
    Dialect {
        name: "noarchive-train",
        preset: Preset::Web,
        reach: Extent::Page,
        denies: MODELS,
        rule: "adds up",
        summary: "noarchive and nocache in META robots or X-Robots-Tag: no training, no answers",
        example: r#"<meta name="robots" content="noarchive">"#,
        source: "Bing 2023; Amazon 2026, of training",
    },
    Dialect {
        name: "spiderline",
        preset: Preset::Seed,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted",
        summary: "regions between robots comments",
        example: r#"<!-- robots content="noindex" --> ... <!-- /robots -->"#,
        source: "Spiderline",
    },
    Dialect {
        name: "rel",
        preset: Preset::Seed,
        reach: Extent::Node,
        denies: LINK,
        rule: "adds up",
        summary: "rel=nofollow, ugc and sponsored on links",
        example: r#"<a href="/ad" rel="nofollow">"#,
        source: "HTML, Google",
    },
    Dialect {
        name: "profile",
        preset: Preset::Seed,
        reach: Extent::Subtree,
        denies: PROFILE,
        rule: "nearest wins",
        summary: "class names of the Robot Exclusion Profile, where the page declares it",
        example: r#"<p class="robots-noindex robot1-index">"#,
        source: "Robot Exclusion Profile 2005",
    },
    Dialect {
        name: "profile-undeclared",
        preset: Preset::Web,
        reach: Extent::Subtree,
        denies: PROFILE,
        rule: "nearest wins, denials only",
        summary: "their denials also where the page does not declare the profile",
        example: r#"<p class="robots-noindex">"#,
        source: "Robot Exclusion Profile 2005, as it is used",
    },
    Dialect {
        name: "googleoff",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: FLAGS,
        rule: "counted by flag",
        summary: "regions by flag, from the Google Search Appliance",
        example: "<!--googleoff: index--> ... <!--googleon: index-->",
        source: "Google Search Appliance help",
    },
    Dialect {
        name: "noindex-comment",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "noindex comments",
        example: "<!--noindex--> ... <!--/noindex-->",
        source: "Yandex, Funnelback, Swish-e",
    },
    Dialect {
        name: "swish",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted",
        summary: "Swish-e",
        example: "<!-- SwishCommand noindex --> ... <!-- SwishCommand index -->",
        source: "Swish-e 2.x",
    },
    Dialect {
        name: "htdig",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted",
        summary: "ht://Dig and hldig",
        example: "<!--htdig_noindex--> ... <!--/htdig_noindex-->",
        source: "ht://Dig, hldig, Omega",
    },
    Dialect {
        name: "udm",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "mnoGoSearch and DataparkSearch",
        example: "<!--UdmComment--> ... <!--/UdmComment-->",
        source: "mnoGoSearch, DataparkSearch",
    },
    Dialect {
        name: "stopindex",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "stopindex comments",
        example: "<!--stopindex--> ... <!--startindex-->",
        source: "Ultraseek",
    },
    Dialect {
        name: "beginnoindex",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "begin and end noindex",
        example: "<!-- BeginNoIndex --> ... <!-- EndNoIndex -->",
        source: "dtSearch, Coveo",
    },
    Dialect {
        name: "zoom",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted, text and links apart",
        summary: "Zoom: text, links",
        example: "<!--ZOOMSTOP--> ... <!--ZOOMRESTART-->",
        source: "Wrensoft Zoom",
    },
    Dialect {
        name: "freefind",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted, text and links apart",
        summary: "FreeFind: text, links, page",
        example: "<!-- FreeFind Begin No Index --> ... <!-- FreeFind End No Index -->",
        source: "FreeFind tag reference",
    },
    Dialect {
        name: "sphider",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "Sphider",
        example: "<!--sphider_noindex--> ... <!--/sphider_noindex-->",
        source: "Sphider",
    },
    Dialect {
        name: "picosearch",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: BOTH,
        rule: "counted by pair",
        summary: "PicoSearch: all, text, links",
        example: "<!--PICOSEARCH_SKIPALLSTART--> ... <!--PICOSEARCH_SKIPALLEND-->",
        source: "PicoSearch FAQ",
    },
    Dialect {
        name: "phpdig",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "PhpDig",
        example: "<!-- phpdigExclude --> ... <!-- phpdigInclude -->",
        source: "PhpDig",
    },
    Dialect {
        name: "perlfect",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "Perlfect Search",
        example: "<!--ignore_perlfect_search--> ... <!--/ignore_perlfect_search-->",
        source: "Perlfect Search",
    },
    Dialect {
        name: "keyoti",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "Keyoti",
        example: "<!--keyoti_search_ignore_begin--> ... <!--keyoti_search_ignore_end-->",
        source: "Keyoti",
    },
    Dialect {
        name: "contao",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "Contao",
        example: "<!-- indexer::stop --> ... <!-- indexer::continue -->",
        source: "Contao",
    },
    site_search::CONTAO_NOSEARCH,
    Dialect {
        name: "botpni",
        preset: Preset::Web,
        reach: Extent::Region,
        denies: TEXT,
        rule: "counted",
        summary: "MHonArc",
        example: "<!--X-BotPNI--> ... <!--X-BotPNI-End-->",
        source: "MHonArc, mnoGoSearch",
    },
    Dialect {
        name: "typo3",
        preset: Preset::All,
        reach: Extent::Region,
        denies: INDEX,
        rule: "inclusive, switches",
        summary: "TYPO3: only what stands between the marks",
        example: "<!--TYPO3SEARCH_begin--> ... <!--TYPO3SEARCH_end-->",
        source: "TYPO3 indexed_search",
    },
    Dialect {
        name: "adsense",
        preset: Preset::All,
        reach: Extent::Region,
        denies: INDEX,
        rule: "counted",
        summary: "AdSense, which speaks to advertisers",
        example: "<!-- google_ad_section_start(weight=ignore) --> ... <!-- google_ad_section_end -->",
        source: "AdSense, DataparkSearch",
    },
    Dialect {
        name: "noindex-element",
        preset: Preset::Web,
        reach: Extent::Subtree,
        denies: TEXT,
        rule: "nothing re-enables; also from tag to tag, counted",
        summary: "the noindex element",
        example: "<noindex> ... </noindex>",
        source: "Yandex, Atomz, mnoGoSearch, ht://Dig",
    },
    Dialect {
        name: "nocontent",
        preset: Preset::Web,
        reach: Extent::Subtree,
        denies: SHOWN,
        rule: "nothing re-enables",
        summary: "class robots-nocontent or nocontent",
        example: r#"<div class="robots-nocontent">"#,
        source: "Yahoo, Google Programmable Search",
    },
    Dialect {
        name: "nosnippet",
        preset: Preset::Web,
        reach: Extent::Subtree,
        denies: SNIPPET,
        rule: "nothing re-enables",
        summary: "data-nosnippet: not to be shown with a search result",
        example: "<p data-nosnippet>",
        source: "Google, Bing",
    },
    Dialect {
        name: "class-noindex",
        preset: Preset::All,
        reach: Extent::Subtree,
        denies: TEXT,
        rule: "nothing re-enables",
        summary: "class noindex, which is a styling name too",
        example: r#"<div class="noindex">"#,
        source: "SharePoint, Groonga",
    },
    site_search::PAGEFIND,
    site_search::PAGEFIND_BODY,
    site_search::FINDKIT,
    site_search::FINDKIT_CONTENT,
    site_search::ELASTIC,
    site_search::SWIFTYPE,
    site_search::ADDSEARCH,
    site_search::MKDOCS,
    site_search::SPATIE,
    site_search::DATOCMS,
    site_search::DOCSEARCH,
    site_search::OPENSEARCHSERVER,
    site_search::SPHINX,
    site_search::TYPO3_CLASS,
    site_search::MEDIAWIKI,
    site_search::TEXTEXTRACTS,
    Dialect {
        name: "tdm",
        preset: Preset::Web,
        reach: Extent::Page,
        denies: Facets::of(&[Facet::Train]),
        rule: "adds up",
        summary: "text and data mining reserved, in META or a header",
        example: r#"<meta name="tdm-reservation" content="1">"#,
        source: "TDM Reservation Protocol",
    },
    Dialect {
        name: "rsl",
        preset: Preset::Web,
        reach: Extent::Page,
        denies: MODELS.with(INDEX),
        rule: "the most specific content; licences are alternatives",
        summary: "an RSL licence, where it is at hand",
        example: r#"<link rel="license" type="application/rsl+xml" href="/licence.xml">"#,
        source: "Really Simple Licensing 1.0",
    },
    Dialect {
        name: "content-signal",
        preset: Preset::Web,
        reach: Extent::Page,
        denies: SIGNALS,
        rule: "a no denies; use is the most",
        summary: "Content Signals in a robots.txt, a header or META",
        example: "Content-Signal: search=yes, ai-train=no, use=reference",
        source: "Cloudflare, contentsignals.org; draft-romm-aipref-contentsignals",
    },
    Dialect {
        name: "ai-training",
        preset: Preset::Web,
        reach: Extent::Response,
        denies: Facets::of(&[Facet::Train]),
        rule: "the longest path",
        summary: "Rules about training in a robots.txt",
        example: "DisallowAITraining: /",
        source: "draft-canel-robots-ai-control",
    },
    Dialect {
        name: "noindex-record",
        preset: Preset::All,
        reach: Extent::Response,
        denies: INDEX,
        rule: "any denies",
        summary: "Noindex in a robots.txt",
        example: "Noindex: /drafts/",
        source: "nobody's; large engines read it until 2019",
    },
    Dialect {
        name: "aipref",
        preset: Preset::Web,
        reach: Extent::Response,
        denies: INDEX.with(MODELS),
        rule: "adds up; of one key in a line the last",
        summary: "Content-Usage, a header or in a robots.txt",
        example: "Content-Usage: train-ai=n, ai-use=n",
        source: "draft-ietf-aipref-vocab-08, -attach-05",
    },
];
