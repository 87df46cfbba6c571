//! Counts requests by user, application, address and recipient of mails.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

use platform::http::proxies::{TrustedProxy, is_trusted};
use platform::run::clock::Clock;
use platform::run::rate_limit::{LimitReached, RateLimiter, network, site};
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::config::RequestLimits;
use crate::domain::principal::Principal;
use crate::domain::role::RoleKind;
use crate::store::users::folded;

/// Maximum number of requests of a user that are handled at the same time; more wait for their turn, so that nobody waits behind
/// all requests of one user.
const USER_SLOTS: usize = 3;
/// The same for a user of the manufacturer, such as the account of a console.
const STAFF_SLOTS: usize = 64;
/// The same for requests without a session from one address, most of which hash a password.
const ADDRESS_SLOTS: usize = 1;
/// How many times the limit of an address an IPv6 /48 has, which consists of 65,536 networks.
const NETWORKS_OF_A_SITE: u32 = 16;
/// Unused semaphores are removed, and tokens forgotten, above this number.
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
    /// The /48 networks of IPv6 addresses.
    sites: RateLimiter<IpAddr>,
    /// By SHA-256 of the folded address, to keep no e-mail addresses in memory.
    recipients: RateLimiter<[u8; 32]>,
    trusted: Vec<TrustedProxy>,
    /// The users of recently used access tokens, so that a request beyond their limit causes no database read. By
    /// SHA-256, to keep no tokens in memory.
    tokens: Mutex<HashMap<[u8; 32], CountedUser>>,
    slots: Mutex<HashMap<Requester, Weak<Semaphore>>>,
}

/// The turn of a request, until it is dropped.
#[derive(Debug)]
pub(crate) struct RequestSlot {
    _permit: OwnedSemaphorePermit,
}

/// The user whose requests are counted, and the limit that applies.
#[derive(Clone, Copy, Debug)]
struct CountedUser {
    id: i64,
    is_staff: bool,
}

