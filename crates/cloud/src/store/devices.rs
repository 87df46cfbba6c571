//! Devices. Callers read them only through their scope.

use platform::db::{Db, Result, Tx};
use sea_query::{Condition, Expr, ExprTrait, JoinType, NullOrdering, Order, Query, SelectStatement};

use super::device_columns::{Column, Filter};
use super::device_faults::FaultDaysRow;
use super::key_pages::{KeyedList, count_of};
use super::share_columns::{ReceivedShare, ShareColumns};
use super::{KEYS_PER_STATEMENT, scope, share_columns};
use crate::domain::policy::{self, Action, DeviceScope};
use crate::domain::role::RoleKind;

/// A device with its state, the code of its manufacturer and the uuid of its owner.
#[derive(Clone, Debug, sqlx_macros::FromRow)]
pub(crate) struct DeviceRow {
    pub(crate) id: i64,
    pub(crate) oem_code: String,
    pub(crate) template_id: i64,
    /// The template's name.
    pub(crate) template: String,
    pub(crate) dsn: String,
    pub(crate) product_name: String,
    pub(crate) model: String,
    pub(crate) oem_model: String,
    pub(crate) mac: Option<String>,
    pub(crate) ssid: Option<String>,
    pub(crate) lan_enabled: bool,
    pub(crate) lan_ip: Option<String>,
    pub(crate) sw_version: Option<String>,
    pub(crate) lat: Option<f64>,
    pub(crate) lng: Option<f64>,
    pub(crate) owner_id: Option<i64>,
    pub(crate) owner_uuid: Option<String>,
    /// The gateway of a node.
    pub(crate) gateway_dsn: Option<String>,
    pub(crate) registered: bool,
    pub(crate) activated_at: Option<i64>,
    pub(crate) street: Option<String>,
    pub(crate) city: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) zip: Option<String>,
    pub(crate) tz_id: Option<String>,
    pub(crate) created_at: i64,
    pub(crate) status: String,
    pub(crate) connected_at: Option<i64>,
    pub(crate) silent_since: Option<i64>,
    pub(crate) shared_identity_at: Option<i64>,
    pub(crate) refused_at: Option<i64>,
    pub(crate) refusal: Option<String>,
    #[sqlx(flatten)]
    pub(crate) faults: FaultDaysRow,
    #[sqlx(flatten)]
    share: ShareColumns,
}

impl DeviceRow {
    /// The share through which the caller sees the device; `None` if it is in the scope without one.
    pub(crate) fn shared(&self) -> Option<ReceivedShare<'_>> {
        self.share.shared()
    }

    /// Whether a caller of this kind, in whose scope the device was found, may perform the action.
    pub(crate) fn allows(&self, kind: RoleKind, action: Action) -> bool {
        match self.shared() {
            Some(shared) => policy::share_allows(shared.operation, action),
            None => policy::allows(kind, action),
        }
    }
}

const COLUMNS: [&str; 23] = [
    "id",
    "template_id",
    "dsn",
    "product_name",
    "model",
    "oem_model",
    "mac",
    "ssid",
    "lan_enabled",
    "lan_ip",
    "sw_version",
    "lat",
    "lng",
    "owner_id",
    "registered",
    "activated_at",
    "street",
    "city",
    "state",
    "country",
    "zip",
    "tz_id",
    "created_at",
];

/// How a call identifies a device.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DeviceRef<'a> {
    Key(i64),
    Dsn(&'a str),
    /// The device that has this property.
    OfProperty(i64),
    /// The device that carries this role label.
    OfLabel(i64),
}

/// Filters and order of a list of devices.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// From [`Column::equals`] and [`labels::carried`](super::labels::carried).
    pub(crate) filters: Vec<Filter>,
    /// Only ids above this one. Pages stay stable when devices are added or removed.
    pub(crate) key_after: Option<i64>,
    pub(crate) order_by: &'static Column,
    pub(crate) descending: bool,
}

/// The device, if in scope.
pub(crate) async fn find(db: &Db, scope: &DeviceScope, device: DeviceRef<'_>) -> Result<Option<DeviceRow>> {
    let id = Expr::col(("device", "id"));
    let named = match device {
        DeviceRef::Key(key) => id.eq(key),
        DeviceRef::Dsn(dsn) => Expr::col(("device", "dsn")).eq(dsn),
        DeviceRef::OfProperty(key) => id.in_subquery(device_of("property", key)),
        DeviceRef::OfLabel(key) => id.in_subquery(device_of("device_label", key)),
    };
    let rows = db.select(select(scope).cond_where(scope::condition(scope)).and_where(named)).await?;
    Ok(rows.into_iter().next())
}

