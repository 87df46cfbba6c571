use serde::Serialize;
use serde_json::Value;

use super::User;
use super::read::{self, Fields};

/// One page of a list of users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UserPage {
    /// The users of this page.
    pub users: Vec<User>,
    /// The number of users on all pages.
    pub total: u64,
    /// The number of this page, from 1.
    pub current_page_number: u32,
    /// The position of the page's first user in the whole list, from 1; 0 if the page is empty.
    pub start_count_on_page: u64,
    /// The position of the page's last user.
    pub end_count_on_page: u64,
    /// The number of the previous page.
    pub previous_page: Option<u32>,
    /// The number of the next page.
    pub next_page: Option<u32>,
}

impl UserPage {
    /// Reads a paged response, or a plain array from a cloud without paging.
    pub(crate) fn read(value: &Value) -> Option<Self> {
        if let Some(users) = read::many::<User>(value) {
            let total = count(&users);
            return Some(Self {
                users,
                total,
                current_page_number: 1,
                start_count_on_page: total.min(1),
                end_count_on_page: total,
                previous_page: None,
                next_page: None,
            });
        }
        let fields = Fields(value.as_object()?);
        let users: Vec<User> = read::many(fields.value("users")?)?;
        let number = |name| fields.integer(name).and_then(|number| u64::try_from(number).ok());
        let page = |name| number(name).and_then(|number| u32::try_from(number).ok());
        Some(Self {
            total: number("total").unwrap_or_else(|| count(&users)),
            current_page_number: page("current_page_number").unwrap_or(1),
            start_count_on_page: number("start_count_on_page").unwrap_or_default(),
            end_count_on_page: number("end_count_on_page").unwrap_or_default(),
            previous_page: page("previous_page"),
            next_page: page("next_page"),
            users,
        })
    }
}

fn count(users: &[User]) -> u64 {
    users.len().try_into().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn user_page_is_read_wrapped_flat_and_from_a_plain_array() {
        let items = json!([{"user": {"id": 1}}, {"id": 2}, {"id": 0, "user": {"id": 3}}, 7]);
        for (value, total) in [(json!({"users": items, "total": 40, "next_page": 2}), 40), (items.clone(), 3)] {
            let page = UserPage::read(&value).unwrap();
            let ids: Vec<_> = page.users.iter().map(|user| user.id.as_str()).collect();
            assert_eq!((ids, page.total, page.current_page_number), (vec!["1", "2", "3"], total, 1));
        }
        for value in [json!({"status": "ok"}), json!({"users": 7}), json!(7)] {
            assert!(UserPage::read(&value).is_none(), "{value}");
        }
    }
}
