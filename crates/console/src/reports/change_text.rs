//! Changes in words.

use serde_json::Value;

/// `Time zone: UTC → Europe/Oslo`.
pub(crate) fn change_text(field: &str, before: &Value, after: &Value) -> String {
    format!("{}: {} \u{2192} {}", name_text(field), value(before), value(after))
}

fn value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The words of a name in the API: `timeZone` is `Time zone`, `schedule.3` is `Schedule 3`, `update_device` is `Update device`.
pub(crate) fn name_text(name: &str) -> String {
    if name == "csp" {
        return "CSP".to_owned();
    }
    let mut words = String::new();
    for (at, char) in name.chars().enumerate() {
        match char {
            '.' | '_' => words.push(' '),
            _ if at == 0 => words.extend(char.to_uppercase()),
            _ if char.is_uppercase() => {
                words.push(' ');
                words.extend(char.to_lowercase());
            }
            _ => words.push(char),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_told_in_words() {
        let rows = [
            ("csp", json!("North"), json!(null), "CSP: North \u{2192} none"),
            ("timeZone", json!("UTC"), json!("Europe/Oslo"), "Time zone: UTC \u{2192} Europe/Oslo"),
            ("intensity", json!(20), json!(12), "Intensity: 20 \u{2192} 12"),
            ("storeNumber", json!(""), json!("224"), "Store number: none \u{2192} 224"),
        ];
        for (field, before, after, text) in rows {
            assert_eq!(change_text(field, &before, &after), text);
        }
        for (name, text) in [("schedule.3", "Schedule 3"), ("update_device", "Update device"), ("csp", "CSP")] {
            assert_eq!(name_text(name), text);
        }
    }
}
