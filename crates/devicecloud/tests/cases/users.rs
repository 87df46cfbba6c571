//! Sign-in, tokens, the user's own account.

use devicecloud::UserChanges;

use super::{Run, cases};

const EMAIL: &str = "jo@example.com";
const NOBODY: &str = "nobody@example.com";
const UNCONFIRMED: &str = "new@example.com";
const OLD: &str = "correct horse";
const NEW: &str = "Battery-Staple-2";
const RESET: &str = "e1000000000000000000000000000000";

#[expect(clippy::too_many_lines, reason = "a table")]
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
        "users/request_password_reset": |client| client.users().request_password_reset(EMAIL).send().await?;
        "users/request_password_reset.template": |client| {
            client.users().request_password_reset(EMAIL).email_template_id("short").send().await?;
        };
        "users/request_password_reset.unknown": |client| client.users().request_password_reset(NOBODY).send().await?;
        "users/request_password_reset.404": |client| client.users().request_password_reset(EMAIL).send().await?;
        "users/request_password_reset.422": |client| client.users().request_password_reset("jo@").send().await?;
        "users/resend_confirmation": |client| client.users().resend_confirmation(UNCONFIRMED).send().await?;
        "users/resend_confirmation.template": |client| {
            client.users().resend_confirmation(UNCONFIRMED).email_template_id("short").send().await?;
        };
        "users/resend_confirmation.404": |client| client.users().resend_confirmation(NOBODY).send().await?;
        "users/resend_confirmation.422": |client| client.users().resend_confirmation(EMAIL).send().await?;
        "users/confirm": |client| client.users().confirm(&"d1000000000000000000000000000000".into()).await?;
        "users/confirm.422": |client| client.users().confirm(&"d2000000000000000000000000000000".into()).await?;
        "users/reset_password": |client| client.users().reset_password(&RESET.into(), &NEW.into(), &NEW.into()).await?;
        "users/reset_password.422": |client| {
            client.users().reset_password(&"e2000000000000000000000000000000".into(), &NEW.into(), &NEW.into()).await?;
        };
        "users/reset_password.weak": |client| {
            client.users().reset_password(&RESET.into(), &"weak".into(), &NEW.into()).await?;
        };
        "users/update_password": |client| client.users().update_password(&OLD.into(), &NEW.into()).await?;
        "users/update_password.422": |client| client.users().update_password(&"wrong".into(), &NEW.into()).await?;
        "users/update_password.weak": |client| client.users().update_password(&OLD.into(), &"weak".into()).await?;
        "users/update_profile": |client| {
            let changes = UserChanges::new().firstname("Jo").company("").city("Paris").ayla_dev_kit_num("DK-7");
            client.users().update_profile(changes).await?;
        };
        "users/update_profile.422": |client| client.users().update_profile(UserChanges::new().firstname("")).await?;
        "users/update_email": |client| client.users().update_email("jo.new@example.com").send().await?;
        "users/update_email.422": |client| client.users().update_email(UNCONFIRMED).send().await?;
        "users/cancel_email_change": |client| {
            client.users().cancel_email_change(&"f1000000000000000000000000000000".into()).await?;
        };
        "users/cancel_email_change.422": |client| {
            client.users().cancel_email_change(&"f2000000000000000000000000000000".into()).await?;
        };
        "users/delete_account": |client| client.users().delete_account().await?;
        "users/delete_account.409": |client| client.users().delete_account().await?;
        "users/get_user_profile.401": |client| client.users().profile().await?;
    }
    .into()
}
