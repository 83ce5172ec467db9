//! Elements that speak of what they contain: from the tag to the verdict of a place inside.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::bot::BotSet;
use crate::dialect::{self, Dialects, Element, INDEX, PAGEFIND_BODY, Whom};
use crate::error::{Error, Result};
use crate::html;
use crate::lex::{Tile, TileKind};
use crate::note::NoteKind;
use crate::policy::{Directive, DirectiveId, Extent, Facet, Origin, Says, Verdict};
use crate::scope::{Lift, Marks, Statement};
use crate::tree::{ChainId, Fate, Mark, Told};

use super::containment::Containment;
use super::{Field, VerdictId, Walk, cut};

/// The marked elements of a page.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) containment: Containment,
    pub(super) marks: Marks,
    /// The verdicts of places inside marked elements, and whom they let follow.
    placed: HashMap<Stand, (VerdictId, BotSet)>,
    /// The bots for which a phrase ends at each mark.
    breaks: HashMap<Mark, BotSet>,
    /// What the verdicts rest on that may still become stricter.
    pub(super) bases: Vec<(VerdictId, Basis)>,
    /// Where the last text stood.
    text_chain: ChainId,
    /// What a late `html` tag says: it is round all that was ever said, and outermost.
    root: Vec<Mark>,
    /// What follows from elements that let in: by their dialects, what stands in none of them is out.
    outside: Vec<Mark>,
    /// The first `html` tag says something itself.
    root_speaks: bool,
    /// Statements about elements that turned out to be about the whole page.
    late: Vec<Statement>,
}

impl Elements {
    /// What was known of marks has changed.
    pub(super) fn forget(&mut self) {
        self.placed.clear();
        self.breaks.clear();
    }

    pub(super) fn new(dialects: &Dialects) -> Self {
        Self {
            containment: Containment::new(dialects.mark_elements()),
            marks: Marks::default(),
            placed: HashMap::new(),
            breaks: HashMap::new(),
            bases: Vec::new(),
            text_chain: 0,
            root: Vec::new(),
            outside: Vec::new(),
            root_speaks: false,
            late: Vec::new(),
        }
    }
}

impl Elements {
    /// What a marked element said.
    pub(super) fn directives_of(&self, mark: Mark) -> Vec<DirectiveId> {
        self.marks.of(mark).map(|statement| statement.directive).collect()
    }

    /// What is said of all that stands in the page.
    pub(super) fn directives_round_all(&self) -> Vec<DirectiveId> {
        self.root.iter().chain(&self.outside).flat_map(|mark| self.directives_of(*mark)).collect()
    }
}

/// Where something stands: in which regions and elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stand {
    pub(super) regions: VerdictId,
    pub(super) chain: ChainId,
    /// It is no part of the body, which inclusive marks divide.
    pub(super) apart: bool,
}

/// What a verdict rests on: where it stands, and what is said of the node itself.
#[derive(Debug)]
pub(super) struct Basis {
    pub(super) stand: Stand,
    pub(super) node: Vec<(DirectiveId, Whom)>,
}

/// What became of a start tag: where it stands, what it says of itself, and its mark, if it says something of what it
/// contains.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) told: Told,
    pub(super) node: Vec<(DirectiveId, Whom)>,
    pub(super) mark: Option<Mark>,
}

impl Started {
    pub(super) fn unmarked(told: Told) -> Self {
        Self { told, node: Vec::new(), mark: None }
    }
}

/// What an element said, but for the page.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) node: Vec<(DirectiveId, Whom)>,
    pub(super) content: Vec<Statement>,
}

impl Walk {
    /// What an element says: of the page, of itself, of what it contains.
    pub(super) fn start(&mut self, tile: &Tile<'_>) -> Result<Started> {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::element(tile, &mut ear);
        let in_template = self.content.in_any_template();
        if self.content.in_template() || in_template && html::speaks_for_page(tile.name()) {
            // A script, or the browser, may put it into the page.
            ear.keep_denials_of_the_page();
        } else if !in_template {
            self.watch_base(tile);
        }
        self.watch_out_of_order(tile);
        // A head that comes when there is one is none.
        if tile.name() == "head" && !self.before_head {
            ear.declared.clear();
        }
        self.before_head &= tile.name() == "html";
        dialect::content(tile, &mut ear);
        if tile.name() == "frameset" && !self.elements.outside.is_empty() {
            let message = "HTML drops what stands before a frameset: that only marked elements are in still holds";
            self.tell(NoteKind::MovedContent, None, Some(tile.place()), message.to_owned());
        }
        if ear.is_empty() {
            return Ok(Started::unmarked(self.elements.containment.tile(tile, None, &terms.limits)?));
        }
        let Heard { node, content } =
            self.take(ear, Origin::Page(tile.place()), |dialect| wording(tile, dialect, &terms.dialects))?;
        let mark = if content.is_empty() { None } else { Some(self.elements.marks.add(content)) };
        let told = self.elements.containment.tile(tile, mark, &terms.limits)?;
        if let Some(mark) = mark {
            self.watch_fate(tile, &told.fate, mark)?;
        }
        Ok(Started { told, node, mark })
    }

