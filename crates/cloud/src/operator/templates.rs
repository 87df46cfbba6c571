//! Device templates as operators see and set them.

use serde::Serialize;

use super::{Oem, Operator, OperatorError, Result};
use crate::store::templates;

/// A device template as operators see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TemplateSummary {
    /// Its name.
    pub name: String,
    /// Whether partners need the setup code of a device to register it.
    pub setup_code_required: bool,
    /// Whether a report with one bad value is refused as a whole.
    pub strict_reports: bool,
}

impl Operator {
    /// The manufacturer's templates, by name.
    ///
    /// # Errors
    /// A database error.
    pub async fn templates(&self, oem: &Oem) -> Result<Vec<TemplateSummary>> {
        let rows = templates::summaries(&self.db, oem.id).await?;
        let summary =
            |(name, setup_code_required, strict_reports)| TemplateSummary { name, setup_code_required, strict_reports };
        Ok(rows.into_iter().map(summary).collect())
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
}
