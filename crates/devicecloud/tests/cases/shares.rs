//! Shares of devices.

use devicecloud::{NewShare, Result, Share, ShareOperation, ShareResourceType, Time};

use super::{DSN, NOW, OTHER_DSN, ROLE, Run, WRONG_DSN, WRONG_KEY, cases};

const RECIPIENT: &str = "guest@example.com";
const SHARE: i64 = 81;

fn other() -> NewShare {
    NewShare::for_device(OTHER_DSN, RECIPIENT)
}

fn start() -> Result<Time> {
    "2026-12-01T08:00:00Z".parse()
}

fn end() -> Result<Time> {
    "2026-12-24T18:30:00.9Z".parse()
}

/// A resource as if it had been fetched.
fn fetched(id: i64) -> Share {
    let mut share = Share::default();
    share.id = id.into();
    share.operation = Some(ShareOperation::Write);
    share.user_email = RECIPIENT.into();
    share.resource_id = DSN.into();
    share.resource_name = "device".into();
    share.resource_type = Some(ShareResourceType::Device);
    share
}

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "shares/create": |client| {
            let share = client.shares().create(other()).send().await?;
            assert_eq!((share.id.as_str(), share.user_email.as_str()), ("7", RECIPIENT));
            assert_eq!((share.operation, share.role_name), (Some(ShareOperation::Read), None));
            assert_eq!((share.start_date_at, share.end_date_at), (None, None));
            assert_eq!((share.resource_id.as_str(), share.resource_type), (OTHER_DSN, Some(ShareResourceType::Device)));
            assert!(share.status.is_none_or(|status| status == "text"));
        };
        "shares/create.period": |client| {
            let share = other().operation(ShareOperation::Write).start_date_at(start()?).end_date_at(end()?);
            let share = client.shares().create(share).send().await?;
            assert_eq!((share.operation, share.start_date_at), (Some(ShareOperation::Write), Some(start()?)));
            assert_eq!(share.end_date_at, Some("2026-12-24T18:30:00Z".parse()?));
        };
        "shares/create.role": |client| {
            let share = client.shares().create(other().role_name(ROLE)).send().await?;
            assert_eq!((share.operation, share.role_name.as_deref()), (None, Some(ROLE)));
        };
        "shares/create.template": |client| client.shares().create(other()).email_template_id("welcome").send().await?;
        "shares/create.several": |client| {
            let shares = client.shares().create_several([other()]).send().await?;
            assert_eq!((shares.len(), shares[0].resource_id.as_str()), (1, OTHER_DSN));
        };
        "shares/create.granted": |client| client.shares().create(NewShare::for_device(DSN, RECIPIENT)).send().await?;
        "shares/create.404": |client| client.shares().create(NewShare::for_device(WRONG_DSN, RECIPIENT)).send().await?;
        "shares/create.422": |client| {
            client.shares().create(NewShare::for_device(OTHER_DSN, "nobody@example.com")).send().await?
        };
        "shares/list": |client| {
            let shares = client.shares().owned().await?;
            assert_eq!((shares.len(), shares[0].id.as_str(), shares[0].owner_id.as_str()), (1, "81", "7"));
        };
        "shares/received": |client| {
            let shares = client.shares().received().await?;
            assert_eq!((shares.len(), shares[0].id.as_str(), shares[0].user_id.as_str()), (1, "81", "7"));
            let owner = shares[0].owner_profile.as_ref().unwrap();
            assert_eq!(owner.email.as_deref(), Some("text"));
            assert!(owner.first_name.as_ref().is_none_or(|name| name == "text"));
        };
        "shares/get": |client| {
            let share = client.shares().get(SHARE).await?;
            assert_eq!((share.id.as_str(), share.resource_id.as_str()), ("81", DSN));
            assert_eq!((share.created_at, share.updated_at), (Some(NOW.parse()?), Some(NOW.parse()?)));
            assert!(share.grant_id.is_blank() || share.grant_id.as_str() == "7");
        };
        "shares/get.404": |client| client.shares().get(WRONG_KEY).await?;
        "shares/update": |client| {
            let share = client.shares().update(&fetched(SHARE)).operation(ShareOperation::Read).end_date_at(end()?);
            let share = share.send().await?;
            assert_eq!((share.id.as_str(), share.operation), ("81", Some(ShareOperation::Read)));
        };
        "shares/update.403": |client| {
            let share = client.shares().update(&fetched(SHARE)).operation(ShareOperation::Read).end_date_at(end()?);
            share.send().await?
        };
        "shares/update.404": |client| {
            let share = client.shares().update(&fetched(WRONG_KEY)).operation(ShareOperation::Read).end_date_at(end()?);
            share.send().await?
        };
        "shares/delete": |client| client.shares().delete(SHARE).await?;
        "shares/delete.404": |client| client.shares().delete(WRONG_KEY).await?;
    }
    .into()
}
