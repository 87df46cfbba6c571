//! Counts the devices and people of a CSP: those with its name as the value of a label.

use std::collections::HashMap;

use devicecloud::Client;
use diffuser::{PARTNER_LABEL_KEY, Role};
use futures::future::{try_join, try_join_all};
use platform::db::Result;

use crate::http::error::{ApiError, ApiResult};
use crate::index;
use crate::policy::Actor;
use crate::state::CoreState;

const IN_USE: &str = "Devices or people belong to this CSP.";

/// The number of devices and people of a CSP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) devices: u64,
    pub(super) users: u64,
}

impl Usage {
    /// Whether the CSP is unused.
    pub(super) fn is_free(self) -> bool {
        self == Self::default()
    }
}

/// The usage of each CSP according to the index.
pub(super) async fn indexed(state: &CoreState, actor: &Actor, names: &[&str]) -> Result<HashMap<String, Usage>> {
    let devices = state.device_lists.count_by_csp(actor, names).await?;
    let users = index::users_by_csp(&state.base.db, names).await?;
    let usage = |name: &str| Usage {
        devices: devices.get(name).copied().unwrap_or_default(),
        users: users.get(name).copied().unwrap_or_default(),
    };
    Ok(names.iter().map(|name| ((*name).to_owned(), usage(name))).collect())
}

/// Checks that no device and no person belongs to the CSP, in the index and then in the cloud with the actor's own token. The
/// index comes first because it is fast, and because the cloud would list every record of a CSP in use.
///
/// A record that gets the label after this check refers to a missing CSP until the next pass adopts it.
///
/// # Errors
/// 409 for a CSP in use; errors of the cloud.
pub(super) async fn require_free(state: &CoreState, actor: &Actor, name: &str) -> ApiResult<()> {
    let indexed = indexed(state, actor, &[name]).await?;
    let is_free = indexed.values().all(|usage| usage.is_free());
    if is_free && !is_labelled(&state.sessions.cloud(&actor.session), name).await? {
        return Ok(());
    }
    Err(ApiError::Conflict(IN_USE.to_owned()))
}

/// Whether the cloud has a device or a person with this label.
async fn is_labelled(cloud: &Client, name: &str) -> devicecloud::Result<bool> {
    let roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    let calls = roles.map(async |role| {
        let (labels, people) = (cloud.role_labels(), cloud.roles());
        let devices = labels.find_devices(role.name()).label(PARTNER_LABEL_KEY, name);
        let people = people.index_by_role(role.name()).label(PARTNER_LABEL_KEY, name);
        let (devices, people) = try_join(devices.send(), people.send()).await?;
        Ok(!devices.is_empty() || !people.is_empty())
    });
    Ok(try_join_all(calls).await?.contains(&true))
}
