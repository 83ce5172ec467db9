//! The rows of searches that a site has of its own: off by default, as they speak to nobody else.

use crate::policy::{Extent, Facet, Facets};

use super::super::{INDEX, SHOWN, SNIPPET};
use super::{Dialect, Preset};

pub(super) const CONTAO_NOSEARCH: Dialect = Dialect {
    name: "contao-nosearch",
    preset: Preset::All,
    reach: Extent::Page,
    denies: INDEX,
    rule: "any true denies",
    summary: "Contao: a page that its settings keep from the search",
    example: r#""contao:noSearch": true"#,
    source: "Contao",
};

pub(super) const PAGEFIND: Dialect = Dialect {
    name: "pagefind",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "Pagefind: ignored elements",
    example: "<nav data-pagefind-ignore>",
    source: "Pagefind",
};

pub(super) const PAGEFIND_BODY: Dialect = Dialect {
    name: "pagefind-body",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "inclusive",
    summary: "Pagefind: only these elements",
    example: "<main data-pagefind-body>",
    source: "Pagefind",
};

pub(super) const FINDKIT: Dialect = Dialect {
    name: "findkit",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: SHOWN,
    rule: "nothing re-enables",
    summary: "Findkit: skipped elements, elements that are not quoted",
    example: "<nav data-fdk-skip>",
    source: "Findkit",
};

pub(super) const FINDKIT_CONTENT: Dialect = Dialect {
    name: "findkit-content",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "inclusive",
    summary: "Findkit: only these elements",
    example: "<main data-fdk-content>",
    source: "Findkit",
};

pub(super) const ELASTIC: Dialect = Dialect {
    name: "elastic",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nearest wins; inclusive",
    summary: "Elastic's crawlers",
    example: "<div data-elastic-exclude> <p data-elastic-include>",
    source: "Elastic",
};

pub(super) const SWIFTYPE: Dialect = Dialect {
    name: "swiftype",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: Facets::of(&[Facet::Index, Facet::Follow]),
    rule: "nearest wins; inclusive",
    summary: "Swiftype: elements, and a META of its own",
    example: r#"<div data-swiftype-index="false">"#,
    source: "Swiftype",
};

pub(super) const ADDSEARCH: Dialect = Dialect {
    name: "addsearch",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nearest wins; inclusive",
    summary: "AddSearch",
    example: r#"<div data-addsearch="exclude">"#,
    source: "AddSearch",
};

pub(super) const MKDOCS: Dialect = Dialect {
    name: "mkdocs",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "Material for MkDocs",
    example: "<section data-search-exclude>",
    source: "Material for MkDocs",
};

pub(super) const SPATIE: Dialect = Dialect {
    name: "spatie",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "Laravel site search: elements, and the header site-search-do-not-index",
    example: "<div data-no-index>",
    source: "Spatie",
};

pub(super) const DATOCMS: Dialect = Dialect {
    name: "datocms",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "DatoCMS Site Search",
    example: "<nav data-datocms-noindex>",
    source: "DatoCMS",
};

pub(super) const DOCSEARCH: Dialect = Dialect {
    name: "docsearch",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "elements that documentation sites keep from DocSearch",
    example: "<h2 data-docsearch-ignore>",
    source: "nobody's; documentation sites write it",
};

pub(super) const OPENSEARCHSERVER: Dialect = Dialect {
    name: "opensearchserver",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "OpenSearchServer",
    example: r#"<div class="opensearchserver.ignore">"#,
    source: "OpenSearchServer",
};

pub(super) const SPHINX: Dialect = Dialect {
    name: "sphinx",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "Sphinx",
    example: r#"<section class="no-search">"#,
    source: "Sphinx",
};

pub(super) const TYPO3_CLASS: Dialect = Dialect {
    name: "typo3-class",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "TYPO3 Solr",
    example: r#"<div class="typo3-search-exclude">"#,
    source: "EXT:solr, in its tests",
};

pub(super) const MEDIAWIKI: Dialect = Dialect {
    name: "mediawiki",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: INDEX,
    rule: "nothing re-enables",
    summary: "MediaWiki",
    example: r#"<table class="navigation-not-searchable">"#,
    source: "CirrusSearch",
};

pub(super) const TEXTEXTRACTS: Dialect = Dialect {
    name: "textextracts",
    preset: Preset::All,
    reach: Extent::Subtree,
    denies: SNIPPET,
    rule: "nothing re-enables",
    summary: "MediaWiki: not in extracts",
    example: r#"<span class="noexcerpt">"#,
    source: "TextExtracts",
};
