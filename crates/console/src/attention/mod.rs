//! What needs attention (docs/attention.md): items that open and close by themselves, and what people do with them.
//!
//! [`crate::attention_rules`] says when; this module stores the items. Everybody who may see a device may see its items: the scope is
//! that of the device in the index. One item of a kind is open per device, and one that closed a short time ago opens again.

mod assigned;
mod comments;
mod device_rows;
mod digest_routes;
mod digest_store;
mod digest_time;
mod digests;
mod dto;
mod evaluator;
mod item_list;
mod items;
mod list_query;
mod people;
mod retention;
mod routes;
mod settings;
mod settings_store;
mod statement;
mod succession;
#[cfg(test)]
mod tests;
mod update;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use digests::Digests;
pub(crate) use evaluator::AttentionEvaluator;
pub(crate) use item_list::ItemState;
pub(crate) use people::release_items;
pub(crate) use retention::delete_old_items;
pub(crate) use succession::Succession;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_attention))
        .routes(routes!(routes::count_attention))
        .routes(routes!(routes::update_attention))
        .routes(routes!(routes::list_attention_comments))
        .routes(routes!(routes::list_attention_assignees))
        .routes(routes!(
            digest_routes::get_attention_digest,
            digest_routes::update_attention_digest,
            digest_routes::remove_attention_digest
        ))
        .routes(routes!(digest_routes::update_assignment_mails))
        .routes(routes!(routes::get_attention_settings, routes::update_attention_settings))
}
