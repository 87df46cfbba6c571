//! Reports: all pages of a list as one answer, in the scope of who asks. The lists say what their rows look like; how a report
//! becomes JSON, CSV or a page to print, and how it goes out without ever being whole anywhere, is here.

mod answer;
mod csv;
mod document;
mod form;
mod html;
mod json;
mod slots;
mod table;

pub(crate) use answer::{Pages, answer};
pub(crate) use document::ReportOf;
pub(crate) use form::Form;
pub(crate) use slots::Slots;
pub(crate) use table::{Column, FilterUsed, Grouping, Report, instant};
