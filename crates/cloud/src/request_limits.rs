//! Counts requests by user, application, address and recipient of mails.

use std::net::IpAddr;
use std::sync::Arc;

use platform::clock::Clock;
use platform::proxies::{TrustedProxy, is_trusted};
use platform::rate_limit::{LimitReached, RateLimiter, network};
use sha2::{Digest, Sha256};

use crate::config::RequestLimits;
use crate::domain::principal::Principal;
use crate::domain::role::RoleKind;

/// Counts the requests of a node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct RequestLimiters(Arc<Limiters>);

#[derive(Debug)]
struct Limiters {
    users: RateLimiter<i64>,
    /// Users of the manufacturer itself.
    staff: RateLimiter<i64>,
    applications: RateLimiter<i64>,
    addresses: RateLimiter<IpAddr>,
    /// By SHA-256 of the lower-case address, to keep no e-mail addresses in memory.
    recipients: RateLimiter<[u8; 32]>,
    trusted: Vec<TrustedProxy>,
}

impl RequestLimiters {
    pub(crate) fn new(limits: RequestLimits, trusted: Vec<TrustedProxy>, clock: &Clock) -> Self {
        Self(Arc::new(Limiters {
            users: RateLimiter::new(limits.per_user, clock),
            staff: RateLimiter::new(limits.per_staff, clock),
            applications: RateLimiter::new(limits.per_application, clock),
            addresses: RateLimiter::new(limits.per_address, clock),
            recipients: RateLimiter::new(limits.per_recipient, clock),
            trusted,
        }))
    }

    /// Counts a request of a signed-in user, or one that does the work of several.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn user(&self, user: &Principal, requests: usize) -> Result<(), LimitReached> {
        let limiter = match user.kind {
            RoleKind::OemAdmin | RoleKind::OemObserver => &self.0.staff,
            _ => &self.0.users,
        };
        limiter.check_many(&user.user_id, u32::try_from(requests).unwrap_or(u32::MAX))
    }

    /// Counts a request that names an application.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn application(&self, id: i64) -> Result<(), LimitReached> {
        self.0.applications.check(&id)
    }

    /// Counts a mail that a request sends to this address, whether or not it is known.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn recipient(&self, email: &str) -> Result<(), LimitReached> {
        self.0.recipients.check(&Sha256::digest(email.to_lowercase()).into())
    }

    /// Counts a request without a valid session. Trusted proxies are not limited: a console makes the requests of all its users,
    /// and has limits of its own.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn address(&self, address: IpAddr) -> Result<(), LimitReached> {
        if is_trusted(&self.0.trusted, address) {
            return Ok(());
        }
        self.0.addresses.check(&network(address))
    }
}