/// The device with this key, if in scope, as the transaction sees it.
pub(crate) async fn find_within(tx: &mut Tx, scope: &DeviceScope, key: i64) -> Result<Option<DeviceRow>> {
    let mut statement = select(scope);
    statement.cond_where(scope::condition(scope)).and_where(Expr::col(("device", "id")).eq(key));
    Ok(tx.select(&statement).await?.into_iter().next())
}

fn device_of(table: &'static str, key: i64) -> SelectStatement {
    Query::select().column("device_id").from(table).and_where(Expr::col("id").eq(key)).take()
}

/// The registered nodes of a gateway that are in scope.
pub(crate) async fn registered_nodes(db: &Db, scope: &DeviceScope, gateway_id: i64) -> Result<Vec<DeviceRow>> {
    let mut statement = select(scope);
    statement
        .cond_where(scope::condition(scope))
        .and_where(Expr::col(("device", "gateway_id")).eq(gateway_id))
        .and_where(Expr::col(("device", "registered")).eq(true))
        .order_by(("device", "id"), Order::Asc);
    db.select(&statement).await
}

/// The devices with these serial numbers that are in scope.
pub(crate) async fn find_all(db: &Db, scope: &DeviceScope, dsns: &[&str]) -> Result<Vec<DeviceRow>> {
    let mut devices = Vec::new();
    for dsns in dsns.chunks(KEYS_PER_STATEMENT) {
        let named = Expr::col(("device", "dsn")).is_in(dsns.iter().copied());
        devices.extend(db.select(select(scope).cond_where(scope::condition(scope)).and_where(named)).await?);
    }
    Ok(devices)
}

/// The number of these serial numbers in scope.
pub(crate) async fn count_in_scope(db: &Db, scope: &DeviceScope, dsns: &[&str]) -> Result<i64> {
    let condition = scope::condition(scope).add(Expr::col(("device", "dsn")).is_in(dsns.iter().copied()));
    count_of(db, Query::select().from("device").cond_where(condition)).await
}

/// The number of devices on all pages, but no more than `at_most` if the list begins after a key.
pub(crate) async fn count(db: &Db, scope: &DeviceScope, listing: &Listing, at_most: u64) -> Result<i64> {
    let mut statement = Query::select();
    if listing.filters.iter().any(|filter| filter.of_state) {
        from(&mut statement).cond_where(listing.joined_condition(scope));
    } else {
        // A client that pages through a large fleet counts on every page; the join would cost more than the rest of the
        // query.
        statement.from("device").cond_where(listing.condition(scope));
    }
    if listing.key_after.is_some() {
        // The order keeps the database from reading all devices before the key.
        statement.order_by(("device", "id"), Order::Asc).limit(at_most);
    }
    count_of(db, &mut statement).await
}

/// A page (`limit`, `offset`) of the devices of the listing.
pub(crate) async fn list(db: &Db, scope: &DeviceScope, listing: &Listing, page: (u64, u64)) -> Result<Vec<DeviceRow>> {
    db.select(&statement(scope, listing, page)).await
}

pub(super) fn statement(scope: &DeviceScope, listing: &Listing, page: (u64, u64)) -> SelectStatement {
    let (limit, offset) = page;
    let mut statement = select(scope);
    statement.cond_where(listing.joined_condition(scope)).limit(limit).offset(offset);
    listing.order(&mut statement).take()
}

/// All devices of a listing.
pub(crate) struct DeviceList {
    pub(crate) scope: DeviceScope,
    pub(crate) listing: Listing,
}

impl KeyedList for DeviceList {
    type Row = DeviceRow;

    fn key(row: &DeviceRow) -> i64 {
        row.id
    }

    fn is_by_key(&self) -> bool {
        self.listing.order_by.is_key() && !self.listing.descending
    }

    fn after(&self, key: Option<i64>) -> SelectStatement {
        let listing = Listing { key_after: key.or(self.listing.key_after), ..self.listing.clone() };
        let mut statement = select(&self.scope);
        listing.order(statement.cond_where(listing.joined_condition(&self.scope))).take()
    }

    fn keys(&self) -> SelectStatement {
        let mut statement = Query::select();
        from(statement.column(("device", "id"))).cond_where(self.listing.joined_condition(&self.scope));
        self.listing.order(&mut statement).take()
    }

