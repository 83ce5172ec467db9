//! Elements that speak of what they contain: from the tag to the verdict of a place inside.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::bot::BotSet;
use crate::dialect::{self, Dialects, Element, Whom};
use crate::error::{Error, Result};
use crate::lex::{Tile, TileKind};
use crate::note::NoteKind;
use crate::policy::{Directive, DirectiveId, Extent, Verdict};
use crate::scope::{Marks, Statement};
use crate::tree::{ChainId, Fate, Mark, Told};

use super::containment::Containment;
use super::{Field, VerdictId, Walk};

/// The marked elements of a page.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) containment: Containment,
    marks: Marks,
    /// The verdicts of places inside marked elements, by the regions and the elements round them.
    placed: HashMap<(VerdictId, ChainId), VerdictId>,
    /// The bots for which a phrase ends at each mark.
    breaks: HashMap<Mark, BotSet>,
    /// What the verdicts rest on that may still become stricter.
    bases: Vec<(VerdictId, Basis)>,
    /// Where the last text stood.
    text_chain: ChainId,
    /// What a late `html` tag says: it is round all that was ever said, and outermost.
    root: Vec<Mark>,
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
            root_speaks: false,
            late: Vec::new(),
        }
    }
}

/// What a verdict rests on: the open regions, the elements round a place, and what is said of the node itself.
#[derive(Debug)]
pub(super) struct Basis {
    pub(super) regions: VerdictId,
    pub(super) chain: ChainId,
    pub(super) node: Vec<(DirectiveId, Whom)>,
}

/// What an element said, but for the page.
#[derive(Debug, Default)]
pub(super) struct Heard {
    pub(super) node: Vec<(DirectiveId, Whom)>,
    pub(super) content: Vec<Statement>,
}

impl Walk {
    /// What an element says: of the page, of itself, of what it contains.
    pub(super) fn start(&mut self, tile: &Tile<'_>) -> Result<(Told, Vec<(DirectiveId, Whom)>)> {
        let terms = self.terms.clone();
        let mut ear = terms.ear();
        // What stands in a template says nothing of the page; but the tree may know that it ended long ago.
        if !self.content.in_template() {
            dialect::element(tile, &mut ear);
            self.watch_base(tile);
        }
        // A head that comes when there is one is none.
        if tile.name() == "head" && !self.before_head {
            ear.declared.clear();
        }
        self.before_head &= tile.name() == "html";
        dialect::content(tile, &mut ear);
        if ear.is_empty() {
            return Ok((self.elements.containment.tile(tile, None, &terms.limits)?, Vec::new()));
        }
        let Heard { node, content } = self.take(ear, Some(tile.place()), |dialect| wording(tile, dialect))?;
        let mark = if content.is_empty() { None } else { Some(self.elements.marks.add(content)) };
        let told = self.elements.containment.tile(tile, mark, &terms.limits)?;
        if let Some(mark) = mark {
            self.watch_fate(tile, &told.fate, mark);
        }
        Ok((told, node))
    }

