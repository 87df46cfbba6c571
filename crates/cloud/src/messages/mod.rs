//! Messages to people: mail, text messages (SMS), those that devices cause with their budgets, and the mailbox of a demo.
//! [`background::delivery`](crate::background::delivery) sends them.

pub(crate) mod alerts;
pub(crate) mod mail;
pub(crate) mod mailbox;
pub(crate) mod sms;
