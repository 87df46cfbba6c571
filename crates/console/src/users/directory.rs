//! The cloud's users, as a pass reads them.

use std::collections::HashMap;
use std::time::Duration;

use devicecloud::{Client, Result};
use uuid::Uuid;

use super::record::{self, UserRecord};
use crate::sessions::service_account::ServiceSession;

/// All users of the cloud except the service account.
pub(super) trait Directory: Send {
    /// All users by id. The record is `None` if the list does not contain the user's roles.
    fn list(&mut self) -> impl Future<Output = Result<HashMap<Uuid, Option<UserRecord>>>> + Send;

    /// One user; `None` if the cloud does not find them.
    fn one(&mut self, id: Uuid) -> impl Future<Output = Result<Option<UserRecord>>> + Send;
}

/// Reads the cloud with the service session, for one pass.
///
/// `index_by_oem` returns all users in one response. There are thousands at most, and one consistent response cannot miss a
/// user between two pages. It includes users without any of the five roles, which the lists by role omit: a user who lost
/// their role must still be found to get another one.
pub(super) struct CloudDirectory<'a> {
    service: &'a ServiceSession,
    cloud: Client,
    /// The wait before each call, which bounds the request rate.
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
