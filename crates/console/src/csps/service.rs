//! Reads CSPs, with counts of their devices and people from the index.

use std::collections::HashMap;

use jiff::Timestamp;
use platform::db::Result;
use uuid::Uuid;

use super::dto::{CspList, CspName, CspView};
use super::list::{self, ListQuery};
use super::store;
use super::usage::{self, Usage};
use crate::http::error::{ApiError, ApiResult};
use crate::index;
use crate::policy::Actor;
use crate::state::CoreState;

/// One page of the CSPs.
pub(super) async fn list(state: &CoreState, actor: &Actor, query: &ListQuery) -> ApiResult<CspList> {
    let db = &state.base.db;
    let page = list::page(db, query).await?;
    let (counted, csps) = views(state, actor, page.csps).await?;
    Ok(CspList {
        csps,
        total: page.total,
        current_page_number: page.number,
        as_of: counted.unwrap_or_else(|| state.base.clock.now()),
    })
}

/// CSPs with their counts, and the time of the counts.
pub(super) async fn views(
    state: &CoreState,
    actor: &Actor,
    csps: Vec<CspName>,
) -> Result<(Option<Timestamp>, Vec<CspView>)> {
    let (counted, usage) = counted(state, actor, &csps).await?;
    let view = |csp: CspName| {
        let usage = usage.get(&csp.name).copied();
        CspView::new(csp, usage, actor)
    };
    Ok((counted, csps.into_iter().map(view).collect()))
}

/// # Errors
/// 404.
pub(super) async fn read(state: &CoreState, actor: &Actor, id: Uuid) -> ApiResult<CspView> {
    let csp = store::find(&state.base.db, id).await?.ok_or(ApiError::NotFound)?;
    let (_, mut usage) = counted(state, actor, std::slice::from_ref(&csp)).await?;
    let usage = usage.remove(&csp.name);
    Ok(CspView::new(csp, usage, actor))
}

/// The counts of each CSP and their time; empty while the index is being filled.
async fn counted(
    state: &CoreState,
    actor: &Actor,
    csps: &[CspName],
) -> Result<(Option<Timestamp>, HashMap<String, Usage>)> {
    let db = &state.base.db;
    let (Some(devices), Some(people)) = (index::times(db).await?, index::people_as_of(db).await?) else {
        return Ok((None, HashMap::new()));
    };
    if !state.device_lists.is_loaded_soon().await {
        return Ok((None, HashMap::new()));
    }
    let names: Vec<&str> = csps.iter().map(|csp| csp.name.as_str()).collect();
    Ok((Some(devices.as_of.min(people)), usage::indexed(state, actor, &names).await?))
}