    /// What a browser puts elsewhere than where it is written.
    fn watch_out_of_order(&mut self, tile: &Tile<'_>) {
        if tile.name() == "template" && !tile.is_foreign() && tile.attribute("for").is_some() {
            let message = "what this template holds a browser may put elsewhere: it is not read";
            self.tell(NoteKind::OutOfOrder, None, Some(tile.place()), message.to_owned());
        }
    }

    /// A browser may put other content here, or in place of what follows: no allowance round it holds.
    pub(super) fn filled_later(&mut self, tile: &Tile<'_>, chain: ChainId) {
        let message = "a browser may put other content here: what elements round it allow is void";
        self.tell(NoteKind::OutOfOrder, None, Some(tile.place()), message.to_owned());
        for mark in self.elements.containment.marks(chain) {
            if self.elements.marks.content_moved(mark).is_some() {
                self.elements.forget();
            }
        }
    }

    /// Whether a marked element became one.
    fn watch_fate(&mut self, tile: &Tile<'_>, fate: &Fate, mark: Mark) -> Result<()> {
        match fate {
            Fate::Element => {
                self.elements.root_speaks |= tile.name() == "html";
                self.shut_outside(tile, mark)?;
            }
            Fate::Ignored => {
                let message = format!("HTML ignores this <{}> here, and so what it says", tile.name());
                self.tell(NoteKind::IgnoredElement, None, Some(tile.place()), message);
            }
            Fate::Merged(names) => self.merged(tile, names, mark),
        }
        Ok(())
    }

    /// Where an element lets in by a dialect other than the profile, only such elements are in.
    fn shut_outside(&mut self, tile: &Tile<'_>, mark: Mark) -> Result<()> {
        let statements: Vec<_> = self.elements.marks.of(mark).filter(|said| said.lets_in()).copied().collect();
        for Statement { dialect, whom, says, .. } in statements {
            let Says::Allow(facets) = says else { continue };
            let is_shut = |mark: &Mark| self.elements.marks.of(*mark).any(|other| other.dialect == dialect);
            if self.elements.outside.iter().any(is_shut) {
                continue;
            }
            let (says, bots, origin) = (Says::Deny(facets), self.terms.bots.all(), Origin::Page(tile.place()));
            let text = cut(&wording(tile, dialect, &self.terms.dialects));
            let heard = self.hear(Directive { says, bots, extent: Extent::Subtree, dialect, origin, text })?;
            let Some(directive) = heard else { continue };
            let outside = self.elements.marks.add(vec![Statement { directive, says, whom, dialect }]);
            self.elements.outside.push(outside);
            self.elements.forget();
        }
        Ok(())
    }

    /// A page that marks nothing, on a site that marks what Pagefind may find. One of which no byte was read says nothing.
    pub(super) fn shut_unmarked(&mut self) -> Result<()> {
        let is_marked =
            self.local.iter().any(|said| said.dialect == PAGEFIND_BODY && matches!(said.says, Says::Deny(_)));
        if is_marked || !self.is_of_pagefind || self.length == 0 {
            return Ok(());
        }
        self.hear(Directive {
            says: Says::Deny(INDEX),
            bots: self.terms.bots.all(),
            extent: Extent::Page,
            dialect: PAGEFIND_BODY,
            origin: Origin::Input,
            text: "other pages of the site have `data-pagefind-body`, this one has not".to_owned(),
        })?;
        Ok(())
    }

    /// A late tag whose attributes went to the page's root.
    fn merged(&mut self, tile: &Tile<'_>, names: &[String], mark: Mark) {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        dialect::content(&Merged { tile, names }, &mut ear);
        let merged =
            |s: &&Statement| ear.heard.iter().any(|h| (h.says, h.whom, h.dialect) == (s.says, s.whom, s.dialect));
        let late: Vec<_> = self.elements.marks.of(mark).filter(merged).copied().collect();
        if late.is_empty() {
            return;
        }
        let message = format!("a <{}> that comes late: what it denies, it denies for the whole page", tile.name());
        self.tell(NoteKind::LateAttributes, None, Some(tile.place()), message);
        if tile.name() == "html" && !self.elements.root_speaks {
            self.elements.root_speaks = true;
            // What it would allow went by before anybody knew.
            self.elements.marks.content_moved(mark);
            self.elements.root.push(mark);
            self.elements.forget();
        } else {
            self.elements.late.extend(late);
        }
    }