/// The kind of sender of a request.
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
            sites: RateLimiter::new(limits.per_address.times(NETWORKS_OF_A_SITE), clock),
            recipients: RateLimiter::new(limits.per_recipient, clock),
            trusted,
            tokens: Mutex::default(),
            slots: Mutex::default(),
        }))
    }

    /// Counts a request with an access token if its user is known, and waits until it can be handled. The session is read
    /// afterwards, so that a user with many requests does not occupy the database with their sessions. Returns `None` if the user
    /// is not known.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) async fn enter_token(&self, token: &str) -> Result<Option<RequestSlot>, LimitReached> {
        let Some(user) = self.tokens().get(&digest(token)).copied() else { return Ok(None) };
        self.count(user, 1)?;
        Ok(Some(self.wait_for(user).await))
    }

    /// Forgets a token that has expired, so that its requests no longer count for its user.
    pub(crate) fn forget_token(&self, token: &str) {
        self.tokens().remove(&digest(token));
    }

    /// Counts a request of a signed-in user, and waits until it can be handled, unless [`Self::enter_token`] has done so.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) async fn enter_user(
        &self,
        user: &Principal,
        token: &str,
        slot: Option<RequestSlot>,
    ) -> Result<RequestSlot, LimitReached> {
        let user = CountedUser::of(user);
        {
            let mut tokens = self.tokens();
            if tokens.len() > PRUNE_ABOVE {
                tokens.clear();
            }
            tokens.insert(digest(token), user);
        }
        if let Some(slot) = slot {
            return Ok(slot);
        }
        self.count(user, 1)?;
        Ok(self.wait_for(user).await)
    }

    /// Counts the additional work of a request that does the work of several.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn count_user(&self, user: &Principal, requests: usize) -> Result<(), LimitReached> {
        self.count(CountedUser::of(user), u32::try_from(requests).unwrap_or(u32::MAX))
    }

    fn count(&self, CountedUser { id, is_staff }: CountedUser, requests: u32) -> Result<(), LimitReached> {
        let limiter = if is_staff { &self.0.staff } else { &self.0.users };
        limiter.check_many(&id, requests)
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<[u8; 32], CountedUser>> {
        self.0.tokens.lock().expect("no holder of this lock can panic")
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
        self.0.recipients.check(&digest(&folded(email)))
    }

    /// Waits until a request that needs no session can be handled. Returns `None` for trusted proxies.
    pub(crate) async fn enter_address(&self, address: IpAddr) -> Option<RequestSlot> {
        if is_trusted(&self.0.trusted, address) {
            return None;
        }
        Some(self.wait(Requester::Address(network(address)), ADDRESS_SLOTS).await)
    }

    /// Counts a request without a valid session. Trusted proxies are not limited: a console makes the requests of all its users,
    /// and has separate limits.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn count_address(&self, address: IpAddr) -> Result<(), LimitReached> {
        if is_trusted(&self.0.trusted, address) {
            return Ok(());
        }
        self.0.addresses.check(&network(address))?;
        site(address).map_or(Ok(()), |site| self.0.sites.check(&site))
    }

    async fn wait_for(&self, CountedUser { id, is_staff }: CountedUser) -> RequestSlot {
        self.wait(Requester::User(id), if is_staff { STAFF_SLOTS } else { USER_SLOTS }).await
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

impl CountedUser {
    fn of(user: &Principal) -> Self {
        Self { id: user.user_id, is_staff: matches!(user.kind, RoleKind::OemAdmin | RoleKind::OemObserver) }
    }
}

fn digest(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use platform::run::rate_limit::Rate;

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
        let enter = |user_id| limiters.enter_user(&user(user_id), "token", None).now_or_never();
        let mut slots: Vec<_> = (0..USER_SLOTS).map(|_| enter(1).unwrap().unwrap()).collect();
        assert!(enter(1).is_none());
        assert!(enter(2).is_some());
        slots.pop();
        assert!(enter(1).is_some());
    }

    #[test]
    fn request_of_a_known_token_is_refused_before_the_token_is_looked_up() {
        let clock = Clock::mock("2026-11-20T10:00:00Z".parse().unwrap());
        let per_user = Rate::per_minute(3);
        let limiters = RequestLimiters::new(RequestLimits { per_user, ..RequestLimits::default() }, Vec::new(), &clock);
        let enter_token = |token| limiters.enter_token(token).now_or_never().unwrap();
        let enter = |token, slot| limiters.enter_user(&user(1), token, slot).now_or_never().unwrap();
        assert!(enter_token("one").unwrap().is_none());
        assert!(enter("one", None).is_ok());
        for _ in 0..2 {
            let slot = enter_token("one").unwrap();
            assert!(slot.is_some() && enter("one", slot).is_ok());
        }
        assert!(enter_token("one").is_err(), "each request was counted once");
        assert!(enter("other", None).is_err(), "with any token");
        assert!(enter_token("other").is_err());
        limiters.forget_token("other");
        assert!(enter_token("other").unwrap().is_none());
    }

    #[test]
    fn request_of_a_known_token_waits_before_the_token_is_looked_up() {
        let limiters = limiters();
        let enter_token = || limiters.enter_token("token").now_or_never();
        drop(limiters.enter_user(&user(1), "token", None).now_or_never().unwrap().unwrap());
        let mut slots: Vec<_> = (0..USER_SLOTS).map(|_| enter_token().unwrap().unwrap()).collect();
        assert!(enter_token().is_none());
        let slot = slots.pop().unwrap();
        let slot = limiters.enter_user(&user(1), "token", slot).now_or_never().unwrap().unwrap();
        assert!(enter_token().is_none(), "the same slot is kept");
        drop(slot);
        assert!(enter_token().is_some());
    }

    #[test]
    fn addresses_have_slots_unless_they_are_trusted() {
        let limiters = limiters();
        let enter = |address: &str| limiters.enter_address(address.parse().unwrap()).now_or_never();
        let slots: Vec<_> = (0..ADDRESS_SLOTS).map(|n| enter(&format!("2001:db8::{n}")).unwrap()).collect();
        assert!(slots.iter().all(Option::is_some) && enter("2001:db8::ffff").is_none());
        assert!(enter("2001:db8:0:1::").is_some());
        assert!((0..=ADDRESS_SLOTS).all(|_| enter("127.0.0.1").unwrap().is_none()));
    }

    #[test]
    fn networks_of_an_ipv6_site_share_a_limit() {
        let clock = Clock::mock("2026-11-20T10:00:00Z".parse().unwrap());
        let per_address = Rate::per_minute(1);
        let limits = RequestLimits { per_address, ..RequestLimits::default() };
        let limiters = RequestLimiters::new(limits, Vec::new(), &clock);
        let count = |address: String| limiters.count_address(address.parse().unwrap());
        assert!((0..NETWORKS_OF_A_SITE).all(|n| count(format!("2001:db8:1:{n:x}::1")).is_ok()));
        assert!(count("2001:db8:1:0::2".into()).is_err(), "the network has its own limit");
        assert!(count("2001:db8:1:ffff::1".into()).is_err(), "a new network of the site");
        assert!(count("2001:db8:2::1".into()).is_ok());
    }
}
