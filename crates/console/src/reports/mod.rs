//! Reports: all pages of a list in one response, within the caller's scope. Lists describe their columns; this module
//! renders JSON, CSV, a workbook or a printable page and streams it without holding the whole report in memory.

pub(crate) mod audit_report;
mod cell;
mod change_text;
mod chart;
mod csv;
mod document;
mod format;
#[cfg(any(test, feature = "testing"))]
pub(crate) mod fuzz;
mod html;
mod json;
pub(crate) mod list_params;
mod options;
mod response;
mod table;
mod xlsx;

pub(crate) use cell::Cell;
pub(crate) use change_text::{change_text, name_text};
pub(crate) use chart::BarChart;
pub(crate) use document::ReportOf;
pub(crate) use format::{ReportFormat, XLSX_TYPE};
pub(crate) use options::ReportOptions;
pub(crate) use response::{Pages, respond};
pub(crate) use table::{Column, FilterUsed, Grouping, Report, instant};
