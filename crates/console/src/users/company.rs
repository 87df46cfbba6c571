//! Company and business role, which the cloud stores in one field (A-68).

use serde_json::{Map, Value};

const COMPANY: &str = "company";
const BUSINESS_ROLE: &str = "businessRole";

/// Parses the cloud's field: a JSON object with one or both keys, or any other text, which is the company.
pub(super) fn read(field: &str) -> (String, String) {
    match serde_json::from_str(field) {
        Ok(Value::Object(object)) if object.contains_key(COMPANY) || object.contains_key(BUSINESS_ROLE) => {
            (text(&object, COMPANY), text(&object, BUSINESS_ROLE))
        }
        _ => (field.to_owned(), String::new()),
    }
}

/// Formats the cloud's field; empty if both values are.
pub(super) fn write(company: &str, business_role: &str) -> String {
    if company.is_empty() && business_role.is_empty() {
        return String::new();
    }
    serde_json::json!({ COMPANY: company, BUSINESS_ROLE: business_role }).to_string()
}

fn text(object: &Map<String, Value>, key: &str) -> String {
    object.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_fills_company_and_business_role_and_other_text_is_the_company() {
        let rows = [
            (r#"{"company": "Aurora", "businessRole": "Owner"}"#, "Aurora", "Owner"),
            (r#"{"businessRole":"Owner","company":"Aurora","more":1}"#, "Aurora", "Owner"),
            (r#"{"company": "Aurora"}"#, "Aurora", ""),
            (r#"{"businessRole": "Owner"}"#, "", "Owner"),
            (r#"{"company": null, "businessRole": 7}"#, "", ""),
            ("Aurora", "Aurora", ""),
            ("", "", ""),
            ("{}", "{}", ""),
            (r#"{"name": "Aurora"}"#, r#"{"name": "Aurora"}"#, ""),
            (r#"["company"]"#, r#"["company"]"#, ""),
            (r#"{"company": "#, r#"{"company": "#, ""),
            ("47", "47", ""),
            ("null", "null", ""),
        ];
        for (field, company, business_role) in rows {
            assert_eq!(read(field), (company.to_owned(), business_role.to_owned()), "{field}");
        }
    }

    #[test]
    fn empty_company_and_business_role_are_written_as_empty_text() {
        let rows = [
            ("", "", ""),
            ("Aurora", "Owner", r#"{"businessRole":"Owner","company":"Aurora"}"#),
            ("Aurora", "", r#"{"businessRole":"","company":"Aurora"}"#),
            ("", "Owner", r#"{"businessRole":"Owner","company":""}"#),
        ];
        for (company, business_role, field) in rows {
            assert_eq!(write(company, business_role), field);
        }
    }

    #[test]
    fn written_value_is_read_back() {
        let texts = ["", "Aurora", "A \"quoted\" \\ name", "{\"company\": 1}", "Łódź\n"];
        for company in texts {
            for business_role in texts {
                let read = read(&write(company, business_role));
                assert_eq!(read, (company.to_owned(), business_role.to_owned()));
            }
        }
    }
}
