//! Checks that a user's own sink can get the same content of a page as a `Page` has, by public
//! functions alone.
//!
//! The content from the own sink and that of a `Page` are compared for every page of the corpus,
//! and for two bots in one pass. The content is the words of the body, title, description, headings
//! and alternative texts. Each link has its address, the words of its anchor text and the allowed
//! uses.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use heedful::{
    Bot, BotId, BotSet, Conventions, CutMark, Field, Filter, HeldText, Judged, LinkTarget, Page,
    PageEnd, Result, RobotsTxt, Sink, Snapshot, TokenKind, Use, VerdictId,
};

use crate::support;

const URL: &str = "https://example.com/folder/page.html";

/// A sink like that of a user. It stores the content of a page until the page ends, because only
/// then is it known which bots may have the content.
#[derive(Default)]
struct Own {
    pieces: Vec<Piece>,
    links: Vec<LinkTarget<'static>>,
    /// True if white space precedes the next text of the page.
    space: bool,
}

struct Piece {
    field: &'static str,
    text: String,
    verdict: VerdictId,
    heading: Option<u32>,
    link: Option<u32>,
    /// Bots to which this piece of the page applies. None for all bots.
    only: Option<BotSet>,
}

/// Content of a page as one bot may have it: words by field, and links.
#[derive(Debug, Default, PartialEq)]
struct Read {
    words: BTreeMap<&'static str, Vec<String>>,
    links: Vec<(String, String, bool, bool, Vec<String>)>,
}

impl Own {
    fn piece(&mut self, field: &'static str, text: &str, judged: &Judged<'_>) {
        let is_apart = field == "body" && std::mem::take(&mut self.space);
        let text = if is_apart {
            format!(" {text}")
        } else {
            text.to_owned()
        };
        let (heading, link) = (judged.heading(), judged.link());
        self.pieces.push(Piece {
            field,
            text,
            verdict: judged.id(),
            heading,
            link,
            only: None,
        });
    }

    /// Ends the current word of a field for the bots `only`, so that the next text begins a new
    /// word.
    fn part(&mut self, field: &'static str, only: Option<BotSet>, judged: &Judged<'_>) {
        let (verdict, text) = (VerdictId::default(), " ".to_owned());
        self.pieces.push(Piece {
            field,
            text,
            verdict,
            heading: judged.heading(),
            link: judged.link(),
            only,
        });
    }

    fn words(
        &self,
        end: &PageEnd,
        bot: BotId,
        uses: &[Use],
        such: impl Fn(&Piece) -> bool,
    ) -> Vec<String> {
        let is_denied = |verdict, usage| end.verdict(verdict).denied(usage).contains(bot);
        let mut text = String::new();
        let is_for = |piece: &&Piece| piece.only.is_none_or(|only| only.contains(bot));
        for piece in self
            .pieces
            .iter()
            .filter(is_for)
            .filter(|piece| such(piece))
        {
            if uses.iter().any(|usage| is_denied(piece.verdict, *usage)) {
                text.push(' ');
            } else {
                text.push_str(&piece.text);
            }
        }
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn read(&self, end: &PageEnd, bot: BotId) -> Read {
        let policy = end.policy(bot).unwrap();
        let mut read = Read::default();
        if !policy.may_fetch() {
            return read;
        }
        if policy.allows(Use::Index) {
            for field in ["body", "title", "alternative", "description"] {
                let words = self.words(end, bot, &[Use::Index], |piece| piece.field == field);
                read.words.insert(field, words);
            }
            let is_heading = |piece: &Piece| piece.field == "body" && piece.heading.is_some();
            read.words
                .insert("headings", self.words(end, bot, &[Use::Index], is_heading));
        }
        for link in &self.links {
            let Some(url) = link.url(end) else { continue };
            let may_follow = !link.no_follow(end).contains(bot);
            let may_credit = !link.no_credit(end).contains(bot);
            let of_it = |field: &'static str| {
                move |piece: &Piece| {
                    piece.field == field && link.number().is_some() && piece.link == link.number()
                }
            };
            let uses = [Use::Index, Use::Anchor];
            let mut words = self.words(end, bot, &uses, of_it("body"));
            words.extend(self.words(end, bot, &uses, of_it("alternative")));
            if !may_credit {
                words.clear();
            }
            read.links.push((
                url.into(),
                link.kind().to_string(),
                may_follow,
                may_credit,
                words,
            ));
        }
        read
    }
}

