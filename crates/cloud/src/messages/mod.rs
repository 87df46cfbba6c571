//! Messages to people: mail, text messages, those that devices cause, and the mailbox of a demo.

pub(crate) mod alerts;
pub(crate) mod mail;
pub(crate) mod mailbox;
pub(crate) mod sms;
