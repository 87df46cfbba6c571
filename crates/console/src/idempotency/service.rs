//! Claims keys, and stores the responses of their requests.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::response::{IntoResponse, Response};
use jiff::SignedDuration;
use tokio_util::sync::CancellationToken;

use super::request::KeyedRequest;
use super::response::StoredResponse;
use super::retention::RETENTION;
use super::store::{self, NewClaim, StoredRequest, UserKey};
use crate::audit;
use crate::base::Base;
use crate::http::error::{ApiError, ApiResult};
use crate::secrets::cipher::Cipher;
use crate::shared_work::shared_calls::SharedCalls;

/// How long a claim is valid without extension. A repetition is handled again this long after its node has died.
const CLAIM_DURATION: SignedDuration = SignedDuration::from_secs(30);
const EXTENSION_INTERVAL: Duration = Duration::from_secs(10);
/// Polling, because the node with the first request may be another one, and the bus may be down. Each node polls at most once at a time per key.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long a repetition waits for the first request: less than the time limit of a response.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The keys of all users. Cheap to clone.
#[derive(Clone)]
pub(crate) struct IdempotencyKeys {
    base: Base,
    cipher: Cipher,
    stopping: CancellationToken,
    max_wait: Duration,
    extension_interval: Duration,
    /// Repetitions that wait for the same request. True when it has ended.
    waits: SharedCalls<UserKey, ApiResult<bool>>,
}

/// The place of a request among those with its key.
pub(super) enum Repetition {
    /// It must be [handled](IdempotencyKeys::handle) with this claim.
    First(Claim),
    /// It was handled already, with this response.
    Later(StoredResponse),
}

/// The name of a claim.
pub(super) struct Claim(String);

impl IdempotencyKeys {
    /// Waiting repetitions end when `stopping` is cancelled.
    pub(crate) fn new(base: Base, cipher: Cipher, stopping: CancellationToken) -> Self {
        let (max_wait, extension_interval) = (MAX_WAIT, EXTENSION_INTERVAL);
        Self { base, cipher, stopping, max_wait, extension_interval, waits: SharedCalls::new() }
    }

    /// Claims the key of a request, or returns the response that its first request got. Waits while another one is handled.
    ///
    /// # Errors
    /// `KeyReused` if the key belongs to another request; `ChangedSince`; `InProgress` if the first
    /// request takes too long.
    pub(super) async fn begin(&self, request: &KeyedRequest) -> ApiResult<Repetition> {
        let mut is_patient = true;
        loop {
            let stored = self.find(&request.key).await?;
            let response = match &stored {
                Some(stored) => self.repeat(request, stored).await?,
                None => None,
            };
            if let Some(response) = response {
                return Ok(Repetition::Later(response));
            }
            if stored.as_ref().is_some_and(|stored| stored.is_claimed(self.base.clock.now())) {
                if !is_patient {
                    return Err(ApiError::InProgress);
                }
                is_patient = self.wait(&request.key).await?;
            } else if let Some(claim) = self.claim(request, stored.as_ref()).await? {
                return Ok(Repetition::First(claim));
            }
        }
    }

    /// Stores the response of a claimed request if it is final and the request has changed something. A claim that is not extended
    /// any more can be taken over.
    pub(super) async fn handle(
        &self,
        request: &KeyedRequest,
        claim: &Claim,
        handled: impl Future<Output = Response>,
    ) -> Response {
        let (response, written) = tokio::select! {
            handled = audit::collect_written(handled) => handled,
            never = self.extend_forever(&request.key, claim) => match never {},
        };
        let (parts, body) = response.into_parts();
        let body = match to_bytes(body, usize::MAX).await {
            Ok(body) => body,
            Err(error) => return ApiError::internal(error).into_response(),
        };
        let response = Response::from_parts(parts, Body::from(body.clone()));
        let ended = match StoredResponse::new(&response, &body, written) {
            Some(stored) => {
                // With other rights, the user may not see it any more.
                let plain = serde_json::to_vec(&(&request.access, &stored)).expect("texts and numbers are always JSON");
                let sealed = self.cipher.seal(&request.response_context(), &plain);
                store::end(&self.base.db, &request.key, &claim.0, sealed).await
            }
            None => store::release(&self.base.db, &request.key, &claim.0).await,
        };
        // The claim expires, and a repetition is handled again.
        if let Err(error) = ended
            && !error.is_unavailable()
        {
            tracing::warn!(%error, "the response to a request with an idempotency key could not be stored");
        }
        response
    }