impl Sink for Own {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        let token = judged.token();
        if !judged.breaks().is_empty() {
            self.part("body", Some(judged.breaks()), judged);
            self.part("alternative", Some(judged.breaks()), judged);
        }
        self.space |= token.separates_words();
        if token.kind() == TokenKind::Text && judged.field() != Field::Nowhere {
            self.piece(judged.field().name(), &token.text(), judged);
        }
        if let Some(text) = judged.alternative() {
            self.piece("alternative", &format!(" {text} "), judged);
        }
        if token.kind() == TokenKind::Start || token.kind() == TokenKind::End {
            self.part("alternative", None, judged);
        }
        let has_one = self.pieces.iter().any(|piece| piece.field == "description");
        if let Some(text) = judged
            .description()
            .filter(|text| !has_one && !text.trim().is_empty())
        {
            self.piece("description", &text, judged);
        }
        self.links
            .extend(LinkTarget::from_token(judged).map(LinkTarget::into_owned));
        Ok(())
    }

    fn finish(&mut self, _: &PageEnd) -> Result<()> {
        Ok(())
    }
}

/// A sink that computes its result at the end of the page. The fields are the sink that stores the
/// content, and the result for each bot.
#[derive(Default)]
struct Reading(Own, Vec<Read>);

impl Sink for Reading {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        self.0.token(judged)
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        self.1 = (0..2)
            .map(|number| self.0.read(end, BotId::nth(number)))
            .collect();
        assert!(end.policy(BotId::nth(2)).is_none(), "the pass has two bots");
        Ok(())
    }
}

fn of_page(page: &Page) -> Read {
    let words = |phrases: &[String]| -> Vec<String> {
        phrases
            .iter()
            .flat_map(|phrase| phrase.split_whitespace())
            .map(str::to_owned)
            .collect()
    };
    let mut read = Read::default();
    if page.policy().may_fetch() && page.policy().allows(Use::Index) {
        for (name, phrases) in [
            ("body", page.phrases()),
            ("title", page.title()),
            ("alternative", page.alternative()),
            ("description", page.description()),
            ("headings", page.headings()),
        ] {
            read.words.insert(name, words(phrases));
        }
    }
    for link in page.links() {
        let of_link: Vec<String> = link
            .phrases()
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect();
        read.links.push((
            link.url().to_owned(),
            link.kind().to_string(),
            link.may_follow(),
            link.may_credit(),
            of_link,
        ));
    }
    read
}

#[test]
fn a_sink_of_ones_own_has_what_a_page_has() {
    let bots = vec![Bot::new("FooBot").unwrap(), Bot::new("googlebot").unwrap()];
    let filter = Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse("all").unwrap());
    let (mut compared, mut links, mut differing) = (0, 0, 0);
    for (name, html) in support::cases::corpus(true) {
        let (mut pass, mut own) = (
            filter.open(URL).unwrap(),
            filter.open_with(URL, Reading::default()).unwrap(),
        );
        let written = pass
            .write(html.as_bytes())
            .and_then(|()| own.write(html.as_bytes()));
        let ended = written.and_then(|()| Ok((pass.end_each()?, own.into_sink()?)));
        let Ok((pages, Reading(_, reads))) = ended else {
            continue;
        };
        for (page, read) in pages.iter().zip(reads) {
            assert_eq!(read, of_page(page), "{name}");
            links += page.links().len();
        }
        compared += 1;
        differing += usize::from(of_page(&pages[0]) != of_page(&pages[1]));
    }
    assert!(
        compared > 1500 && links > 500 && differing > 5,
        "{compared} pages, {links} links, {differing} differ"
    );
}

/// Texts of a page that each of two bots may use, stored as [`HeldText`].
#[derive(Default)]
struct Held {
    body: Vec<HeldText<'static>>,
    title: Vec<HeldText<'static>>,
    read: Vec<[String; 2]>,
}

