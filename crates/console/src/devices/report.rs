//! `GET /api/devices/report`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use diffuser::SystemConfiguration;
use platform::db::Db;
use platform::run::clock::Clock;
use serde::Serialize;
use utoipa::ToSchema;

use super::dto::{self, DeviceView, ReportedDevice};
use super::list_query::{self, FilterParams};
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::http::sort_order::SortOrder;
use crate::index::{
    self, Comparison, DeviceFilter, DeviceSort, FilterColumn, ListScan, Near, OfflineFor, RunsDryWithin,
};
use crate::policy::{self, Action, Actor, Scope, Target};
use crate::reports::list_params::{ReportParams, SortParams};
use crate::reports::{self, FilterUsed, Grouping, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// Grouping of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DeviceGroup {
    Customer,
}

impl DeviceGroup {
    /// Parses the query parameter.
    fn read(reader: &mut QueryReader<'_>) -> Option<Self> {
        reader.value("groupBy", "must be customer", |name| (name == "customer").then_some(Self::Customer))
    }
}

/// Returns all devices that the caller may see and the filters match, in list order.
#[utoipa::path(
    get, path = "/api/devices/report", tag = "devices",
    security(("token" = ["devices_read"])),
    params(
        ReportParams,
        SortParams<DeviceSort>,
        (
            "groupBy" = Option<DeviceGroup>, Query,
            description = "Orders the rows by this value, ascending unless orderBy names it too; a printable report has a heading for each group",
        ),
        FilterParams,
    ),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<DeviceView> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_devices(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Devices).require()?;
    let (now, mut reader) = (state.base.clock.now(), QueryReader::new(&pairs));
    let query = (
        ReportOptions::read(&mut reader, &headers),
        DeviceGroup::read(&mut reader),
        list_query::read(&mut reader, now),
    );
    let (options, group, mut query) = reader.end(query)?;
    let report = Report {
        operation: Operation::ReportDevices,
        title: "Devices".into(),
        notice: None,
        chart: None,
        filters: filters(&query.filter, &actor),
        columns: dto::report_columns(&actor),
        grouping: group.map(|DeviceGroup::Customer| Grouping {
            value: |device: &ReportedDevice| device.view.customer.clone().unwrap_or_default(),
            none: "No customer",
        }),
    };
    if group.is_some() && query.sort != DeviceSort::Customer {
        (query.sort, query.order) = (DeviceSort::Customer, SortOrder::Asc);
    }
    let near = query.filter.near.clone();
    let scan = ListScan::new(state.device_lists.clone(), actor.clone(), query);
    let (db, clock) = (state.base.db.clone(), state.base.clock.clone());
    let pages = DevicePages { db, clock, actor: actor.clone(), near, scan };
    reports::respond(&state, actor, options, report, pages).await
}

struct DevicePages {
    db: Db,
    clock: Clock,
    actor: Actor,
    near: Option<Near>,
    scan: ListScan,
}