    async fn find(&self, key: &UserKey) -> ApiResult<Option<StoredRequest>> {
        Ok(store::find(&self.base.db, key, self.base.clock.now() - RETENTION).await?)
    }

    /// The response to repeat. `None` if there is none yet, or if the user has other rights now: then the request is handled again.
    ///
    /// # Errors
    /// `KeyReused` if the stored request is another one; `ChangedSince`; 503 if the token key of the first request is missing, because
    /// nobody knows whether this is a repetition.
    async fn repeat(&self, request: &KeyedRequest, stored: &StoredRequest) -> ApiResult<Option<StoredResponse>> {
        let open = |context: Vec<u8>, sealed: &[u8]| self.cipher.open(&context, sealed).map_err(ApiError::unavailable);
        let digest = open(request.digest_context(), &stored.request)?;
        if digest != request.digest {
            return Err(ApiError::KeyReused);
        }
        let Some(sealed) = &stored.response else { return Ok(None) };
        let plain = open(request.response_context(), sealed)?;
        let stored: Option<(String, StoredResponse)> = serde_json::from_slice(&plain).ok();
        let response = stored.filter(|(access, _)| *access == request.access).map(|(_, response)| response);
        if let Some(response) = &response
            && audit::have_changed(&self.base.db, response.written()).await?
        {
            return Err(ApiError::ChangedSince);
        }
        Ok(response)
    }

    /// `None` if another request has claimed the key meanwhile.
    async fn claim(&self, request: &KeyedRequest, replaced: Option<&StoredRequest>) -> ApiResult<Option<Claim>> {
        let now = self.base.clock.now();
        let claimed_by = self.base.random.hex(8);
        let new = NewClaim {
            key: &request.key,
            request: &self.cipher.seal(&request.digest_context(), &request.digest),
            claimed_by: &claimed_by,
            now,
            until: now + CLAIM_DURATION,
        };
        let is_claimed = store::claim(&self.base.db, &new, now - RETENTION, replaced).await?;
        Ok(is_claimed.then_some(Claim(claimed_by)))
    }

    async fn extend_forever(&self, key: &UserKey, Claim(claimed_by): &Claim) -> Infallible {
        loop {
            tokio::time::sleep(self.extension_interval).await;
            let until = self.base.clock.now() + CLAIM_DURATION;
            if let Err(error) = store::extend(&self.base.db, key, claimed_by, until).await {
                tracing::warn!(%error, "the claim of an idempotency key could not be extended");
            }
        }
    }