impl Sink for Held {
    fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
        for bot in [0, 1].map(BotId::nth) {
            self.body
                .extend(judged.text(Use::Index, bot).map(HeldText::into_owned));
            self.title.extend(
                judged
                    .text_of(Field::Title, Use::Index, bot)
                    .map(HeldText::into_owned),
            );
            let is_given = judged.text(Use::Index, bot).is_some();
            assert!(!is_given || judged.is_visible_text() && judged.allows(Use::Index, bot));
        }
        assert_eq!(
            judged.text_of(Field::Nowhere, Use::Index, BotId::FIRST),
            None
        );
        for bot in strangers(2) {
            assert!(
                judged.text(Use::Index, bot).is_none()
                    && Use::ALL.iter().all(|f| !judged.allows(*f, bot))
            );
        }
        Ok(())
    }

    fn finish(&mut self, end: &PageEnd) -> Result<()> {
        for bot in [0, 1].map(BotId::nth) {
            assert!(Use::ALL.iter().all(|usage| end.allows(*usage, bot) == end.policy(bot).unwrap().allows(*usage)));
            // Each text is stored once for each bot that may have it, in order.
            let of = |held: &[HeldText<'static>]| -> String {
                let own = held.iter().filter(|text| text.bot() == bot);
                own.filter_map(|text| text.read(end))
                    .flat_map(str::split_whitespace)
                    .collect()
            };
            self.read.push([of(&self.body), of(&self.title)]);
        }
        for bot in strangers(2) {
            assert!(Use::ALL.iter().all(|usage| !end.allows(*usage, bot)));
            assert!(!end.allows_at(VerdictId::default(), Use::Index, bot));
        }
        Ok(())
    }
}

#[test]
fn held_texts_are_those_of_a_page() {
    let bots = vec![Bot::new("FooBot").unwrap(), Bot::new("googlebot").unwrap()];
    let filter = Filter::for_bots(bots)
        .unwrap()
        .conventions(Conventions::parse("all").unwrap());
    let (mut compared, mut differing) = (0, 0);
    for (name, html) in support::cases::corpus(true) {
        let (mut pass, mut own) = (
            filter.open(URL).unwrap(),
            filter.open_with(URL, Held::default()).unwrap(),
        );
        let written = pass
            .write(html.as_bytes())
            .and_then(|()| own.write(html.as_bytes()));
        let ended = written.and_then(|()| Ok((pass.end_each()?, own.into_sink()?)));
        let Ok((pages, Held { read, .. })) = ended else {
            continue;
        };
        for (page, read) in pages.iter().zip(&read) {
            let of = |phrases: &[String]| -> String {
                phrases
                    .iter()
                    .flat_map(|text| text.split_whitespace())
                    .collect()
            };
            assert_eq!(*read, [of(page.phrases()), of(page.title())], "{name}");
        }
        compared += 1;
        differing += usize::from(read[0] != read[1]);
    }
    assert!(
        compared > 1500 && differing > 5,
        "{compared} pages, {differing} differ"
    );
}

