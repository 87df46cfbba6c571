//! Text filters as SQL, for lists that are not in memory.

use sea_query::{Expr, ExprTrait, LikeExpr};

use super::filter::{TextMatch, search_text, words};

/// The condition for a folded column to match.
pub(crate) fn matches(column: Expr, text_match: &TextMatch) -> Expr {
    match text_match {
        TextMatch::Exact(text) => column.eq(text),
        // As a range, which both databases serve from an index.
        TextMatch::Prefix(text) => {
            let from = column.clone().gte(text);
            match after_prefix(text) {
                Some(end) => from.and(column.lt(end)),
                None => from,
            }
        }
        TextMatch::Contains(text) => column.like(LikeExpr::new(containing(text)).escape('\\')),
    }
}

/// The patterns of LIKE, with `\` as its escape character, by which the search column of a device matches each word of a search.
pub(crate) fn search_patterns(text: &str) -> impl Iterator<Item = String> {
    words(text).map(|word| containing(&search_text(word)))
}

fn containing(folded: &str) -> String {
    let mut pattern = String::from("%");
    for character in folded.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// The smallest text above all texts with this prefix, in code point order; `None` if there is none.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut characters: Vec<char> = prefix.chars().collect();
    while let Some(last) = characters.pop() {
        // The range skips the surrogates, which are not characters.
        if let Some(next) = (last..=char::MAX).nth(1) {
            characters.push(next);
            return Some(characters.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_range_ends_before_the_next_character() {
        let rows = [
            ("s", Some("t")),
            ("sc", Some("sd")),
            ("z", Some("{")),
            ("a\u{d7ff}", Some("a\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}\u{10ffff}", None),
        ];
        for (prefix, expected) in rows {
            assert_eq!(after_prefix(prefix).as_deref(), expected, "{prefix:?}");
        }
    }
}
