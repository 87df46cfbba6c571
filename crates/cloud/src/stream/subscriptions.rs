//! Creates subscriptions, within a maximum number per user.

use platform::bus::Bus;
use platform::db::{Db, Result, Tx};
use platform::run::clock::Clock;
use platform::run::random::Random;

use super::hub::Hub;
use super::rights;
use crate::store::subscriptions::{self, NewSubscription, SubscriptionRow};

/// Maximum number of subscriptions of a user.
const MAX_PER_USER: usize = 50;

/// Creates subscriptions. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Subscriptions {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) bus: Bus,
    pub(crate) hub: Hub,
}

impl Subscriptions {
    /// Creates a subscription that ends with the session of this access token; `None` if there is no such session. If the user
    /// has too many, the oldest one that no socket of this node reads is deleted, or else the oldest one.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn create(&self, access_token: &str, new: &NewSubscription) -> Result<Option<SubscriptionRow>> {
        let (now, stream_key) = (self.clock.now(), self.random.hex(16));
        let create = async |mut tx: Tx| -> Result<_> {
            let inserted = subscriptions::insert(&mut tx, access_token, new, &stream_key, now).await?;
            let Some((id, user_id)) = inserted else { return Ok(None) };
            let mut others = subscriptions::lock_rows(&mut tx, user_id).await?;
            others.retain(|other| *other != id);
            others.sort_by_key(|other| self.hub.is_read(*other));
            let excess = others.len().saturating_sub(MAX_PER_USER - 1);
            others.truncate(excess);
            subscriptions::delete_all(&mut tx, &others).await?;
            tx.commit().await?;
            Ok((!others.is_empty()).then_some(user_id))
        };
        if let Some(user_id) = self.db.write(create).await? {
            rights::publish(&self.bus, user_id);
        }
        subscriptions::by_stream_key(&self.db, &stream_key).await
    }
}
