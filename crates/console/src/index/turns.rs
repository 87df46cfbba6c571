//! Turns of those who write to the index.

use platform::db::{Result, Tx, params};

/// Waits for this transaction's turn to change lists, before it takes any row: two transactions that took rows of each other would wait
/// for ever. The trigger takes the turn for any update of a connection status, even of no row (`idx_changes_turn`).
pub(super) async fn take_turn(tx: &mut Tx) -> Result<()> {
    tx.execute("update idx_device_state set connection_status = connection_status where false", params![]).await?;
    Ok(())
}
