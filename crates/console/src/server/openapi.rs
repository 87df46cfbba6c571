//! The console API as an OpenAPI 3.1 document, made from the handlers.

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use super::app_state::AppState;
use super::security_schemes;
use crate::attention_rules;
use crate::auth::sign_in_rules;
use crate::csps::CspSort;
use crate::devices::{bulk, places, time_zones};
use crate::http::error::Problem;
use crate::http::query_reader::PageSize;
use crate::http::sort_order::SortOrder;
use crate::index::DeviceSort;
use crate::reports::audit_report;
use crate::{
    account, attention, audit, auth, csps, devices, fleet, fragrances, idempotency, jobs, live, reports, users,
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Sillage console API",
        description = "The API of the console's web application and, with access tokens, of programs.",
        license(name = "Apache-2.0 OR MIT", identifier = "Apache-2.0 OR MIT")
    ),
    components(schemas(
        attention::ItemState,
        attention_rules::AttentionKind,
        attention_rules::Severity,
        audit::Operation,
        CspSort,
        devices::DeviceFacetField,
        devices::DeviceGroup,
        crate::records::DeviceStatus,
        DeviceSort,
        PageSize,
        Problem,
        reports::ReportFormat,
        SortOrder,
        users::UserSort
    ))
)]
struct Document;

/// Every operation of the API, with its description. `wrap` adds layers around those of signed-in users.
pub(crate) fn api(wrap: impl FnOnce(OpenApiRouter<AppState>) -> OpenApiRouter<AppState>) -> OpenApiRouter<AppState> {
    let mut signed_in = OpenApiRouter::new()
        .merge(account::router())
        .merge(attention::router())
        .merge(audit::router())
        .merge(audit_report::router())
        .merge(csps::router())
        .merge(bulk::router())
        .merge(devices::router())
        .merge(fleet::router())
        .merge(fragrances::router())
        .merge(jobs::router())
        .merge(live::router())
        .merge(places::router())
        .merge(sign_in_rules::router())
        .merge(time_zones::router())
        .merge(users::router());
    let mut document = Document::openapi();
    idempotency::describe(&mut document, signed_in.get_openapi_mut());
    security_schemes::describe(&mut document, signed_in.get_openapi_mut());
    OpenApiRouter::with_openapi(document).merge(auth::router()).merge(wrap(signed_in))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::TOKEN_SCHEME;

    #[test]
    fn token_right_of_each_operation_is_of_its_kind() {
        let document = serde_json::to_value(api(|router| router).into_openapi()).unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let operations = paths.flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |it| (path, it)));
        let mut rights = 0;
        for (path, (method, operation)) in operations {
            let Some(schemes) = operation["security"].as_array() else { continue };
            assert!(schemes[0]["session"].is_array(), "{method} {path}");
            for right in schemes.iter().filter_map(|scheme| scheme[TOKEN_SCHEME][0].as_str()) {
                let reads = method == "get" || operation["x-reads"] == true;
                assert!(right.ends_with(if reads { "_read" } else { "_write" }), "{method} {path}: {right}");
                rights += 1;
            }
        }
        assert!(rights > 70, "{rights}");
    }

    /// The types of the web are generated from the document in the repository.
    #[test]
    fn openapi_document_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../api/openapi.json");
        let current = api(|router| router).into_openapi().to_pretty_json().unwrap() + "\n";
        if std::env::var_os("UPDATE_OPENAPI").is_some() {
            std::fs::write(path, &current).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            kept == current,
            "api/openapi.json is stale: run UPDATE_OPENAPI=1 cargo nextest run -p console openapi, and see what changed"
        );
    }
}
