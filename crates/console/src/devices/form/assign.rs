//! Giving a device to a CSP, and nothing else.

use devicecloud::Device;
use diffuser::{PARTNER_LABEL_KEY, Role};
use uuid::Uuid;

use super::changes::Step;
use super::save::save;
use crate::csps;
use crate::devices::service;
use crate::devices::writes::refresh;
use crate::error::{ApiError, ApiResult};
use crate::policy::{self, Action, Actor, Target};
use crate::records::DeviceRecord;
use crate::state::AppState;

/// For a job: gives the device the labels of this CSP and takes those of others away, with the actor's own token. Repeated after any
/// failure, it goes on where it stopped.
///
/// # Errors
/// 404 or 403; 409 when the CSP is gone; what the cloud refused.
pub(crate) async fn assign_csp(state: &AppState, actor: &Actor, job: Uuid, dsn: &str, csp: &str) -> ApiResult<()> {
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

/// Whether each of the CSP roles has the label of this CSP, and none has another's.
fn has_all_labels(device: &Device, csp: &str) -> bool {
    let labels = device.role_labels.iter().filter_map(|it| Some((it.role_name.as_str(), it.label.as_ref()?)));
    let partners: Vec<_> = labels.filter(|(_, label)| label.key == PARTNER_LABEL_KEY).collect();
    let mut roles = Role::ALL.into_iter().filter(|role| role.is_csp_scoped());
    partners.iter().all(|(_, label)| label.value == csp)
        && roles.all(|role| partners.iter().any(|(name, _)| *name == role.name()))
}
