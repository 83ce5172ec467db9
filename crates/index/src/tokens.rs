//! Tokens of a page's words as heedful splits them, for a tantivy index with a schema of the user's
//! own.

use tantivy::tokenizer::{PreTokenizedString, Token};

use heedful::words_of;

/// Splits the phrases of a field into search tokens, for a tantivy index of your own. The positions
/// of the tokens are those of [`words_of`].
///
/// Pass all phrases of a field in one call. Pass the returned token string to
/// `add_pre_tokenized_text`, not its text to `add_text`. With `add_text`, tantivy leaves only one
/// position between two values of a field. A phrase query with a slop crosses this gap. It could
/// then match words on both sides of text that the publisher withheld. Split queries with
/// [`words`](heedful::words), which folds words in the same way.
///
/// The text of the returned token string has one phrase a line. This text may be searched, but not
/// all of it may be shown. So the field should not be `STORED`. Show
/// [`Page::excerpt`](heedful::Page::excerpt) instead.
///
/// The type of the result, [`PreTokenizedString`], is that of tantivy 0.27.
///
/// # Examples
/// ```
/// use heedful_index as index;
/// use heedful::{Bot, Filter, words};
/// use tantivy::collector::Count;
/// use tantivy::query::PhraseQuery;
/// use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
/// use tantivy::{Index, TantivyDocument, Term};
///
/// let html = b"<p>Alfa bravo <!--noindex-->and the secret<!--/noindex--> charlie delta";
/// let page = Filter::new(Bot::new("FooBot")?).page("https://example.com/", &[], html)?;
///
/// let mut schema = Schema::builder();
/// let positions = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqsAndPositions);
/// let body = schema.add_text_field("body", TextOptions::default().set_indexing_options(positions));
/// let index = Index::create_in_ram(schema.build());
/// let mut writer = index.writer_with_num_threads(1, 15_000_000)?;
/// let mut document = TantivyDocument::default();
/// document.add_pre_tokenized_text(body, index::pre_tokenized(page.phrases()));
/// writer.add_document(document)?;
/// writer.commit()?;
///
/// let found = |phrase: &str, slop| {
///     let words = words(phrase).filter_map(|word| word.folded());
///     let terms = words.map(|word| Term::from_field_text(body, &word)).collect();
///     let mut query = PhraseQuery::new(terms);
///     query.set_slop(slop);
///     index.reader()?.searcher().search(&query, &Count)
/// };
/// assert_eq!((found("charlie delta", 0)?, found("bravo charlie", 200)?), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pre_tokenized<'a, T: AsRef<str> + ?Sized + 'a>(
    phrases: impl IntoIterator<Item = &'a T>,
) -> PreTokenizedString {
    let phrases: Vec<&str> = phrases.into_iter().map(AsRef::as_ref).collect();
    let mut starts = Vec::with_capacity(phrases.len());
    let mut end = 0;
    for phrase in &phrases {
        starts.push(end);
        end += phrase.len() + 1;
    }
    let mut tokens = Vec::new();
    for word in words_of(phrases.iter().copied()) {
        let start = starts[word.phrase()];
        tokens.push(Token {
            offset_from: start + word.start(),
            offset_to: start + word.end(),
            position: word.position() as usize,
            text: word.into_folded().into_owned(),
            position_length: 1,
        });
    }
    PreTokenizedString {
        tokens,
        text: phrases.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_stands_where_it_says() {
        let made = pre_tokenized(["Dark Ärger", "", "--", "RYE"]);
        assert_eq!(made.text, "Dark Ärger\n\n--\nRYE");
        let found: Vec<_> = made
            .tokens
            .iter()
            .map(|token| {
                (
                    &made.text[token.offset_from..token.offset_to],
                    token.text.as_str(),
                    token.position,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("Dark", "dark", 0),
                ("Ärger", "ärger", 1),
                ("RYE", "rye", 1001)
            ]
        );
        assert_eq!(pre_tokenized::<str>([]).tokens, []);
    }
}