    fn watch_base(&mut self, tile: &Tile<'_>) {
        if tile.name() == "base"
            && !self.has_base
            && let Some(href) = tile.attribute("href")
        {
            self.has_base = true;
            self.look_at_lifts();
            self.profile.base_changed(tile.place());
            self.elements.forget();
            self.base = self.base.join(href.trim()).unwrap_or_else(|_| self.base.clone());
        }
    }

    /// Late changes of the tree. What was allowed inside what they touch is taken back.
    pub(super) fn follow_shifts(&mut self) {
        for shift in self.elements.containment.shifts() {
            for mark in shift.left {
                let first = self.elements.marks.of(mark).next().map(|statement| statement.directive);
                let place = first.and_then(|id| self.local[id as usize].place());
                let Some(allowed) = self.elements.marks.content_moved(mark) else { continue };
                let message = match allowed {
                    true => "HTML moves content out of this element: what it allows is void",
                    false => "HTML moves content out of this element: it stays withheld",
                };
                self.tell(NoteKind::MovedContent, None, place, message.to_owned());
                self.elements.forget();
            }
            for mark in shift.entered {
                self.elements.late.extend(self.elements.marks.of(mark).copied());
            }
        }
    }

    /// The bots for which a phrase ends here: where an element that may not be indexed begins, even an empty one, and
    /// between two texts that do not stand in the same ones.
    pub(super) fn element_breaks(&mut self, tile: &Tile<'_>, chain: ChainId, field: Field) -> BotSet {
        let before = match tile.kind() {
            // In a template nothing is read; but a template, or a script, that is marked ends a phrase.
            TileKind::Text if field == Field::Nowhere => return BotSet::NONE,
            TileKind::Start if self.content.in_template() && tile.name() != "template" => return BotSet::NONE,
            TileKind::Text => std::mem::replace(&mut self.elements.text_chain, chain),
            TileKind::Start => self.elements.text_chain,
            _ => return BotSet::NONE,
        };
        if before == chain || self.elements.marks.is_empty() {
            return BotSet::NONE;
        }
        let (before, now) = (self.elements.containment.marks(before), self.elements.containment.marks(chain));
        let same = before.iter().rev().zip(now.iter().rev()).take_while(|(b, n)| b == n).count();
        let ended = if tile.kind() == TileKind::Start { &[] } else { &before[..before.len() - same] };
        let (elements, all) = (&mut self.elements, self.terms.bots.all());
        let changed = || now[..now.len() - same].iter().chain(ended);
        let breaks = changed().fold(BotSet::NONE, |set, mark| {
            let breaks = || elements.marks.breaks(*mark, &self.profile, all);
            set.or(*elements.breaks.entry(*mark).or_insert_with(breaks))
        });
        if elements.outside.is_empty() || !changed().any(|mark| elements.marks.lets_in(*mark)) {
            return breaks;
        }
        // Between two elements that let in stands what is out, be it nothing.
        let around = now[now.len() - same..].iter().chain(&elements.root).chain(&elements.outside).copied();
        let mut verdict = Verdict::default();
        elements.marks.fold(&around.collect::<Vec<_>>(), &self.profile, all, &mut verdict);
        breaks.or(verdict.denied(Facet::Index))
    }

    /// The verdict of a place.
    pub(super) fn verdict_at(&mut self, basis: Basis) -> Result<VerdictId> {
        let (id, follow) = self.verdict_of(basis.stand)?;
        if basis.node.is_empty() {
            return Ok(id);
        }
        let verdict = self.with_node(self.verdicts[id as usize].clone(), &basis.node, follow);
        let id = self.keep(verdict);
        if basis.stand.chain != 0 || basis.stand.apart {
            self.rest(id, basis)?;
        }
        Ok(id)
    }

    fn verdict_of(&mut self, stand: Stand) -> Result<(VerdictId, BotSet)> {
        if stand.chain == 0 && !stand.apart {
            // What an element round everything denies is added at the end.
            return Ok((stand.regions, BotSet::NONE));
        }
        if let Some(known) = self.elements.placed.get(&stand) {
            return Ok(*known);
        }
        let (verdict, follow) = self.fold(stand);
        let id = self.keep(verdict);
        self.elements.placed.insert(stand, (id, follow));
        self.rest(id, Basis { stand, node: Vec::new() })?;
        Ok((id, follow))
    }

    /// Remembers what a verdict rests on.
    fn rest(&mut self, id: VerdictId, basis: Basis) -> Result<()> {
        let most = self.terms.limits.directives;
        if self.elements.bases.len() as u64 > most {
            return Err(Error::limit("directives", most));
        }
        self.elements.bases.push((id, basis));
        Ok(())
    }

    /// What regions and elements deny, and whom elements let follow.
    fn fold(&self, stand: Stand) -> (Verdict, BotSet) {
        self.fold_without(stand, None)
    }

