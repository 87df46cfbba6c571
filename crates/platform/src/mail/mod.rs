//! Sends mail by SMTP. [`MailServer`] describes the server, [`Transport`] sends one message over it, and [`RetryPolicy`] says when
//! to try again. The servers store their messages and write the texts.

mod failure_log;
mod retry;
mod server;
mod smtp_error;
mod transport;

pub use failure_log::FailureLog;
pub use retry::RetryPolicy;
pub use server::{MailCredentials, MailError, MailSecurity, MailServer};
pub use smtp_error::{DeliveryError, ProbeError};
pub use transport::{OutgoingMail, Transport};
