//! Copying what is kept of one device to others: what may be asked for, what is copied, what that changes at a target, and
//! making the change.

mod copied;
mod form;
mod perform;
mod plan;
mod start;

pub(crate) use copied::Copied;
pub(crate) use form::CopyForm;
pub(crate) use perform::copy_to;
pub(crate) use start::start;
