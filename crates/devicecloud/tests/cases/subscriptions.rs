//! Subscriptions.

use devicecloud::SubscriptionType;

use super::{DSN, Run, cases};

pub(super) fn all() -> Vec<(&'static str, Run)> {
    cases! {
        "subscriptions/create": |client| {
            let subscription = client.subscriptions().create().send().await?;
            assert_eq!(subscription.stream_key.expose(), "0123456789abcdef0123456789abcdef");
            assert_eq!(subscription.subscription_types, [SubscriptionType::Datapoint, SubscriptionType::DatapointAck]);
        };
        "subscriptions/create.dsns": |client| {
            use SubscriptionType::{Connectivity, Datapoint, DatapointAck};
            let create = client.subscriptions().create().dsns([DSN, "AC000W000000002"]);
            let subscription = create.subscription_types([Datapoint, DatapointAck, Connectivity]).send().await?;
            assert_eq!(subscription.dsn.as_deref(), Some("AC000W000000001,AC000W000000002"));
        };
        "subscriptions/list": |client| assert_eq!(client.subscriptions().list().await?[0].id.as_str(), "7");
        "subscriptions/get": |client| assert_eq!(client.subscriptions().get(51).await?.id.as_str(), "51");
        "subscriptions/get.404": |client| client.subscriptions().get(999_999_999).await?;
        "subscriptions/delete": |client| client.subscriptions().delete(51).await?;
    }
    .into()
}
