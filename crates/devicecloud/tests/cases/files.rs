//! Files of properties.

use super::{FILE, LOCATION, Run, cases};

const URL: &str = "https://files.example.com/7";

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "files/create": |client| {
            let placeholder = client.files().create(44).send().await?;
            assert_eq!((placeholder.closed, placeholder.location.as_str()), (false, LOCATION));
            assert_eq!(placeholder.file.expose(), URL);
        };
        "files/create.metadata": |client| {
            let placeholder = client.files().create(44).metadata("by", "a test").send().await?;
            assert_eq!(placeholder.datapoint.metadata["by"], "a test");
        };
        "files/create.404": |client| client.files().create(999_999_999).send().await?;
        "files/complete": |client| client.files().complete(LOCATION).await?;
        "files/complete.406": |client| client.files().complete(LOCATION).await?;
        "files/complete.404": |client| {
            let location = LOCATION.replace("9b2f6f0e-0000-71f1-8000-000000000002", "99999999-9999-4999-8999-999999999999");
            client.files().complete(&location).await?;
        };
        "files/get": |client| {
            let file = client.files().get(LOCATION).await?;
            assert_eq!((file.closed, file.file.expose(), file.datapoint.id.as_str()), (true, URL, FILE));
        };
        "files/get.406": |client| client.files().get(LOCATION).await?;
        "files/fetched": |client| client.files().mark_fetched(LOCATION).await?;
        "files/fetched.406": |client| client.files().mark_fetched(LOCATION).await?;
    }
    .into()
}
