//! What the rules of the form need to know from the console's own tables.

use super::fields::{Before, Csp, DeviceForm, Facts};
use crate::error::{ApiError, ApiResult};
use crate::policy::{Actor, Scope};
use crate::state::AppState;
use crate::{csps, fragrances};

/// # Errors
/// 403 for who sees no device.
pub(super) async fn gather<'a>(
    state: &AppState,
    actor: &'a Actor,
    form: &DeviceForm,
    before: Option<Before<'a>>,
) -> ApiResult<Facts<'a>> {
    let db = &state.base.db;
    let csp = match actor.scope() {
        Scope::Csp(own) => Csp::Own(own),
        Scope::Everything => Csp::Chosen { exists: csps::exists(db, form.csp()).await? },
        Scope::Nothing => return Err(ApiError::Forbidden),
    };
    Ok(Facts { before, has_fragrance: fragrances::find(db, form.fragrance()).await?.is_some(), csp })
}
