//! `GET /api/fleet/report`.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use platform::db::Db;

use super::dto::{FleetGroup, FleetGroupDay, FleetLevels, date_of, non_empty};
use super::query::{self, FleetParams, PeriodParams};
use super::read::incomplete;
use crate::audit::Operation;
use crate::http::error::{ApiError, ApiResult};
use crate::http::query_reader::QueryReader;
use crate::http::request::QueryPairs;
use crate::index::fleet_days::{self, DaySelection, Dimension, GroupDay, HOURS};
use crate::index::forecasts;
use crate::policy::{self, Action, Actor, Decision, Target};
use crate::reports::list_params::ReportParams;
use crate::reports::{self, Cell, Column, Pages, Report, ReportOf, ReportOptions};
use crate::state::CoreState;

/// Returns what is kept of each group of devices on each day: all devices of a CSP, and those of each customer and fragrance.
#[utoipa::path(
    get, path = "/api/fleet/report", tag = "fleet",
    security(("token" = ["devices_read"])),
    params(ReportParams, PeriodParams, FleetParams),
    responses(
        (status = 200, description = "The report", content(
            (ReportOf<FleetGroupDay> = "application/json"), (String = "text/csv"), (String = "text/html"),
            (String = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        )),
        ApiError,
    )
)]
pub(super) async fn report_fleet(
    State(state): State<CoreState>,
    actor: Actor,
    headers: HeaderMap,
    pairs: QueryPairs,
) -> ApiResult<Response> {
    policy::can(&actor, Action::View, Target::Devices).require()?;
    let mut reader = QueryReader::new(&pairs);
    let query = (ReportOptions::read(&mut reader, &headers), query::read(&mut reader));
    let (options, query) = reader.end(query)?;
    let now = state.base.clock.now();
    let selection = query.selection(&actor, now)?;
    let histories = forecasts::histories(&state.base.db, query.histories(&selection), now).await?;
    let report = Report {
        operation: Operation::ReportFleet,
        title: "Fleet".into(),
        notice: histories.map(incomplete),
        chart: None,
        filters: query.filters(&actor),
        columns: columns(&actor),
        grouping: None,
    };
    let pages = FleetPages { db: state.base.db.clone(), selection, last: None };
    reports::respond(&state, actor, options, report, pages).await
}

struct FleetPages {
    db: Db,
    selection: DaySelection,
    last: Option<GroupDay>,
}

impl Pages for FleetPages {
    type Item = FleetGroupDay;

    async fn next(&mut self, limit: u64) -> ApiResult<Vec<FleetGroupDay>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let days = fleet_days::group_days(&self.db, &self.selection, self.last.as_ref(), limit).await?;
        self.last = days.last().cloned();
        Ok(days.into_iter().map(FleetGroupDay::from).collect())
    }

    async fn count(&self) -> ApiResult<u64> {
        Ok(fleet_days::count_group_days(&self.db, &self.selection).await?)
    }
}

impl From<GroupDay> for FleetGroupDay {
    fn from(GroupDay { day, csp, dimension, value, sums }: GroupDay) -> Self {
        Self {
            day: date_of(day),
            csp: non_empty(csp),
            group: match dimension {
                Dimension::All => FleetGroup::All,
                Dimension::Customer => FleetGroup::Customer,
                Dimension::Fragrance => FleetGroup::Fragrance,
            },
            name: non_empty(value),
            devices: sums.devices,
            levels: FleetLevels::of(&sums),
            refills: sums.refills,
            used_ml: (sums.used_devices > 0).then_some(sums.used_ml),
            used_devices: sums.used_devices,
            online: sums.online,
        }
    }
}

fn columns(actor: &Actor) -> Vec<Column<FleetGroupDay>> {
    let sees_csp = policy::can(actor, Action::View, Target::Csps) == Decision::Allowed;
    let csp: Column<FleetGroupDay> = Column::new("CSP", |row: &FleetGroupDay| row.csp.clone());
    let mut columns = vec![Column::new("Day (UTC)", |row: &FleetGroupDay| row.day)];
    columns.extend(sees_csp.then_some(csp));
    columns.extend([
        Column::new("Group", |row: &FleetGroupDay| group_label(row.group)),
        Column::beside(" ", "Name", |row: &FleetGroupDay| row.name.clone()),
        Column::new("Devices", |row: &FleetGroupDay| row.devices),
        Column::new("Empty", |row: &FleetGroupDay| row.levels.as_ref().map(|levels| levels.empty)),
        Column::new("1-20%", |row: &FleetGroupDay| row.levels.as_ref().map(|levels| levels.low)),
        Column::new("21-50%", |row: &FleetGroupDay| row.levels.as_ref().map(|levels| levels.medium)),
        Column::new("51-100%", |row: &FleetGroupDay| row.levels.as_ref().map(|levels| levels.high)),
        Column::new("Level unknown", |row: &FleetGroupDay| row.levels.as_ref().map(|levels| levels.unknown)),
        Column::new("Refills", |row: &FleetGroupDay| row.refills),
        Column::new("Use in mL", |row: &FleetGroupDay| row.used_ml.map(Cell::tenths)),
        Column::new("Devices with known use", |row: &FleetGroupDay| row.used_devices),
    ]);
    columns.extend(online_columns());
    columns
}

/// A column for each hour, all of them in one printed cell.
fn online_columns() -> [Column<FleetGroupDay>; HOURS] {
    macro_rules! online {
        ($($hour:literal $head:literal)*) => {
            [
                Column::new("Online 00:00", |row: &FleetGroupDay| row.online[0]),
                $(Column::beside(" ", $head, |row: &FleetGroupDay| row.online[$hour])),*
            ]
        };
    }
    online!(
        1 "01:00" 2 "02:00" 3 "03:00" 4 "04:00" 5 "05:00" 6 "06:00" 7 "07:00" 8 "08:00" 9 "09:00" 10 "10:00" 11 "11:00"
        12 "12:00" 13 "13:00" 14 "14:00" 15 "15:00" 16 "16:00" 17 "17:00" 18 "18:00" 19 "19:00" 20 "20:00" 21 "21:00"
        22 "22:00" 23 "23:00"
    )
}

fn group_label(group: FleetGroup) -> &'static str {
    match group {
        FleetGroup::All => "All devices",
        FleetGroup::Customer => "Customer",
        FleetGroup::Fragrance => "Fragrance",
    }
}
