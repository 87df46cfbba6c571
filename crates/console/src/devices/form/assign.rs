//! Assigns a device to a CSP.

use devicecloud::Device;
use diffuser::{PARTNER_LABEL_KEY, Role};
use uuid::Uuid;

use super::changes::Step;
use super::save::save;
use crate::core_state::CoreState;
use crate::csps;
use crate::devices::service;
use crate::devices::writes::refresh;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;

/// Job step: replaces the device's CSP labels with those of this CSP, with the actor's own token. It can be repeated
/// after any failure.
///
/// # Errors
/// 404 or 403; 409 if the CSP no longer exists; errors of the cloud.
pub(crate) async fn assign_csp(state: &CoreState, actor: &Actor, job: Uuid, dsn: &str, csp: &str) -> ApiResult<()> {
    let device = service::read(state, actor, dsn).await?;
    let present = DeviceRecord::of(&device).csp;
    policy::can(actor, Action::AssignCsp, Target::Device { csp: present.as_deref() }).require()?;
    if !csps::exists(&state.base.db, csp).await? {
        return Err(ApiError::Conflict("There is no such CSP any more.".to_owned()));
    }
    if has_all_labels(&device, csp) {
        refresh(state, actor, dsn).await?;
    } else {
        save(state, actor, Some(job), &device, &[Step::Assign(csp.to_owned())]).await?;
    }
    Ok(())
}

/// Whether each CSP role has the label of this CSP and none has another CSP's.
fn has_all_labels(device: &Device, csp: &str) -> bool {
    let labels = device.role_labels.iter().filter_map(|it| Some((it.role_name.as_str(), it.label.as_ref()?)));
    let partners: Vec<_> = labels.filter(|(_, label)| label.key == PARTNER_LABEL_KEY).collect();
    let mut roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    partners.iter().all(|(_, label)| label.value == csp)
        && roles.all(|role| partners.iter().any(|(name, _)| *name == role.name()))
}
