//! What a CSP may be called.

use crate::error::{ApiError, ApiResult};

const LONGEST: usize = 255;

/// The name as it is kept: it becomes the value of labels.
///
/// # Errors
/// 422 for a name that is missing, blank, too long or not one line.
pub(super) fn check(name: Option<&str>) -> ApiResult<String> {
    let name = name.map(str::trim).unwrap_or_default();
    let refusal = match name {
        "" => "Required".to_owned(),
        _ if name.chars().count() > LONGEST => format!("Must be at most {LONGEST} characters"),
        _ if name.contains(char::is_control) => "Must be one line of text".to_owned(),
        _ => return Ok(name.to_owned()),
    };
    Err(ApiError::invalid("name", refusal))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_trimmed_line_of_at_most_255_characters() {
        let longest = "ß".repeat(LONGEST);
        for name in ["A", " Acme \u{a0}\n", "=1+1", "<b>Acme & Söhne</b>", "東京", &longest, &format!("  {longest} ")]
        {
            assert_eq!(check(Some(name)).unwrap(), name.trim(), "{name:?}");
        }
        let too_long = "ß".repeat(LONGEST + 1);
        let rows = [
            (None, "Required"),
            (Some(""), "Required"),
            (Some(" \t\u{a0}\n"), "Required"),
            (Some(too_long.as_str()), "Must be at most 255 characters"),
            (Some("A\nB"), "Must be one line of text"),
            (Some("A\0"), "Must be one line of text"),
            (Some("A\u{9b}B"), "Must be one line of text"),
        ];
        for (name, text) in rows {
            let Err(ApiError::Invalid(errors)) = check(name) else { panic!("{name:?}") };
            assert_eq!(
                errors.into_iter().collect::<Vec<_>>(),
                [("name".to_owned(), vec![text.to_owned()])],
                "{name:?}"
            );
        }
    }
}