    /// Waits until the key is not claimed any more. Returns false if that takes too long.
    async fn wait(&self, key: &UserKey) -> ApiResult<bool> {
        let (keys, waiting) = (self.clone(), key.clone());
        let wait = async move {
            loop {
                tokio::time::sleep(POLL_INTERVAL).await;
                let stored = keys.find(&waiting).await?;
                if !stored.is_some_and(|stored| stored.is_claimed(keys.base.clock.now())) {
                    return Ok(());
                }
            }
        };
        let (stopping, max_wait) = (self.stopping.clone(), self.max_wait);
        let call = || async move {
            let ended = tokio::time::timeout(max_wait, stopping.run_until_cancelled(wait)).await;
            ended.ok().flatten().transpose().map(|ended| ended.is_some())
        };
        self.waits.join(key.clone(), call).await
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{Request, StatusCode};
    use diffuser::Role;
    use platform::bus::Bus;
    use platform::db::Db;
    use platform::run::clock::Clock;
    use platform::run::random::Random;
    use uuid::Uuid;

    use super::*;
    use crate::audit::Operation;
    use crate::policy::Actor;
    use crate::policy::session_hash::SessionHash;
    use crate::sessions::session::ClientOrigin;

    fn keys(db: &Db, key: u8, earlier: &[[u8; 32]]) -> IdempotencyKeys {
        let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
        let base = Base { db: db.clone(), bus: Bus::in_process(), clock, random: Random::system() };
        let cipher = Cipher::new(&[key; 32], earlier, Random::system());
        IdempotencyKeys::new(base, cipher, CancellationToken::new())
    }

    fn request(csp: &str, body: &str) -> KeyedRequest {
        let actor = Actor {
            session: SessionHash::of(&[1; 32]),
            user: Uuid::from_u128(7),
            role: Some(Role::CspTech),
            csp: Some(csp.to_owned()),
        };
        let (parts, ()) = Request::post("/api/devices").body(()).unwrap().into_parts();
        KeyedRequest::new(&actor, "key", &parts, body.as_bytes())
    }

    async fn claim(keys: &IdempotencyKeys, request: &KeyedRequest) -> Claim {
        match keys.begin(request).await.unwrap() {
            Repetition::First(claim) => claim,
            Repetition::Later(response) => panic!("it was handled already: {response:?}"),
        }
    }

    /// A request that changes a record and gets this response.
    async fn change(keys: &IdempotencyKeys, response: impl IntoResponse) -> Response {
        let user = Some(keys.base.random.uuid_at(keys.base.clock.now()));
        audit::record_mail_token_change(&keys.base, &ClientOrigin::default(), Operation::SetPassword, user).await;
        response.into_response()
    }

    /// Handles the first request with this response.
    async fn handle(keys: &IdempotencyKeys, request: &KeyedRequest, response: impl IntoResponse) {
        let claim = claim(keys, request).await;
        keys.handle(request, &claim, change(keys, response)).await;
    }

    async fn is_repeated(keys: &IdempotencyKeys, request: &KeyedRequest) -> bool {
        matches!(keys.begin(request).await, Ok(Repetition::Later(_)))
    }

    async fn repetition_waits_only_so_long(db: Db) {
        let mut keys = keys(&db, 1, &[]);
        keys.max_wait = Duration::ZERO;
        claim(&keys, &request("North", "a")).await;
        assert!(matches!(keys.begin(&request("North", "a")).await, Err(ApiError::InProgress)));
        assert!(matches!(keys.begin(&request("North", "b")).await, Err(ApiError::KeyReused)));
    }

    async fn repetition_does_not_delay_the_end_of_a_node(db: Db) {
        let keys = keys(&db, 1, &[]);
        claim(&keys, &request("North", "a")).await;
        keys.stopping.cancel();
        assert!(matches!(keys.begin(&request("North", "a")).await, Err(ApiError::InProgress)));
    }

    async fn claim_is_valid_while_its_node_extends_it(db: Db) {
        let mut keys = keys(&db, 1, &[]);
        (keys.max_wait, keys.extension_interval) = (Duration::ZERO, Duration::ZERO);
        let request = request("North", "a");
        let first = claim(&keys, &request).await;
        keys.base.clock.advance(CLAIM_DURATION);
        let until_extended = async {
            let now = keys.base.clock.now();
            while !keys.find(&request.key).await.unwrap().unwrap().is_claimed(now) {
                tokio::task::yield_now().await;
            }
            StatusCode::BAD_GATEWAY.into_response()
        };
        keys.handle(&request, &first, until_extended).await;
        // It failed, so its key is free.
        claim(&keys, &request).await;
        keys.base.clock.advance(CLAIM_DURATION);
        claim(&keys, &request).await;
    }

    async fn response_is_repeated_for_the_same_role_and_csp(db: Db) {
        let keys = keys(&db, 1, &[]);
        handle(&keys, &request("North", "a"), StatusCode::NO_CONTENT).await;
        assert!(is_repeated(&keys, &request("North", "a")).await);
        handle(&keys, &request("South", "a"), StatusCode::FORBIDDEN).await;
        assert!(is_repeated(&keys, &request("South", "a")).await);
        assert!(!is_repeated(&keys, &request("North", "a")).await);
    }

    async fn response_is_repeated_until_its_encryption_key_is_removed(db: Db) {
        handle(&keys(&db, 1, &[]), &request("North", "a"), StatusCode::NO_CONTENT).await;
        assert!(is_repeated(&keys(&db, 2, &[[1; 32]]), &request("North", "a")).await);
        assert!(!is_repeated(&keys(&db, 2, &[]), &request("North", "a")).await);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            repetition_waits_only_so_long,
            repetition_does_not_delay_the_end_of_a_node,
            claim_is_valid_while_its_node_extends_it,
            response_is_repeated_for_the_same_role_and_csp,
            response_is_repeated_until_its_encryption_key_is_removed,
        ]
    );
}
