//! Sign-in, tokens, the profile.

use super::{Run, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "users/sign_in": |client| {
            let sign_in = client.sign_in("jo@example.com", &"correct horse".into()).await?;
            assert_eq!(sign_in.authorization.access_token.expose(), "0123456789abcdef0123456789abcdef");
            assert_eq!((sign_in.role.as_deref(), sign_in.role_tags[0].key.as_str()), (Some("text"), "text"));
        };
        "users/sign_in.401": |client| client.sign_in("jo@example.com", &"wrong".into()).await?;
        "users/sign_in.404": |client| client.sign_in("jo@example.com", &"correct horse".into()).await?;
        "users/refresh_token": |client| {
            let renewed = client.refresh().await?;
            assert_eq!((renewed.expires_in_secs, renewed.role.as_deref()), (7, Some("text")));
        };
        "users/refresh_token.422": |client| client.refresh().await?;
        "users/sign_out": |client| client.sign_out().await?;
        "users/get_user_profile": |client| {
            let user = client.users().profile().await?;
            assert_eq!((user.email.as_str(), user.id.as_str()), ("jo@example.com", "7"));
            assert_eq!(user.role_tags[0].namespace, "text");
            assert!(user.ayla_dev_kit_num.is_none_or(|number| number == "text"));
        };
        "users/get_user_profile.401": |client| client.users().profile().await?;
    }
    .into()
}
