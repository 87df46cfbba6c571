//! Import of past reports.

use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;
use serde_json::Value;

use super::{Oem, Operator, OperatorError, Result};
use crate::domain::value::BaseType;
use crate::store;
use crate::store::chains::Chains;
use crate::store::datapoints::NewDatapoint;
use crate::store::history::NamedProperty;
use crate::store::properties::ReportedValue;

/// A past report of one property.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryPoint {
    /// The device.
    pub dsn: String,
    /// The property.
    pub property: String,
    /// The reported value.
    pub value: Value,
    /// Time of the report.
    pub at: Timestamp,
}

impl Operator {
    /// Imports past reports, all or none. The last one becomes the property's value unless a newer value exists.
    ///
    /// Pass about ten thousand points per call, oldest first across all devices: rows in time order are appended,
    /// others are spread over the table.
    ///
    /// # Errors
    /// An unknown device, a value that its property does not accept, a point that is older than an existing datapoint
    /// or later than now, or a database error.
    pub async fn add_history(&self, oem: &Oem, points: &[HistoryPoint]) -> Result<()> {
        let names: BTreeSet<(&str, &str)> = points.iter().map(|point| (&*point.dsn, &*point.property)).collect();
        let names: Vec<(&str, &str)> = names.into_iter().collect();
        let properties = store::history::properties(&self.db, oem.id, &names).await?;
        let properties: HashMap<(&str, &str), &NamedProperty> =
            properties.iter().map(|property| ((&*property.dsn, &*property.name), property)).collect();
        let now = self.clock.now();
        let mut accepted = Vec::with_capacity(points.len());
        for point in points {
            let property =
                properties.get(&(&*point.dsn, &*point.property)).ok_or_else(|| unknown(point, &properties))?;
            if point.at > now {
                return Err(out_of_order(point));
            }
            accepted.push((property.property_id, accept(point, property)?, point));
        }
        accepted.sort_by_key(|(_, _, point)| point.at);
        store::partitions::create(&self.db, accepted.iter().map(|(_, _, point)| point.at)).await?;

        let mut tx = self.db.begin().await?;
        let mut chains = Chains::lock_rows(&mut tx, accepted.iter().map(|(property_id, _, _)| *property_id)).await?;
        let mut rows = Vec::with_capacity(accepted.len());
        let mut last: HashMap<i64, usize> = HashMap::with_capacity(properties.len());
        for (property_id, value, point) in accepted {
            if chains.newest_at(property_id).is_some_and(|newest| newest > point.at) {
                return Err(out_of_order(point));
            }
            last.insert(property_id, rows.len());
            rows.push(NewDatapoint {
                property_id,
                position: chains.next_position(property_id, point.at, &self.random),
                value,
                echo: true,
                user_uuid: None,
                metadata: None,
                created_at_from_device: None,
            });
        }
        if let Some(oldest) = rows.first() {
            store::retention::reopen(&mut tx, oldest.position.created_at).await?;
        }
        store::datapoints::insert(&mut tx, &rows).await?;
        let last: Vec<ReportedValue<'_>> =
            last.values().filter_map(|index| rows.get(*index)).map(ReportedValue::from).collect();
        store::properties::record_history(&mut tx, &last).await?;
        Ok(tx.commit().await?)
    }
}

fn accept(point: &HistoryPoint, property: &NamedProperty) -> Result<String> {
    match BaseType::from_stored(&property.base_type).accept(&point.value, &property.limits.limits()) {
        Ok(value) => Ok(value.to_string()),
        Err(reason) => Err(bad_value(point, reason)),
    }
}

fn unknown(point: &HistoryPoint, known: &HashMap<(&str, &str), &NamedProperty>) -> OperatorError {
    if known.keys().any(|(dsn, _)| *dsn == point.dsn) {
        bad_value(point, "is no property of its template")
    } else {
        OperatorError::UnknownDevice(point.dsn.clone())
    }
}

fn bad_value(point: &HistoryPoint, reason: &'static str) -> OperatorError {
    OperatorError::BadValue { dsn: point.dsn.clone(), property: point.property.clone(), reason }
}

fn out_of_order(point: &HistoryPoint) -> OperatorError {
    OperatorError::OutOfOrder { dsn: point.dsn.clone(), property: point.property.clone(), at: point.at }
}
