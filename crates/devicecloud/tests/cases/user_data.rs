//! The data of the signed-in user.

use super::{NOW, Run, cases};

const KEY: &str = "units";

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "user_data/create": |client| {
            let datum = client.user_data().create("theme", "dark").await?;
            assert_eq!((datum.key.as_str(), datum.value.as_str()), ("theme", "dark"));
            assert_eq!((datum.created_at, datum.updated_at), (Some(NOW.parse()?), Some(NOW.parse()?)));
        };
        "user_data/create.422": |client| client.user_data().create(KEY, "dark").await?;
        "user_data/get": |client| {
            let datum = client.user_data().get(KEY).await?;
            assert_eq!((datum.key.as_str(), datum.created_at), (KEY, Some(NOW.parse()?)));
            assert!(["text", ""].contains(&datum.value.as_str()));
        };
        "user_data/get.404": |client| client.user_data().get("no_such_key").await?;
        "user_data/list": |client| {
            let data = client.user_data().list().send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, "text"));
        };
        "user_data/list.keys": |client| {
            let data = client.user_data().list().keys([KEY, "no_such_key"]).send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, KEY));
        };
        "user_data/list.wildcard": |client| {
            let data = client.user_data().list().keys(["uni%"]).send().await?;
            assert_eq!((data.len(), data[0].key.as_str()), (1, KEY));
        };
        "user_data/update": |client| {
            let datum = client.user_data().update(KEY, "imperial").await?;
            assert_eq!((datum.value.as_str(), datum.updated_at), ("imperial", Some(NOW.parse()?)));
        };
        "user_data/update.404": |client| client.user_data().update("no_such_key", "imperial").await?;
        "user_data/delete": |client| client.user_data().delete(KEY).await?;
        "user_data/delete.404": |client| client.user_data().delete("no_such_key").await?;
    }
    .into()
}
