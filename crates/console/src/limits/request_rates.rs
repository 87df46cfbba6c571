//! Rate limits for operations that invite guessing or flooding, per client address and per account.

use std::net::IpAddr;

use platform::run::clock::Clock;
pub use platform::run::rate_limit::Rate;
use platform::run::rate_limit::{LimitReached, RateLimiter, network};
use sha2::{Digest, Sha256};

use crate::http::error::{ApiError, ApiResult};
use crate::policy::session_hash::SessionHash;

/// The limits of one operation.
#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    /// The limit for one client address.
    pub per_address: Rate,
    /// The limit for one account.
    pub per_account: Rate,
}

/// The limits of all operations, which are counted separately.
#[derive(Clone, Copy, Debug)]
pub struct RateLimits {
    /// Password checks.
    pub sign_in: RateLimit,
    /// Password reset mails without a session.
    pub forgotten_password: RateLimit,
    /// Attempts with a mail token, or with a code of a second factor; the account is the token or the user's id.
    pub tokens: RateLimit,
    /// Mails sent by signed-in users; the account is the recipient.
    pub mails: RateLimit,
    /// Look-ups of positions; the account is the user's id.
    pub places: RateLimit,
    /// Previews of jobs, each of which reads up to 25 devices; the account is the user's id.
    pub previews: RateLimit,
    /// Forecasts for values that are not saved yet; the account is the user's id.
    pub forecasts: RateLimit,
    /// Look-ups of serial numbers, which say whether a device exists; the account is the user's id.
    pub look_ups: RateLimit,
    /// All requests with one access token.
    pub per_token: Rate,
}

/// The counters of [`RateLimits`].
pub(crate) struct Limiters {
    pub(crate) sign_in: Limiter,
    pub(crate) forgotten_password: Limiter,
    pub(crate) tokens: Limiter,
    pub(crate) mails: Limiter,
    pub(crate) places: Limiter,
    pub(crate) previews: Limiter,
    pub(crate) forecasts: Limiter,
    pub(crate) look_ups: Limiter,
    per_token: RateLimiter<SessionHash>,
}

/// Counts the attempts at one operation.
pub(crate) struct Limiter {
    addresses: RateLimiter<IpAddr>,
    /// By SHA-256 of the lower-case account name, to keep no e-mail addresses in memory.
    accounts: RateLimiter<[u8; 32]>,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            sign_in: RateLimit { per_address: Rate::per_minute(60), per_account: Rate::per_minute(10) },
            forgotten_password: RateLimit { per_address: Rate::per_minute(20), per_account: Rate::per_hour(5) },
            tokens: RateLimit { per_address: Rate::per_minute(20), per_account: Rate::per_minute(10) },
            mails: RateLimit { per_address: Rate::per_minute(60), per_account: Rate::per_hour(10) },
            places: RateLimit { per_address: Rate::per_minute(600), per_account: Rate::per_minute(60) },
            previews: RateLimit { per_address: Rate::per_minute(300), per_account: Rate::per_minute(30) },
            forecasts: RateLimit { per_address: Rate::per_minute(600), per_account: Rate::per_minute(60) },
            look_ups: RateLimit { per_address: Rate::per_minute(300), per_account: Rate::per_minute(30) },
            per_token: Rate::per_minute(600),
        }
    }
}

impl Limiters {
    pub(crate) fn new(limits: RateLimits, clock: &Clock) -> Self {
        Self {
            sign_in: Limiter::new(limits.sign_in, clock),
            forgotten_password: Limiter::new(limits.forgotten_password, clock),
            tokens: Limiter::new(limits.tokens, clock),
            mails: Limiter::new(limits.mails, clock),
            places: Limiter::new(limits.places, clock),
            previews: Limiter::new(limits.previews, clock),
            forecasts: Limiter::new(limits.forecasts, clock),
            look_ups: Limiter::new(limits.look_ups, clock),
            per_token: RateLimiter::new(limits.per_token, clock),
        }
    }

    /// Counts a request with the access token of this session.
    ///
    /// # Errors
    /// As [`Limiter::check`].
    pub(crate) fn check_token(&self, token: &SessionHash) -> ApiResult<()> {
        self.per_token.check(token).map_err(too_many)
    }
}

