use serde::Serialize;

use super::time;
use crate::store::connection_history::ChangeRow;

#[derive(Serialize)]
pub(crate) struct ConnectionWrapper {
    connection: Connection,
}

/// A change of a connection, with the member names of stream events.
#[derive(Serialize)]
struct Connection {
    event_time: String,
    status: String,
}

impl From<ChangeRow> for ConnectionWrapper {
    fn from(row: ChangeRow) -> Self {
        Self { connection: Connection { event_time: time(row.at), status: row.status } }
    }
}
