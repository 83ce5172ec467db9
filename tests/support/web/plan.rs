//! The part of a made web that no crawl changes: where its pages are, and what each version of a
//! page says.

use super::text::{Chance, LINK_WORDS, end_link, only_word, word};

/// Mean number of pages of a site.
const PAGES_OF_SITE: usize = 25;
/// Number of folders of a site.
pub(super) const FOLDERS: usize = 8;
/// Number of links of a page beside its menu, which has one for each folder.
const LINKS: usize = 22;
/// Number of words that a page has more often than chance would.
const TOPIC: usize = 40;

/// A link of a page: its destination and its text.
pub(super) type Link = (String, String);

/// The plan of a made web. What it answers depends on its seed and the arguments alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(super) seed: u64,
    /// Number of pages of the first crawl. Links lead to these alone.
    pub(super) first_pages: usize,
    /// The fewest words of a page's text. The most are 32 times as many.
    pub(super) fewest_words: usize,
}

impl Plan {
    pub(super) fn sites(self) -> usize {
        self.first_pages.div_ceil(PAGES_OF_SITE)
    }

    /// Returns random numbers for a purpose. `one` and `other` say for what: a page and its version,
    /// for example.
    pub(super) fn chance(self, purpose: &str, one: usize, other: usize) -> Chance {
        let purpose = purpose.bytes().fold(0, |sum: u64, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(byte))
        });
        Chance::new(&[self.seed, purpose, one as u64, other as u64])
    }

    /// Returns the number of a page's site. Sites with low numbers have more pages.
    pub(super) fn site_of(self, page: usize) -> usize {
        let mut chance = self.chance("site", page, 0);
        chance.below(self.sites()).min(chance.below(self.sites()))
    }

    pub(super) fn folder_of(self, page: usize) -> usize {
        self.chance("folder", page, 0).below(FOLDERS)
    }

    /// Returns the name of a folder of a site. The first folder has the same name everywhere.
    pub(super) fn folder_name(self, site: usize, folder: usize) -> String {
        if folder == 0 {
            return "private".to_owned();
        }
        word(self.chance("folder name", site, folder).rank())
    }

    pub(super) fn authority(site: usize) -> String {
        format!("https://www.s{site}.example")
    }

    pub(super) fn url_of(self, page: usize) -> String {
        let site = self.site_of(page);
        let folder = self.folder_of(page);
        let name = self.folder_name(site, folder);
        format!("{}/{folder}-{name}/{page}.html", Self::authority(site))
    }

    /// Returns the text of a robots.txt that forbids the first `folders` folders of its site.
    pub(super) fn robots_txt(folders: usize) -> String {
        let mut text = "User-agent: *\n".to_owned();
        for folder in 0..folders {
            text += &format!("Disallow: /{folder}-\n");
        }
        text
    }

    /// Returns the ranks of the words that a page has more often than chance would.
    fn topic(self, page: usize) -> Vec<usize> {
        let mut chance = self.chance("topic", page, 0);
        (0..TOPIC)
            .map(|_| chance.rank().max(100 + chance.below(1000)))
            .collect()
    }

    /// Returns the words of a page's title, which never changes. The last one is of this page alone.
    pub(super) fn title(self, page: usize) -> Vec<String> {
        let mut chance = self.chance("title", page, 0);
        let topic = self.topic(page);
        let count = 2 + chance.below(4);
        let mut title: Vec<_> = (0..count)
            .map(|_| word(topic[chance.below(TOPIC)]))
            .collect();
        title.push(only_word(page));
        title
    }

    /// Returns the sentences of a page's text, each as its words.
    pub(super) fn sentences(self, page: usize, version: usize) -> Vec<Vec<String>> {
        let mut chance = self.chance("text", page, version);
        let topic = self.topic(page);
        let mut left = chance.length(self.fewest_words);
        let mut sentences = Vec::new();
        while left > 0 {
            let length = 6 + chance.below(15);
            left = left.saturating_sub(length);
            let words = (0..length).map(|_| {
                word(if chance.is_one(250) {
                    topic[chance.below(TOPIC).min(chance.below(TOPIC))]
                } else {
                    chance.rank()
                })
            });
            sentences.push(words.collect());
        }
        sentences
    }

    /// Returns the menu of a site, which all of its pages have.
    pub(super) fn menu(self, site: usize) -> Vec<Link> {
        (0..FOLDERS)
            .map(|folder| {
                let name = self.folder_name(site, folder);
                match folder {
                    0 => ("/".to_owned(), LINK_WORDS[1].0.to_owned()),
                    1 => ("/contact.html".to_owned(), LINK_WORDS[4].0.to_owned()),
                    _ => (format!("/{folder}-{name}/"), name),
                }
            })
            .collect()
    }

    /// Returns the links of a page beside its menu. One in six leads to a page of the web.
    pub(super) fn links(self, page: usize, version: usize) -> Vec<Link> {
        let mut chance = self.chance("links", page, version);
        (0..LINKS).map(|_| self.link(&mut chance)).collect()
    }

    fn link(self, chance: &mut Chance) -> Link {
        let (url, mut text) = if chance.is_one(160) {
            let pages = self.first_pages;
            let target = chance.below(pages).min(chance.below(pages));
            let mut title = self.title(target);
            title.truncate(1 + chance.below(title.len()));
            (self.url_of(target), title)
        } else {
            let authority = Self::authority(chance.below(self.sites()));
            let url = format!("{authority}/elsewhere/{}", chance.below(1 << 24));
            let words = (0..1 + chance.below(3)).map(|_| word(chance.rank()));
            (url, words.collect())
        };
        text.extend(end_link(chance).map(str::to_owned));
        (url, text.join(" "))
    }
}
