//! Counts requests by user, application, address and recipient of mails.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, Weak};

use platform::clock::Clock;
use platform::proxies::{TrustedProxy, is_trusted};
use platform::rate_limit::{LimitReached, RateLimiter, network};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::RequestLimits;
use crate::domain::principal::Principal;
use crate::domain::role::RoleKind;

/// Maximum number of requests of a user that are handled at the same time; more wait for their turn, so that nobody waits behind
/// all requests of one user.
const USER_SLOTS: usize = 6;
/// The same for a user of the manufacturer, such as the account of a console.
const STAFF_SLOTS: usize = 64;
/// The same for requests without a session from one address.
const ADDRESS_SLOTS: usize = 4;
/// Unused semaphores are removed above this number.
const PRUNE_ABOVE: usize = 10_000;

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
    slots: Mutex<HashMap<Requester, Weak<Semaphore>>>,
}

/// The turn of a request, until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestSlot {
    _permit: OwnedSemaphorePermit,
}

/// Who makes a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Requester {
    User(i64),
    Address(IpAddr),
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
            slots: Mutex::default(),
        }))
    }

    /// Counts a request of a signed-in user, and waits until it can be handled.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) async fn enter_user(&self, user: &Principal) -> Result<RequestSlot, LimitReached> {
        self.count_user(user, 1)?;
        let slots = if is_staff(user) { STAFF_SLOTS } else { USER_SLOTS };
        Ok(self.wait(Requester::User(user.user_id), slots).await)
    }

    /// Counts the further work of a request that does the work of several.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn count_user(&self, user: &Principal, requests: usize) -> Result<(), LimitReached> {
        let limiter = if is_staff(user) { &self.0.staff } else { &self.0.users };
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

    /// Counts a request that needs no session, and waits until it can be handled. Returns `None` for trusted proxies.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) async fn enter_address(&self, address: IpAddr) -> Result<Option<RequestSlot>, LimitReached> {
        self.count_address(address)?;
        if is_trusted(&self.0.trusted, address) {
            return Ok(None);
        }
        Ok(Some(self.wait(Requester::Address(network(address)), ADDRESS_SLOTS).await))
    }

    /// Counts a request without a valid session. Trusted proxies are not limited: a console makes the requests of all its users,
    /// and has limits of its own.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn count_address(&self, address: IpAddr) -> Result<(), LimitReached> {
        if is_trusted(&self.0.trusted, address) {
            return Ok(());
        }
        self.0.addresses.check(&network(address))
    }

    async fn wait(&self, requester: Requester, slots: usize) -> RequestSlot {
        let semaphore = {
            let mut all = self.0.slots.lock().expect("no holder of this lock can panic");
            if all.len() > PRUNE_ABOVE {
                all.retain(|_, semaphore| semaphore.strong_count() > 0);
            }
            let entry = all.entry(requester).or_default();
            entry.upgrade().unwrap_or_else(|| {
                let semaphore = Arc::new(Semaphore::new(slots));
                *entry = Arc::downgrade(&semaphore);
                semaphore
            })
        };
        RequestSlot { _permit: semaphore.acquire_owned().await.expect("a semaphore that is never closed") }
    }
}

fn is_staff(user: &Principal) -> bool {
    matches!(user.kind, RoleKind::OemAdmin | RoleKind::OemObserver)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    fn limiters() -> RequestLimiters {
        let clock = Clock::mock("2026-11-20T10:00:00Z".parse().unwrap());
        RequestLimiters::new(RequestLimits::default(), TrustedProxy::LOOPBACK.to_vec(), &clock)
    }

    fn user(user_id: i64) -> Principal {
        Principal::new(user_id, String::new(), 1, Vec::new())
    }

    #[test]
    fn requests_of_one_user_wait_for_each_other_and_not_for_others() {
        let limiters = limiters();
        let enter = |user_id| limiters.enter_user(&user(user_id)).now_or_never();
        let mut slots: Vec<_> = (0..USER_SLOTS).map(|_| enter(1).unwrap().unwrap()).collect();
        assert!(enter(1).is_none());
        assert!(enter(2).is_some());
        slots.pop();
        assert!(enter(1).is_some());
    }

    #[test]
    fn addresses_have_slots_unless_they_are_trusted() {
        let limiters = limiters();
        let enter = |address: &str| limiters.enter_address(address.parse().unwrap()).now_or_never();
        let slots: Vec<_> = (0..ADDRESS_SLOTS).map(|n| enter(&format!("2001:db8::{n}")).unwrap().unwrap()).collect();
        assert!(slots.iter().all(Option::is_some) && enter("2001:db8::ffff").is_none());
        assert!(enter("2001:db8:0:1::").is_some());
        assert!((0..=ADDRESS_SLOTS).all(|_| enter("127.0.0.1").unwrap().unwrap().is_none()));
    }
}
