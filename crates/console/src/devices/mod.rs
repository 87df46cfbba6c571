//! The device list, device pages, and changes of devices.

pub(crate) mod bulk;
mod cloud_list;
mod commands;
mod counts;
mod customers;
mod detail;
mod dto;
mod facets;
pub(crate) mod forecast;
pub(crate) mod form;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod history;
pub(crate) mod level;
mod level_reset;
mod list_query;
mod notification_routes;
pub(crate) mod notifications;
pub(crate) mod places;
mod purchasing;
mod report;
mod routes;
pub(crate) mod schedule;
pub(crate) mod service;
pub(crate) mod settings;
pub(crate) mod time_zones;
pub(crate) mod writes;

use axum::extract::FromRef;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::CoreState;

pub(crate) use counts::require_index;
pub(crate) use detail::{DeviceDetail, page_snapshot};
pub(crate) use dto::{DeviceSettings, DeviceView};
pub(crate) use facets::DeviceFacetField;
pub(crate) use level_reset::delete_old_resets;
#[cfg(feature = "testing")]
pub(crate) use list_query::parse as parse_list_query;
pub(crate) use list_query::parse_job_filter;
pub(crate) use notifications::delete_old_removals_forever;
pub(crate) use report::DeviceGroup;

pub(crate) fn router<S>() -> OpenApiRouter<S>
where
    S: Clone + Send + Sync + 'static,
    CoreState: FromRef<S>,
{
    OpenApiRouter::new()
        .routes(routes!(routes::list_devices, routes::create_device))
        .routes(routes!(report::report_devices))
        .routes(routes!(purchasing::report_purchasing))
        .routes(routes!(counts::count_devices))
        .routes(routes!(facets::list_facets))
        .routes(routes!(counts::select_devices))
        .routes(routes!(customers::list_customers))
        .routes(routes!(routes::get_device, routes::update_device, routes::refresh_device))
        .routes(routes!(routes::get_device_history))
        .routes(routes!(routes::get_device_forecast, routes::preview_device_forecast))
        .routes(routes!(routes::get_base_device))
        .routes(routes!(routes::update_device_settings))
        .routes(routes!(routes::update_device_schedule))
        .routes(routes!(routes::reset_fragrance_level))
        .routes(routes!(routes::undo_fragrance_level_reset))
        .routes(routes!(
            notification_routes::list_device_notifications,
            notification_routes::create_device_notification
        ))
        .routes(routes!(
            notification_routes::update_device_notification,
            notification_routes::delete_device_notification
        ))
        .routes(routes!(notification_routes::undo_device_notification_removal))
}
