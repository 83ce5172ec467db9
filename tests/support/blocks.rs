//! Compares the blocks and the text of a page with its phrases.

use heedful::{Block, BlockKind, Page};

/// Checks that the blocks of a page have the same text as its phrases and alternative texts, and
/// that no part of a block crosses the end of a phrase. The text with line breaks must have the
/// same words too.
pub(crate) fn blocks_differ(page: &Page) -> bool {
    let solid = |text: &str| text.split_whitespace().collect::<String>();
    let blocks = page.blocks();
    let phrases: String = page.phrases().iter().map(|phrase| solid(phrase)).collect();
    if solid(&page.text()) != phrases {
        return true;
    }
    let is_alternative = |block: &&Block<'_>| block.kind() == BlockKind::Alternative;
    let mut body = blocks
        .iter()
        .filter(|block| !is_alternative(block))
        .flat_map(Block::phrases);
    for phrase in page.phrases() {
        let phrase = solid(phrase);
        let mut found = String::new();
        while found.len() < phrase.len()
            && let Some(part) = body.next()
        {
            found.push_str(&solid(part));
        }
        if found != phrase {
            return true;
        }
    }
    let alternatives = blocks
        .iter()
        .filter(is_alternative)
        .flat_map(Block::phrases);
    body.next().is_some()
        || !alternatives
            .map(solid)
            .eq(page.alternative().iter().map(|text| solid(text)))
}