    fn with_keys(&self, keys: &[i64]) -> SelectStatement {
        let named = Expr::col(("device", "id")).is_in(keys.iter().copied());
        select(&self.scope).cond_where(self.listing.condition(&self.scope)).and_where(named).take()
    }
}

impl Listing {
    fn order<'a>(&self, statement: &'a mut SelectStatement) -> &'a mut SelectStatement {
        // Nulls last, as in PostgreSQL's indexes. The id makes the order total.
        let (order, nulls) =
            if self.descending { (Order::Desc, NullOrdering::First) } else { (Order::Asc, NullOrdering::Last) };
        statement.order_by_with_nulls(self.order_by.reference(), order.clone(), nulls).order_by(("device", "id"), order)
    }

    fn condition(&self, scope: &DeviceScope) -> Condition {
        let after = self.key_after.map(|key| Expr::col(("device", "id")).gt(key));
        let conditions = self.filters.iter().map(|filter| filter.condition.clone());
        conditions.fold(scope::condition(scope), Condition::add).add_option(after)
    }

    /// The condition of a statement that also reads the states. PostgreSQL does not conclude from the join where they begin, and would
    /// read all of them up to the key.
    fn joined_condition(&self, scope: &DeviceScope) -> Condition {
        let after = self.key_after.map(|key| Expr::col(("device_state", "device_id")).gt(key));
        self.condition(scope).add_option(after)
    }
}

fn select(scope: &DeviceScope) -> SelectStatement {
    let mut statement = Query::select();
    statement
        .columns(COLUMNS.map(|column| ("device", column)))
        .column(("device_state", "status"))
        .columns(["connected_at", "silent_since", "shared_identity_at"].map(|column| ("device_state", column)))
        .columns(["refused_at", "refusal"].map(|column| ("device_state", column)))
        .columns(["fault_day", "day_faults", "previous_day_faults"].map(|column| ("device_state", column)))
        .expr_as(Expr::col(("oem", "code")), "oem_code")
        .expr_as(Expr::col(("template", "name")), "template")
        .expr_as(Expr::col(("users", "uuid")), "owner_uuid")
        .expr_as(Expr::col(("gateway", "dsn")), "gateway_dsn");
    from(&mut statement)
        .inner_join("oem", Expr::col(("oem", "id")).equals(("device", "oem_id")))
        .inner_join("template", Expr::col(("template", "id")).equals(("device", "template_id")))
        .left_join("users", Expr::col(("users", "id")).equals(("device", "owner_id")))
        .join_as(
            JoinType::LeftJoin,
            "device",
            "gateway",
            Expr::col(("gateway", "id")).equals(("device", "gateway_id")),
        );
    if let DeviceScope::Own { user_id, at } = scope {
        share_columns::join(&mut statement, *user_id, *at);
    }
    statement
}

fn from(statement: &mut SelectStatement) -> &mut SelectStatement {
    statement
        .from("device")
        .inner_join("device_state", Expr::col(("device_state", "device_id")).equals(("device", "id")))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use platform::db::params;
    use platform::testing::TestDb;
    use sea_query::SqliteQueryBuilder;
    use sqlx::AssertSqlSafe;

    use super::*;
    use crate::domain::principal::Label;
    use crate::store::device_columns;

    fn sql(scope: &DeviceScope) -> String {
        let listing = Listing { filters: vec![], key_after: None, order_by: device_columns::key(), descending: false };
        select(scope).cond_where(listing.condition(scope)).to_string(SqliteQueryBuilder)
    }

    #[test]
    fn only_end_user_scopes_join_shares() {
        let label = Label { role_id: 1, key: "partner_id".into(), value: "A".into() };
        for scope in [
            DeviceScope::Oem { oem_id: 1, unregistered: true },
            DeviceScope::Oem { oem_id: 1, unregistered: false },
            DeviceScope::Labelled(label),
        ] {
            assert!(!sql(&scope).contains("\"share\""), "{}", sql(&scope));
        }
    }

    #[tokio::test]
    async fn list_of_an_end_user_scans_no_table() {
        let db = TestDb::sqlite().await;
        crate::store::tests::migrated(&db).await;
        let own = sql(&DeviceScope::Own { user_id: 7, at: Timestamp::UNIX_EPOCH });
        let plan: Vec<(i64, i64, i64, String)> =
            db.fetch_all(AssertSqlSafe(format!("explain query plan {own}")), params![]).await.unwrap();
        let scans: Vec<_> = plan.iter().filter(|(.., step)| step.starts_with("SCAN")).collect();
        assert!(plan.len() > 3 && scans.is_empty(), "{plan:?}");
    }
}