#[test]
fn a_held_text_is_gone_when_the_end_denies_it() {
    #[derive(Default)]
    struct Kept(Vec<HeldText<'static>>, usize, usize);
    impl Sink for Kept {
        fn token(&mut self, judged: &Judged<'_>) -> Result<()> {
            self.0.extend(
                judged
                    .text(Use::Index, BotId::FIRST)
                    .map(HeldText::into_owned),
            );
            Ok(())
        }

        fn finish(&mut self, end: &PageEnd) -> Result<()> {
            self.1 = self.0.len();
            self.2 = self
                .0
                .iter()
                .filter(|text| text.read(end).is_some())
                .count();
            Ok(())
        }
    }
    for (html, held, read) in [
        ("<p>one", 1, 1),
        (
            "<script>one</script><style>two</style><template>three</template><title>four</title>",
            0,
            0,
        ),
        ("<p>one<!--noindex-->two<!--/noindex-->", 1, 1),
        ("<p>one<meta name=robots content=noindex>", 1, 0),
        ("<p>one<meta name=robots content=noarchive>", 1, 1),
    ] {
        let mut pass = filter_for(1).open_with(URL, Kept::default()).unwrap();
        pass.write(html.as_bytes()).unwrap();
        let Kept(_, had, left) = pass.into_sink().unwrap();
        assert_eq!((had, left), (held, read), "{html}");
    }
}

#[test]
fn a_page_past_its_time_is_denied_to_a_sink_of_ones_own() {
    struct Denied(Vec<bool>);
    impl Sink for Denied {
        fn token(&mut self, _: &Judged<'_>) -> Result<()> {
            Ok(())
        }

        fn finish(&mut self, end: &PageEnd) -> Result<()> {
            self.0 = Use::ALL
                .iter()
                .map(|usage| end.denied(*usage).contains(BotId::FIRST))
                .collect();
            Ok(())
        }
    }
    let filter = Filter::new(Bot::new("FooBot").unwrap());
    let denied = |filter: &Filter| {
        let mut pass = filter.open_with(URL, Denied(Vec::new())).unwrap();
        pass.write(b"<meta name=robots content='unavailable_after: 2020-01-01'><p>old")
            .unwrap();
        pass.into_sink().unwrap().0
    };
    let before = denied(&filter.clone().now(std::time::UNIX_EPOCH));
    assert!(!before[Use::Index as usize], "a page has time: {before:?}");
    let denied = denied(&filter);
    assert!(
        denied[Use::Index as usize] && denied[Use::Snippet as usize],
        "{denied:?}"
    );
}

/// Returns bot ids that do not occur in a pass with `bots` bots. They include the values at the
/// borders of a [`BotSet`]'s bitmask.
fn strangers(bots: usize) -> impl Iterator<Item = BotId> {
    [2, 3, 62, 63, 64, 65, 254, 255, 256, usize::MAX]
        .into_iter()
        .filter(move |n| *n >= bots)
        .map(BotId::nth)
}

fn filter_for(bots: usize) -> Filter {
    Filter::for_bots(
        (0..bots)
            .map(|n| Bot::new(&format!("bot{n}")).unwrap())
            .collect(),
    )
    .unwrap()
}

const PARTED: &[u8] =
    b"<p>one <a href=/a>two</a> <!--noindex-->three<!--/noindex--> <b class=robots-noarchive>four</b>";

#[test]
fn a_policy_allows_nothing_to_what_is_no_bot_of_the_pass() {
    for bots in [1, 2, 63, 64] {
        let mut pass = filter_for(bots).open_policies(URL).unwrap();
        pass.write(PARTED).unwrap();
        let policies = pass.end().unwrap();
        assert!(
            Use::ALL
                .iter()
                .any(|usage| policies.policy(BotId::FIRST).allows(*usage))
        );
        for bot in strangers(bots) {
            let policy = policies.policy(bot);
            assert!(
                !policy.may_fetch() && Use::ALL.iter().all(|usage| !policy.allows(*usage)),
                "{bot:?} of {bots}"
            );
            assert!(
                Use::ALL
                    .iter()
                    .all(|usage| policy.why(*usage).is_none() && !policies.has_parts(*usage, bot))
            );
        }
    }
}

#[test]
fn a_snapshot_for_no_bot_of_the_pass_is_void() {
    let shut = RobotsTxt::parse(b"User-agent: *\nDisallow: /");
    for robots in [None, Some(&shut)] {
        for bots in [1, 2, 63, 64] {
            for (bot, is_of_it) in strangers(bots)
                .map(|bot| (bot, false))
                .chain([(BotId::nth(bots - 1), robots.is_none())])
            {
                let mut written = Vec::new();
                let sink = Snapshot::new(&mut written, CutMark::default()).for_bot(bot);
                let mut pass = filter_for(bots).open_with(URL, sink).unwrap();
                if let Some(robots) = robots {
                    pass.robots_txt(robots);
                }
                pass.write(PARTED).unwrap();
                let snapshot = pass.into_sink().unwrap();
                assert_eq!(snapshot.is_void(), !is_of_it, "{bot:?} of {bots}");
                assert_eq!(snapshot.into_inner().is_some(), is_of_it);
                assert_eq!(!written.is_empty(), is_of_it, "{bot:?} of {bots}");
            }
        }
    }
}