    /// Whether a marked element became one.
    fn watch_fate(&mut self, tile: &Tile<'_>, fate: &Fate, mark: Mark) {
        let everyone = self.terms.bots.all();
        match fate {
            Fate::Element => self.elements.root_speaks |= tile.name() == "html",
            Fate::Ignored => {
                let message = format!("HTML ignores this <{}> here, and so what it says", tile.name());
                self.notes.add(NoteKind::IgnoredElement, everyone, Some(tile.place()), message);
            }
            Fate::Merged(names) => {
                let terms = self.terms.clone();
                let mut ear = terms.ear();
                dialect::content(&Merged { tile, names }, &mut ear);
                let merged = |s: &&Statement| {
                    ear.heard.iter().any(|h| (h.says, h.whom, h.dialect) == (s.says, s.whom, s.dialect))
                };
                let late: Vec<_> = self.elements.marks.of(mark).filter(merged).copied().collect();
                if late.is_empty() {
                    return;
                }
                let message = format!("a second <{}>: what it denies, it denies for the whole page", tile.name());
                self.notes.add(NoteKind::LateAttributes, everyone, Some(tile.place()), message);
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
        }
    }

    fn watch_base(&mut self, tile: &Tile<'_>) {
        if tile.name() == "base"
            && !self.has_base
            && let Some(href) = tile.attribute("href")
        {
            self.has_base = true;
            self.base = self.base.join(href.trim()).unwrap_or_else(|_| self.base.clone());
        }
    }

    /// Late changes of the tree. What was allowed inside what they touch is taken back.
    pub(super) fn follow_shifts(&mut self) {
        for shift in self.elements.containment.shifts() {
            for mark in shift.left {
                let first = self.elements.marks.of(mark).next().map(|statement| statement.directive);
                let place = first.and_then(|id| self.local[id as usize].place);
                let Some(allowed) = self.elements.marks.content_moved(mark) else { continue };
                let message = match allowed {
                    true => "HTML moves content out of this element: what it allows is void",
                    false => "HTML moves content out of this element: it stays withheld",
                };
                self.notes.add(NoteKind::MovedContent, self.terms.bots.all(), place, message.to_owned());
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
        let changed = now[..now.len() - same].iter().chain(ended);
        changed.fold(BotSet::NONE, |set, mark| {
            let breaks = || elements.marks.breaks(*mark, &self.profile, all);
            set.or(*elements.breaks.entry(*mark).or_insert_with(breaks))
        })
    }

    /// The verdict of a place.
    pub(super) fn verdict_at(&mut self, basis: Basis) -> Result<VerdictId> {
        if basis.chain == 0 && basis.node.is_empty() {
            // What an element round everything denies is added at the end.
            return Ok(basis.regions);
        }
        let key = (basis.regions, basis.chain);
        if basis.node.is_empty()
            && let Some(known) = self.elements.placed.get(&key)
        {
            return Ok(*known);
        }
        if self.elements.bases.len() > self.terms.limits.directives {
            return Err(Error::limit("directives", self.terms.limits.directives as u64));
        }
        let verdict = self.fold(&basis);
        let id = self.keep(verdict);
        if basis.node.is_empty() {
            self.elements.placed.insert(key, id);
        }
        if basis.chain != 0 {
            self.elements.bases.push((id, basis));
        }
        Ok(id)
    }

    fn fold(&self, basis: &Basis) -> Verdict {
        let mut verdict = self.verdicts[basis.regions as usize].clone();
        let everyone = self.terms.bots.all();
        let mut marks = self.elements.containment.marks(basis.chain);
        marks.extend(&self.elements.root);
        let follow = self.elements.marks.fold(&marks, &self.profile, everyone, &mut verdict);
        for (id, whom) in &basis.node {
            let said = &self.local[*id as usize];
            let bots = if matches!(whom, Whom::Unless(_)) { said.bots.without(follow) } else { said.bots };
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
    pub(super) fn fold_again(&mut self) {
        for statement in self.elements.marks.all() {
            self.local[statement.directive as usize].bots = self.profile.bots(statement.whom, statement.is_denial());
        }
        let mut bases: HashMap<_, _> = std::mem::take(&mut self.elements.bases).into_iter().collect();
        let all = 0..u32::try_from(self.verdicts.len()).unwrap_or(u32::MAX);
        if !self.elements.root.is_empty() {
            for id in all.clone() {
                bases.entry(id).or_insert(Basis { regions: id, chain: 0, node: Vec::new() });
            }
        }
        // All of them first: verdicts rest on verdicts.
        let late: Vec<_> = all.filter_map(|id| Some((id, self.fold(bases.get(&id)?)))).collect();
        for (id, verdict) in late {
            for winner in verdict.winners() {
                self.verdicts[id as usize].deny(winner.directive, winner.facet, winner.bots);
            }
        }
    }
}

/// A start tag as far as it spoke: the rest of it may hold what is withheld.
fn wording(tile: &Tile<'_>, dialect: &str) -> String {
    let spoke: &[&str] = match dialect {
        "meta" => &["name", "http-equiv", "content"],
        "rel" => &["rel"],
        _ => &["class"],
    };
    let word = |name: &&str| tile.attribute(name).map(|value| format!(" {name}=\"{value}\""));
    format!("<{}{}>", tile.name(), spoke.iter().filter_map(word).collect::<String>())
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
}