impl Pages for DevicePages {
    type Item = ReportedDevice;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<ReportedDevice>> {
        let devices = self.scan.next(usize::try_from(limit).unwrap_or(usize::MAX)).await?;
        // If the index was dropped meanwhile, the report would end early and look complete.
        if index::times(&self.db).await?.is_none() {
            return Err(ApiError::NotReady);
        }
        let read_at = self.clock.now();
        let view = |device| DeviceView::with_distance(device, &self.actor, self.near.as_ref());
        Ok(devices.into_iter().map(|device| ReportedDevice { view: view(device), read_at }).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(self.scan.count().await?)
    }
}

/// The filters that apply for this actor.
pub(super) fn filters(filter: &DeviceFilter, actor: &Actor) -> Vec<FilterUsed> {
    let text = |(column, text): (&FilterColumn, &String)| {
        let is_ignored = column.comparison == Comparison::Csp && actor.scope() != Scope::Everything;
        let display = match column.comparison {
            Comparison::Model => SystemConfiguration::from(text.as_str()).label().to_owned(),
            Comparison::OneOf(choices) => choices
                .iter()
                .find(|choice| choice.name == text)
                .map_or(text.as_str(), |choice| choice.label)
                .to_owned(),
            _ => text.clone(),
        };
        let used = FilterUsed { name: column.name, value: text.clone(), label: column.label, display };
        (!is_ignored).then_some(used)
    };
    let most = filter.max_remaining.map(|most| FilterUsed {
        name: "maxremaining",
        value: most.to_string(),
        label: "Remaining",
        display: format!("At most {most}%"),
    });
    let offline = filter.offline_for.map(|OfflineFor { hours, .. }| FilterUsed {
        name: "offlinehours",
        value: hours.to_string(),
        label: "Offline for",
        display: format!("More than {hours} h"),
    });
    let dry_within = filter.runs_dry_within.map(|RunsDryWithin { days, .. }| FilterUsed {
        name: "runsdrydays",
        value: days.to_string(),
        label: "Runs dry",
        display: if days == 1 { "In 1 day".to_owned() } else { format!("In {days} days") },
    });
    let dry_before = filter.runs_dry_before.map(|date| FilterUsed {
        name: "runsdrybefore",
        value: date.to_string(),
        label: "Runs dry before",
        display: date.to_string(),
    });
    let near = filter.near.as_ref().map(|Near { place, kilometres, .. }| FilterUsed {
        name: "near",
        value: place.clone(),
        label: "Near",
        display: format!("At most {kilometres} km from {place}"),
    });
    filter.set().map(text).chain([most, offline, dry_within, dry_before, near]).flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use diffuser::Role;
    use jiff::Timestamp;
    use platform::db::params;
    use uuid::Uuid;

    use super::*;
    use crate::index::DeviceLists;
    use crate::policy::session_hash::SessionHash;
    use crate::records::{DeviceRecord, DeviceState, ForecastObstacle, ListedDevice, Outlook};

    fn actor() -> Actor {
        let (session, user) = (SessionHash::of(&[1; 32]), Uuid::nil());
        Actor { session, user, role: Some(Role::Admin), csp: None }
    }

    #[test]
    fn report_says_of_a_level_what_the_list_says() {
        let noon = |day: &str| format!("2026-{day}T12:00:00Z").parse().ok();
        let outlook = |emptied_at, runs_dry_at, has_history| Outlook {
            emptied_at,
            runs_dry_at,
            has_history,
            ..Outlook::default()
        };
        let columns = dto::report_columns(&actor());
        let cells = |level, outlook| {
            let state = DeviceState { fragrance_remaining: Some(level), ..DeviceState::default() };
            // At noon of UTC the next day has begun there.
            let time_zone = Some("Pacific/Kiritimati".to_owned());
            let record = DeviceRecord { state, time_zone, ..DeviceRecord::default() };
            let view = DeviceView::new(ListedDevice { record, outlook, sku: None }, &actor());
            let row = ReportedDevice { view, read_at: noon("11-20").unwrap() };
            let cells: HashMap<&str, String> = columns.iter().map(|column| column.cell(&row)).collect();
            ["Need", "Runs Dry", "Empty Since"].map(|head| cells[head].as_str()).join("|")
        };
        let obstacle = Some(ForecastObstacle::PassedOffline);
        let rows = [
            (cells(40, outlook(None, noon("11-25"), true)), "With a forecast|2026-11-26|"),
            (cells(40, outlook(None, noon("11-25"), false)), "With a forecast, provisional|2026-11-26|"),
            (cells(40, outlook(None, noon("11-20"), true)), "About to run dry||"),
            (cells(1, outlook(None, noon("11-19"), false)), "About to run dry||"),
            (cells(0, outlook(noon("11-18"), None, true)), "Empty||2026-11-19"),
            (cells(0, outlook(noon("11-18"), None, false)), "Empty, provisional||2026-11-19"),
            (cells(0, outlook(None, None, false)), "Empty||"),
            (cells(40, Outlook { obstacle, ..outlook(None, None, false) }), "No contact||"),
            (cells(9, outlook(None, None, false)), "Low, without a forecast||"),
            (cells(40, outlook(None, None, false)), "||"),
        ];
        for (shown, expected) in rows {
            assert_eq!(shown, expected);
        }
    }

    async fn report_fails_if_the_index_is_dropped_meanwhile(db: Db) {
        let query = list_query::parse(&QueryPairs::read(""), Timestamp::UNIX_EPOCH).unwrap();
        let mut pages = DevicePages {
            db: db.clone(),
            clock: Clock::system(),
            actor: actor(),
            near: None,
            scan: ListScan::new(DeviceLists::new(db.clone()), actor(), query),
        };
        db.execute("update idx_sync set as_of = 1", params![]).await.unwrap();
        assert!(pages.next(1).await.is_ok());
        index::drop_index(&db).await.unwrap();
        assert!(matches!(pages.next(1).await, Err(ApiError::NotReady)));
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [report_fails_if_the_index_is_dropped_meanwhile]
    );
}
