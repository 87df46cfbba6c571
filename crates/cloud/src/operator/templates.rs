//! Device templates as operators see and set them.

use serde::Serialize;

use super::{Oem, Operator, OperatorError, Result};
use crate::store::templates::{self, SummaryRow};

/// A device that lost power would look Online for longer.
const LONGEST_KEEP_ALIVE: u16 = 1200;

/// A device template as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TemplateSummary {
    /// Its name.
    pub name: String,
    /// Whether partners need the setup code of a device to register it.
    pub setup_code_required: bool,
    /// Whether a report with one bad value is refused as a whole.
    pub strict_reports: bool,
    /// In seconds. Longer keep-alives of devices, or none, count as this.
    pub max_keep_alive: i64,
}

impl From<SummaryRow> for TemplateSummary {
    fn from(SummaryRow { name, setup_code_required, strict_reports, max_keep_alive }: SummaryRow) -> Self {
        Self { name, setup_code_required, strict_reports, max_keep_alive }
    }
}

impl Operator {
    /// The manufacturer's templates, by name.
    ///
    /// # Errors
    /// A database error.
    pub async fn templates(&self, oem: &Oem) -> Result<Vec<TemplateSummary>> {
        Ok(templates::summaries(&self.db, oem.id).await?.into_iter().map(TemplateSummary::from).collect())
    }

    /// Sets whether a report with one bad value is refused as a whole, for connections of devices of this template that begin from now
    /// on.
    ///
    /// # Errors
    /// [`OperatorError::UnknownTemplate`], or a database error.
    pub async fn set_strict_reports(&self, oem: &Oem, template: &str, strict: bool) -> Result<()> {
        let exists = templates::set_strict_reports(&self.db, oem.id, template, strict).await?;
        if exists { Ok(()) } else { Err(OperatorError::UnknownTemplate(template.to_owned())) }
    }

    /// Caps the keep-alive of devices of this template, in seconds, for connections that begin from now on.
    ///
    /// # Errors
    /// [`OperatorError::KeepAlive`], [`OperatorError::UnknownTemplate`], or a database error.
    pub async fn set_max_keep_alive(&self, oem: &Oem, template: &str, seconds: u16) -> Result<()> {
        if !(1..=LONGEST_KEEP_ALIVE).contains(&seconds) {
            return Err(OperatorError::KeepAlive(seconds));
        }
        let exists = templates::set_max_keep_alive(&self.db, oem.id, template, seconds).await?;
        if exists { Ok(()) } else { Err(OperatorError::UnknownTemplate(template.to_owned())) }
    }
}
