//! Loads what the form's validation needs from the console's tables.

use super::fields::{CspChoice, DeviceForm, FormContext, StoredChoices};
use crate::core_state::CoreState;
use crate::error::{ApiError, ApiResult};
use crate::policy::{Actor, Scope};
use crate::{csps, fragrances};

/// # Errors
/// 403 if the actor sees no devices.
pub(super) async fn gather<'a>(
    state: &CoreState,
    actor: &'a Actor,
    form: &DeviceForm,
    before: Option<StoredChoices<'a>>,
) -> ApiResult<FormContext<'a>> {
    let db = &state.base.db;
    let csp = match actor.scope() {
        Scope::Csp(own) => CspChoice::Own(own),
        Scope::Everything => CspChoice::Chosen { exists: csps::exists(db, form.csp()).await? },
        Scope::Nothing => return Err(ApiError::Forbidden),
    };
    Ok(FormContext { before, has_fragrance: fragrances::find(db, form.fragrance()).await?.is_some(), csp })
}
