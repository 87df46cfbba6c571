//! Text filters as SQL.

use sea_query::{Expr, ExprTrait, Iden, LikeExpr};

use super::columns::IdxDevices;
use super::filter::{TextFilter, TextMatch, search_text, words};

/// The condition of a text filter on [`IdxDevices`].
pub(super) fn condition(filter: &TextFilter) -> Expr {
    matches(Expr::col((IdxDevices::Table, filter.column)), &filter.text_match)
}

/// The condition for a folded column to match.
pub(crate) fn matches(column: Expr, text_match: &TextMatch) -> Expr {
    match text_match {
        TextMatch::Exact(text) => column.eq(text),
        TextMatch::AtLeast(text) => column.gte(text),
        TextMatch::AtMost(text) => column.clone().gt("").and(column.lte(text)),
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

/// Combines all filters that SQLite's full-text index serves into one query for it, which returns exactly the matching
/// rows. `None` if there are none.
pub(super) fn full_text(filters: &[TextFilter]) -> Option<String> {
    let parts = filters.iter().filter(|filter| filter.is_full_text()).filter_map(|filter| match &filter.text_match {
        // Within quotes only the quote itself is special; it is doubled.
        TextMatch::Contains(text) => {
            Some(format!("{{{}}}: \"{}\"", filter.column.unquoted(), text.replace('"', "\"\"")))
        }
        TextMatch::Exact(_) | TextMatch::Prefix(_) | TextMatch::AtLeast(_) | TextMatch::AtMost(_) => None,
    });
    // Unlike keywords of SQL, the operator must be in capitals.
    Some(parts.collect::<Vec<_>>().join(" AND ")).filter(|query| !query.is_empty())
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

    #[test]
    fn full_text_query_quotes_its_terms() {
        let part = |column, text: &str| TextFilter { column, text_match: TextMatch::Contains(text.to_owned()) };
        let prefix = TextFilter { column: IdxDevices::CityFolded, text_match: TextMatch::Prefix("os".to_owned()) };
        let fragrance = part(IdxDevices::FragranceFolded, "linen");
        assert_eq!(full_text(&[prefix.clone(), fragrance.clone()]), None);
        let [dsn, customer] = [part(IdxDevices::DsnFolded, "a\" or b*"), part(IdxDevices::CustomerFolded, "not")];
        let filters = [dsn, prefix, fragrance, customer];
        assert_eq!(full_text(&filters).as_deref(), Some(r#"{dsn_folded}: "a"" or b*" AND {customer_folded}: "not""#));
    }
}
