//! The interface between the task and the cloud; replaced in tests.

use crate::client::Client;
use crate::error::Result;
use crate::future::BoxFuture;
use crate::model::{Dsn, Subscription, SubscriptionId, SubscriptionType};
use crate::stream::StreamHandle;

pub(crate) trait Upstream: Send + Sync + 'static {
    /// Creates a subscription to these devices.
    fn subscribe(&self, dsns: Vec<Dsn>) -> BoxFuture<'static, Result<Subscription>>;

    fn unsubscribe(&self, id: SubscriptionId) -> BoxFuture<'static, Result<()>>;

    fn open(&self, subscription: &Subscription) -> StreamHandle;
}

/// The cloud, with the kinds of event to subscribe to.
pub(super) struct Cloud {
    pub(super) client: Client,
    pub(super) types: Vec<SubscriptionType>,
}

impl Upstream for Cloud {
    fn subscribe(&self, dsns: Vec<Dsn>) -> BoxFuture<'static, Result<Subscription>> {
        let create = self.client.subscriptions().create().dsns(dsns).subscription_types(&self.types);
        Box::pin(async move { create.send().await })
    }

    fn unsubscribe(&self, id: SubscriptionId) -> BoxFuture<'static, Result<()>> {
        let subscriptions = self.client.subscriptions();
        Box::pin(async move { subscriptions.delete(id).await })
    }

    fn open(&self, subscription: &Subscription) -> StreamHandle {
        self.client.stream(subscription)
    }
}