    /// The same, but for what one element says.
    pub(super) fn fold_without(&self, stand: Stand, mark: Option<Mark>) -> (Verdict, BotSet) {
        let mut verdict = self.verdicts[stand.regions as usize].clone();
        let mut marks = self.marks_round(stand);
        marks.retain(|other| Some(*other) != mark);
        let follow = self.elements.marks.fold(&marks, &self.profile, self.terms.bots.all(), &mut verdict);
        (verdict, follow)
    }

    /// The marked elements round a place, innermost first, with those that are round everything.
    pub(super) fn marks_round(&self, stand: Stand) -> Vec<Mark> {
        let mut marks = self.elements.containment.marks(stand.chain);
        marks.extend(&self.elements.root);
        if !stand.apart {
            marks.extend(&self.elements.outside);
        }
        marks
    }

    fn with_node(&self, mut verdict: Verdict, node: &[(DirectiveId, Whom)], follow: BotSet) -> Verdict {
        for (id, whom) in node {
            let said = &self.local[*id as usize];
            let bots = whom.left(said.bots, follow);
            verdict.add(*id, &Directive { bots, ..said.clone() });
        }
        verdict
    }

    /// What was said late of the page's root holds for the page.
    pub(super) fn raise_late(&mut self) -> Result<()> {
        for statement in std::mem::take(&mut self.elements.late).into_iter().filter(Statement::is_denial) {
            let bots = self.profile.bots(statement.whom, true);
            let said = &self.local[statement.directive as usize];
            self.hear(Directive { bots, extent: Extent::Page, ..said.clone() })?;
        }
        Ok(())
    }

    /// Names that came late, and allowances that turned out to be void: what was let through before is judged again.
    /// Says what allowances have lifted, if that is asked for.
    pub(super) fn fold_again(&mut self) -> Vec<Lift> {
        for statement in self.elements.marks.all() {
            self.local[statement.directive as usize].bots = self.profile.bots(statement.whom, statement.is_denial());
        }
        let mut bases: HashMap<_, _> = std::mem::take(&mut self.elements.bases).into_iter().collect();
        let all = 0..u32::try_from(self.verdicts.len()).unwrap_or(u32::MAX);
        if !self.elements.root.is_empty() || !self.elements.outside.is_empty() {
            for regions in all.clone() {
                let stand = Stand { regions, chain: 0, apart: false };
                bases.entry(regions).or_insert(Basis { stand, node: Vec::new() });
            }
        }
        // All of them first: verdicts rest on verdicts.
        let mut folded = HashMap::new();
        let mut judge = |Basis { stand, node }: &Basis| {
            let (verdict, follow) = folded.entry(*stand).or_insert_with(|| self.fold(*stand));
            self.with_node(verdict.clone(), node, *follow)
        };
        let late: Vec<_> = all.filter_map(|id| Some((id, judge(bases.get(&id)?)))).collect();
        for (id, verdict) in late {
            for winner in verdict.winners() {
                self.verdicts[id as usize].deny(winner.directive, winner.facet, winner.bots);
            }
        }
        if let Some((directive, first)) = self.regions.shut_before() {
            let is_apart = |id: &VerdictId| bases.get(id).is_some_and(|basis| basis.stand.apart);
            for id in (0..first).filter(|id| !is_apart(id)) {
                self.verdicts[id as usize].add(directive, &self.local[directive as usize]);
            }
        }
        self.bind_again();
        self.lifts(&bases)
    }

    /// A denial that bound a bot when it went by did so, whomever it turned out to mean: what it withheld stays withheld.
    fn bind_again(&mut self) {
        for winner in self.verdicts.iter().flat_map(Verdict::winners) {
            let bots = &mut self.local[winner.directive as usize].bots;
            *bots = bots.or(winner.bots);
        }
    }
}

/// A start tag as far as it spoke: the rest of it may hold what is withheld.
pub(super) fn wording(tile: &Tile<'_>, dialect: &str, dialects: &Dialects) -> String {
    // A description is text of the page, whatever else the tag says.
    let is_text = html::is_description(tile.name(), |name| tile.attribute(name));
    let words = dialect::quoted(dialect, tile, dialects).into_iter().filter(|(name, _)| !is_text || *name != "content");
    let word = |(name, with_value): (&str, bool)| {
        let value = tile.attribute(name)?;
        Some(if with_value { format!(" {name}=\"{value}\"") } else { format!(" {name}") })
    };
    format!("<{}{}>", tile.name(), words.filter_map(word).collect::<String>())
}

/// A tag of which only some attributes count.
struct Merged<'a> {
    tile: &'a Tile<'a>,
    names: &'a [String],
}

impl Element for Merged<'_> {
    fn name(&self) -> &str {
        self.tile.name()
    }

    fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        self.names.iter().any(|merged| merged == name).then(|| self.tile.attribute(name))?
    }

    fn attribute_names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
