//! Notifications.

use super::{Run, WRONG_KEY, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "notifications/list": |client| assert_eq!(client.notifications().list(41).await?, []);
        "notifications/list.404": |client| client.notifications().list(WRONG_KEY).await?;
    }
    .into()
}
