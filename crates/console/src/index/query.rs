//! Reading the index. Every statement begins with [`visible`]: the only place where rows are bound to the actor's scope.

use platform::db::{Db, Result};
use sea_query::{Asterisk, Expr, ExprTrait, IntoColumnRef, Order, Query, SelectStatement};

use super::filter::DeviceFilter;
use super::row::DeviceRow;
use super::schema::{IdxDeviceState, IdxDevices};
use super::sort::{DeviceSort, SortOrder};
use crate::devices::record::DeviceRecord;
use crate::policy::{Actor, Scope};

/// Which page of which devices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListQuery {
    /// From 1.
    pub(crate) page: u64,
    pub(crate) page_size: u64,
    pub(crate) order: SortOrder,
    pub(crate) sort: DeviceSort,
    pub(crate) filter: DeviceFilter,
}

/// A page.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) devices: Vec<DeviceRecord>,
    /// How many devices match, on all pages.
    pub(crate) total: u64,
    /// Which page it is: the last one when a later one was asked for.
    pub(crate) number: u64,
}

/// One page of the devices that `actor` may see.
pub(crate) async fn list(db: &Db, actor: &Actor, query: &ListQuery) -> Result<Page> {
    let Some(mut matching) = visible(actor) else {
        return Ok(Page { devices: Vec::new(), total: 0, number: 1 });
    };
    matching.cond_where(query.filter.condition(actor));

    let counted: Vec<(i64,)> = db.select(matching.clone().expr(Expr::col(Asterisk).count())).await?;
    let total = counted.first().map_or(0, |(count,)| count.unsigned_abs());
    let last_page = Ord::max(total.div_ceil(query.page_size), 1);
    let number = Ord::min(query.page, last_page);

    let direction = match query.order {
        SortOrder::Asc => Order::Asc,
        SortOrder::Desc => Order::Desc,
    };
    matching
        .columns(COLUMNS_OF_DEVICES.map(|column| (IdxDevices::Table, column)))
        .columns(COLUMNS_OF_STATE.map(|column| (IdxDeviceState::Table, column)))
        .order_by(column(query.sort), direction.clone())
        // Equal values keep one order, or pages would repeat and lose devices.
        .order_by((IdxDevices::Table, IdxDevices::Dsn), direction)
        .limit(query.page_size)
        .offset((number - 1) * query.page_size);
    let rows: Vec<DeviceRow> = db.select(&matching).await?;
    Ok(Page { devices: rows.into_iter().map(Into::into).collect(), total, number })
}

/// One device, if `actor` may see it.
pub(crate) async fn find(db: &Db, actor: &Actor, dsn: &str) -> Result<Option<DeviceRecord>> {
    let Some(mut statement) = visible(actor) else { return Ok(None) };
    statement
        .columns(COLUMNS_OF_DEVICES.map(|column| (IdxDevices::Table, column)))
        .columns(COLUMNS_OF_STATE.map(|column| (IdxDeviceState::Table, column)))
        .and_where(Expr::col((IdxDevices::Table, IdxDevices::Dsn)).eq(dsn));
    let rows: Vec<DeviceRow> = db.select(&statement).await?;
    Ok(rows.into_iter().next().map(Into::into))
}

/// The rows of the actor's scope. `None` when there can be none.
fn visible(actor: &Actor) -> Option<SelectStatement> {
    let mut statement = Query::select();
    statement.from(IdxDevices::Table).inner_join(
        IdxDeviceState::Table,
        Expr::col((IdxDevices::Table, IdxDevices::Dsn)).equals((IdxDeviceState::Table, IdxDeviceState::Dsn)),
    );
    match actor.scope() {
        Scope::Everything => {}
        Scope::Csp(csp) => {
            statement.and_where(Expr::col((IdxDevices::Table, IdxDevices::Csp)).eq(csp));
        }
        Scope::Nothing => return None,
    }
    Some(statement)
}

fn column(sort: DeviceSort) -> impl IntoColumnRef {
    let devices = |column: IdxDevices| (IdxDevices::Table, column).into_column_ref();
    let state = |column: IdxDeviceState| (IdxDeviceState::Table, column).into_column_ref();
    match sort {
        DeviceSort::CreatedAt => devices(IdxDevices::CreatedAt),
        DeviceSort::SerialNumber => devices(IdxDevices::SerialNumber),
        DeviceSort::Dsn => devices(IdxDevices::Dsn),
        DeviceSort::Csp => devices(IdxDevices::Csp),
        DeviceSort::Customer => devices(IdxDevices::Customer),
        DeviceSort::ServiceArea => devices(IdxDevices::ServiceArea),
        DeviceSort::Model => devices(IdxDevices::SystemConfiguration),
        DeviceSort::Network => devices(IdxDevices::Network),
        DeviceSort::ConnectionStatus => state(IdxDeviceState::ConnectionStatus),
        DeviceSort::ConnectedAt => state(IdxDeviceState::ConnectedAt),
        DeviceSort::City => devices(IdxDevices::City),
        DeviceSort::State => devices(IdxDevices::StateProvince),
        DeviceSort::Country => devices(IdxDevices::Country),
    }
}

const COLUMNS_OF_DEVICES: [IdxDevices; 15] = [
    IdxDevices::Dsn,
    IdxDevices::Csp,
    IdxDevices::SerialNumber,
    IdxDevices::Customer,
    IdxDevices::CustomerId,
    IdxDevices::StoreNumber,
    IdxDevices::ServiceArea,
    IdxDevices::SystemConfiguration,
    IdxDevices::Fragrance,
    IdxDevices::Network,
    IdxDevices::City,
    IdxDevices::StateProvince,
    IdxDevices::Country,
    IdxDevices::TimeZone,
    IdxDevices::CreatedAt,
];

const COLUMNS_OF_STATE: [IdxDeviceState; 9] = [
    IdxDeviceState::ConnectionStatus,
    IdxDeviceState::ConnectedAt,
    IdxDeviceState::Mode,
    IdxDeviceState::Cycle,
    IdxDeviceState::Intensity,
    IdxDeviceState::Fan,
    IdxDeviceState::FragranceRemaining,
    IdxDeviceState::Pending,
    IdxDeviceState::SyncedAt,
];
