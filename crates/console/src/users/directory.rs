//! The cloud's people as a pass needs them.

use std::collections::HashMap;
use std::time::Duration;

use devicecloud::{Client, Result};
use uuid::Uuid;

use super::record::{self, UserRecord};
use crate::service::ServiceSession;

/// Everybody whom the cloud knows, but the console's own machine account.
pub(super) trait Directory: Send {
    /// All of them, each without a record when the list does not tell their roles.
    fn list(&mut self) -> impl Future<Output = Result<HashMap<Uuid, Option<UserRecord>>>> + Send;

    /// One of them; `None` when the cloud says that they are gone.
    fn one(&mut self, id: Uuid) -> impl Future<Output = Result<Option<UserRecord>>> + Send;
}

/// The cloud over the wire, with the service session, for one pass.
///
/// One answer holds everybody (`index_by_oem`): there are thousands of people at most, the answer is of one moment, so that
/// nobody slips through between two pages, and nobody has to tell the console by which number the cloud knows its
/// manufacturer. It is everybody, also those without any of the five roles: whoever has lost the role must still be found to
/// be given another one, and the lists by role would not have them.
pub(super) struct CloudDirectory<'a> {
    service: &'a ServiceSession,
    cloud: Client,
    /// Before each call: the rate budget.
    pause: Duration,
}

impl<'a> CloudDirectory<'a> {
    pub(super) fn new(service: &'a ServiceSession, cloud: Client, pause: Duration) -> Self {
        Self { service, cloud, pause }
    }
}

impl Directory for CloudDirectory<'_> {
    async fn list(&mut self) -> Result<HashMap<Uuid, Option<UserRecord>>> {
        tokio::time::sleep(self.pause).await;
        let users = self.cloud.roles().index_by_oem().await?;
        let people = users.iter().filter(|user| !self.service.is_account(&user.email));
        Ok(people.filter_map(|user| Some((record::id(user)?, UserRecord::from_listed(user)))).collect())
    }

    async fn one(&mut self, id: Uuid) -> Result<Option<UserRecord>> {
        tokio::time::sleep(self.pause).await;
        match self.cloud.admin().get_user_by_uuid(id.to_string()).await {
            Ok(user) => UserRecord::of(&self.cloud, &user).await,
            Err(error) if error.status() == Some(404) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
