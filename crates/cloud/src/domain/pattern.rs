//! Patterns that templates set for texts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use regex::Regex;
use regex_automata::hybrid::dfa::DFA;
use regex_automata::{Anchored, Input};

/// Compiled patterns. Each connected device holds those of its template, so each is compiled once per process.
static COMPILED: Mutex<BTreeMap<String, Arc<Regex>>> = Mutex::new(BTreeMap::new());

/// A regular expression (syntax of the `regex` crate) that must match a whole text. Cheap to clone: clones share the memory in which
/// they match, which clones of [`Regex`] do not.
#[derive(Clone)]
pub struct Pattern(Arc<Regex>);

const BEGIN: &str = "^(?:";
const END: &str = ")$";

/// The pattern is not a valid regular expression.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the pattern is not a regular expression: {0}")]
pub struct InvalidPattern(#[source] regex::Error);

impl Pattern {
    /// As written in the template.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let whole = self.0.as_str();
        &whole[BEGIN.len()..whole.len() - END.len()]
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// The index of the first byte with which no text of this pattern continues; the length of a text that ends too early. Slow, because
    /// it compiles the pattern again.
    pub(crate) fn mismatch(&self, text: &str) -> usize {
        let first = || {
            let dfa = DFA::new(self.0.as_str()).ok()?;
            let mut cache = dfa.create_cache();
            let mut state = dfa.start_state_forward(&mut cache, &Input::new(text).anchored(Anchored::Yes)).ok()?;
            text.bytes().position(|byte| {
                state = dfa.next_state(&mut cache, state, byte).unwrap_or(state);
                state.is_dead()
            })
        };
        first().unwrap_or(text.len())
    }

    /// # Panics
    /// If the text is not a regular expression. Only parsed patterns are stored.
    pub(crate) fn from_stored(text: &str) -> Self {
        text.parse().expect("only patterns are stored as patterns")
    }
}

impl FromStr for Pattern {
    type Err = InvalidPattern;

    fn from_str(text: &str) -> Result<Self, InvalidPattern> {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(whole) = compiled.get(text) {
            return Ok(Self(Arc::clone(whole)));
        }
        // Compiled on its own first: `a)(?:b` is valid only between the added parentheses.
        Regex::new(text).map_err(InvalidPattern)?;
        let whole = Arc::new(Regex::new(&format!("{BEGIN}{text}{END}")).map_err(InvalidPattern)?);
        compiled.insert(text.to_owned(), Arc::clone(&whole));
        Ok(Self(whole))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pattern").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pattern_matches_whole_texts_only() {
        for (pattern, text, expected) in [
            ("a|bc", "a", true),
            ("a|bc", "bc", true),
            ("a|bc", "ac", false),
            ("a|bc", "abc", false),
            ("[0-9]+", "12", true),
            ("[0-9]+", "12\n", false),
            ("[0-9]+", "", false),
            ("", "", true),
            ("", "a", false),
        ] {
            let parsed: Pattern = pattern.parse().unwrap();
            assert_eq!((parsed.as_str(), parsed.matches(text)), (pattern, expected), "{pattern} {text:?}");
        }
    }

    #[test]
    fn mismatch_is_the_first_byte_that_no_text_of_the_pattern_has_there() {
        for (pattern, text, expected) in [
            ("[0-9]{1,2}(,[0-9])*", "12,3,x,4", 5),
            ("[0-9]{1,2}(,[0-9])*", "123", 2),
            ("[0-9]{1,2}(,[0-9])*", "12,", 3),
            ("a|bc", "bd", 1),
            ("", "a", 0),
            ("a", "", 0),
        ] {
            assert_eq!(pattern.parse::<Pattern>().unwrap().mismatch(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn equal_patterns_share_their_memory() {
        let [one, other] = [(); 2].map(|()| "[0-9]{1,3}".parse::<Pattern>().unwrap());
        assert!(Arc::ptr_eq(&one.0, &other.0) && Arc::ptr_eq(&one.0, &other.clone().0));
    }

    #[test]
    fn text_that_is_no_regular_expression_is_rejected() {
        for text in ["(", ")", "a)(?:b", "[", "*", "(?P<name"] {
            assert!(text.parse::<Pattern>().is_err(), "{text}");
        }
    }
}