impl Limiter {
    fn new(limit: RateLimit, clock: &Clock) -> Self {
        Self {
            addresses: RateLimiter::new(limit.per_address, clock),
            accounts: RateLimiter::new(limit.per_account, clock),
        }
    }

    /// Counts an attempt from `address` at `account`, which is an e-mail address or another key.
    ///
    /// # Errors
    /// 429 with the seconds until the next attempt counts.
    pub(crate) fn check(&self, address: IpAddr, account: &str) -> ApiResult<()> {
        self.addresses.check(&network(address)).map_err(too_many)?;
        self.accounts.check(&Sha256::digest(account.to_lowercase()).into()).map_err(too_many)
    }
}

fn too_many(LimitReached { wait }: LimitReached) -> ApiError {
    ApiError::TooManyRequests { retry_after_secs: wait.as_secs() + 1 }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const MANY: u32 = 100;

    fn limiter(per_address: Rate, per_account: Rate) -> (Limiter, Clock) {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        (Limiter::new(RateLimit { per_address, per_account }, &clock), clock)
    }

    fn retry_after(outcome: ApiResult<()>) -> u64 {
        match outcome {
            Err(ApiError::TooManyRequests { retry_after_secs }) => retry_after_secs,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn account_limit_ignores_spelling_and_ends_after_the_wait() {
        for (rate, longest) in [(Rate::per_minute(2), 31), (Rate::per_hour(2), 1801)] {
            let (limiter, clock) = limiter(Rate::per_minute(MANY), rate);
            limiter.check(HOME, "a@example.com").unwrap();
            limiter.check(HOME, "A@Example.com").unwrap();
            let wait = retry_after(limiter.check(HOME, "a@example.com"));
            assert!((longest - 1..=longest).contains(&wait), "{wait}");
            limiter.check(HOME, "b@example.com").unwrap();
            clock.advance(SignedDuration::from_secs(i64::try_from(wait).unwrap()));
            limiter.check(HOME, "a@example.com").unwrap();
        }
    }

    #[test]
    fn address_is_limited_over_all_accounts() {
        let (limiter, _) = limiter(Rate::per_minute(2), Rate::per_minute(MANY));
        limiter.check(HOME, "a@example.com").unwrap();
        limiter.check(HOME, "b@example.com").unwrap();
        retry_after(limiter.check(HOME, "c@example.com"));
        limiter.check("192.0.2.7".parse().unwrap(), "c@example.com").unwrap();
    }

    #[test]
    fn ipv6_network_counts_as_one_address() {
        let (limiter, _) = limiter(Rate::per_minute(2), Rate::per_minute(MANY));
        let [one, other, elsewhere] =
            ["2001:db8::1", "2001:db8::ffff", "2001:db8:0:1::1"].map(|it| it.parse().unwrap());
        limiter.check(one, "a@example.com").unwrap();
        limiter.check(other, "b@example.com").unwrap();
        retry_after(limiter.check(one, "c@example.com"));
        limiter.check(elsewhere, "c@example.com").unwrap();
    }

    #[test]
    fn each_limiter_counts_separately() {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let once = RateLimit { per_address: Rate::per_minute(1), per_account: Rate::per_minute(1) };
        let limits = RateLimits {
            sign_in: once,
            forgotten_password: once,
            tokens: once,
            mails: once,
            places: once,
            previews: once,
            forecasts: once,
            look_ups: once,
            per_token: Rate::per_minute(1),
        };
        let limiters = Limiters::new(limits, &clock);
        let Limiters { sign_in, forgotten_password, tokens, mails, places, previews, forecasts, look_ups, .. } =
            &limiters;
        for limiter in [sign_in, forgotten_password, tokens, mails, places, previews, forecasts, look_ups] {
            limiter.check(HOME, "a@example.com").unwrap();
            retry_after(limiter.check(HOME, "a@example.com"));
        }
    }

    #[test]
    fn requests_are_counted_for_each_token() {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let limiters = Limiters::new(RateLimits { per_token: Rate::per_minute(2), ..RateLimits::default() }, &clock);
        let [one, other] = [1, 2].map(|byte| SessionHash::of(&[byte; 32]));
        limiters.check_token(&one).unwrap();
        limiters.check_token(&one).unwrap();
        assert!((30..=31).contains(&retry_after(limiters.check_token(&one))));
        limiters.check_token(&other).unwrap();
    }
}
