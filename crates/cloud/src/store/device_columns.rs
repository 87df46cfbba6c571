//! Fields of devices for filters and order, by their names on the wire.

use sea_query::{ColumnRef, Expr, ExprTrait, IntoColumnRef};

/// A field of the device object with a column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Column {
    name: &'static str,
    table: &'static str,
    column: &'static str,
    kind: Kind,
}

/// A condition on a device.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(super) condition: Expr,
    /// Whether the condition reads the connection state, which is in a separate table.
    pub(super) of_state: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Boolean,
    /// Can be ordered by, but not filtered: nobody filters by exact microseconds or millionths of a degree.
    Measure,
}

const fn device(name: &'static str, kind: Kind) -> Column {
    Column { name, table: "device", column: name, kind }
}

static COLUMNS: &[Column] = &[
    Column { name: "key", table: "device", column: "id", kind: Kind::Integer },
    device("id", Kind::Integer),
    device("dsn", Kind::Text),
    device("product_name", Kind::Text),
    device("model", Kind::Text),
    device("oem_model", Kind::Text),
    device("mac", Kind::Text),
    device("ssid", Kind::Text),
    device("lan_ip", Kind::Text),
    device("lan_enabled", Kind::Boolean),
    device("sw_version", Kind::Text),
    device("template_id", Kind::Integer),
    device("registered", Kind::Boolean),
    Column { name: "user_id", table: "device", column: "owner_id", kind: Kind::Integer },
    Column { name: "connection_status", table: "device_state", column: "status", kind: Kind::Text },
    Column { name: "connected_at", table: "device_state", column: "connected_at", kind: Kind::Measure },
    device("lat", Kind::Measure),
    device("lng", Kind::Measure),
    device("registered_at", Kind::Measure),
    device("activated_at", Kind::Measure),
    device("created_at", Kind::Measure),
    device("updated_at", Kind::Measure),
];

/// The column of a field; `None` for an unknown field.
pub(crate) fn find(name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.name == name)
}

/// The default order of lists.
pub(crate) fn key() -> &'static Column {
    &COLUMNS[0]
}

impl Column {
    /// Whether this is the primary key.
    pub(super) fn is_key(&self) -> bool {
        self.table == "device" && self.column == "id"
    }

    pub(super) fn reference(&self) -> ColumnRef {
        (self.table, self.column).into_column_ref()
    }

    /// The condition that this field equals `text`.
    ///
    /// # Errors
    /// Why `text` is invalid, to follow the field's name.
    pub(crate) fn equals(&self, text: &str) -> Result<Filter, &'static str> {
        let column = Expr::col(self.reference());
        let condition = match self.kind {
            Kind::Text => column.eq(text),
            Kind::Integer => column.eq(text.parse::<i64>().map_err(|_| "is not a number")?),
            Kind::Boolean => match text {
                "true" | "1" => column.eq(true),
                "false" | "0" => column.eq(false),
                _ => return Err("is not true or false"),
            },
            Kind::Measure => return Err("can't be filtered"),
        };
        Ok(Filter { condition, of_state: self.table == "device_state" })
    }
}
