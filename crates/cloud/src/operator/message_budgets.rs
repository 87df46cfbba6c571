//! Daily budgets of messages that devices cause.

use jiff::civil::Date;
use serde::Serialize;

use super::{Oem, Operator, Result};
use crate::domain::message_limits::MessageLimitOverrides;
use crate::messages::alerts::budgets;
use crate::store::message_budgets::{self, SpendingRow};

/// The messages of a day that were charged to a budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spending {
    /// `device`, `author`, `partner` or `manufacturer`.
    pub scope: String,
    /// Serial number, e-mail address, label value of the partner or name of the manufacturer; `None` if it was deleted.
    pub name: Option<String>,
    /// `email` or `sms`.
    pub channel: String,
    /// Messages written.
    pub sent: i64,
    /// Messages that this budget held back.
    pub held_back: i64,
}

impl From<SpendingRow> for Spending {
    fn from(row: SpendingRow) -> Self {
        let SpendingRow { scope, name, channel, sent, held_back } = row;
        Self { scope, name, channel, sent, held_back }
    }
}

impl Operator {
    /// What was charged to the manufacturer's budgets on this day (UTC), by default today. At most `most`: those with the
    /// most messages held back first, then those with the most messages.
    ///
    /// # Errors
    /// A database error.
    pub async fn message_spending(&self, oem: &Oem, day: Option<Date>, most: u32) -> Result<Vec<Spending>> {
        let day = day.map_or_else(|| budgets::day(self.clock.now()), |day| day.to_string());
        let rows = message_budgets::spending(&self.db, oem.id, &day, most.into()).await?;
        Ok(rows.into_iter().map(Spending::from).collect())
    }

    /// The manufacturer's separate limits.
    ///
    /// # Errors
    /// A database error.
    pub async fn message_limits(&self, oem: &Oem) -> Result<MessageLimitOverrides> {
        Ok(message_budgets::overrides_of(&self.db, oem.id).await?)
    }

    /// Replaces the manufacturer's separate limits. They apply to the next message.
    ///
    /// # Errors
    /// A database error.
    pub async fn set_message_limits(&self, oem: &Oem, own: MessageLimitOverrides) -> Result<()> {
        Ok(message_budgets::set_overrides(&self.db, oem.id, own).await?)
    }
}
