//! The `sessions` table.

use diffuser::Role;
use jiff::Timestamp;
use platform::db::{Db, Params, Result, Tx, params};
use platform::run::clock::from_micros;
use sqlx_macros::FromRow;
use uuid::Uuid;

use super::{AccessToken, ClientOrigin, Session, SessionHash, SessionLimits, User};
use crate::sessions::account_state;

#[derive(FromRow)]
struct SessionRow {
    id_hash: String,
    user_id: String,
    email: String,
    firstname: String,
    lastname: String,
    role: Option<String>,
    csp: Option<String>,
    access_read_at: i64,
    created_at: i64,
    seen_at: i64,
    address: Option<String>,
    browser: Option<String>,
    token_name: Option<String>,
    token_rights: Option<String>,
    token_expires_at: Option<i64>,
    lacks_factor: bool,
}

impl From<SessionRow> for Session {
    fn from(row: SessionRow) -> Self {
        Self {
            hash: SessionHash::from_stored(row.id_hash),
            user: User {
                id: Uuid::parse_str(&row.user_id).unwrap_or_default(),
                email: row.email,
                firstname: row.firstname,
                lastname: row.lastname,
            },
            role: row.role.as_deref().and_then(Role::from_name),
            csp: row.csp,
            access_read_at: from_micros(row.access_read_at),
            created_at: from_micros(row.created_at),
            seen_at: from_micros(row.seen_at),
            origin: ClientOrigin { address: row.address, browser: row.browser },
            token: row.token_name.map(|name| AccessToken {
                name,
                rights: row.token_rights.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default(),
                expires_at: row.token_expires_at.map(from_micros).unwrap_or_default(),
            }),
            lacks_factor: row.lacks_factor,
        }
    }
}

/// Stores a new session. False if the account of its user is disabled.
pub(super) async fn insert(db: &Db, session: &Session, tokens: Vec<u8>) -> Result<bool> {
    let ClientOrigin { address, browser } = session.origin.clone();
    let token = session.token.as_ref();
    let rights = token.map(|token| serde_json::to_string(&token.rights).expect("texts are always JSON"));
    let values = access_params(session)
        .with(tokens)
        .with(session.created_at)
        .with(session.seen_at)
        .with(address)
        .with(browser)
        .with(token.map(|token| token.name.clone()))
        .with(rights)
        .with(token.map(|token| token.expires_at));
    let (user, signed_in_at) = (session.user.id, token.is_none().then_some(session.created_at));
    db.write(|mut tx| {
        let values = values.clone();
        async move {
            let is_admitted = account_state::admit(&mut tx, user, signed_in_at).await?;
            if is_admitted {
                let sql = "insert into sessions (id_hash, user_id, email, firstname, lastname, role, csp, access_read_at, \
                           tokens, created_at, seen_at, address, browser, token_name, token_rights, token_expires_at) \
                           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
                tx.execute(sql, values).await?;
            }
            tx.commit().await?;
            Ok(is_admitted)
        }
    })
    .await
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "select id_hash, user_id, email, firstname, lastname, role, csp, access_read_at, created_at, seen_at, ",
            "address, browser, token_name, token_rights, token_expires_at, ",
            "(exists (select 1 from second_factor_roles where second_factor_roles.role = sessions.role) ",
            "and not exists (select 1 from second_factors where second_factors.user_id = sessions.user_id ",
            "and totp_added_at is not null) ",
            "and not exists (select 1 from passkeys where passkeys.user_id = sessions.user_id)) as lacks_factor ",
            "from sessions",
            $rest
        )
    };
}

pub(super) async fn find(db: &Db, hash: &SessionHash) -> Result<Option<Session>> {
    let row: Option<SessionRow> = db.fetch_optional(select!(" where id_hash = $1"), params![hash.as_str()]).await?;
    Ok(row.map(Into::into))
}

/// The sessions of a user, most recently used first.
pub(super) async fn of_user(db: &Db, user: Uuid) -> Result<Vec<Session>> {
    let rows: Vec<SessionRow> =
        db.fetch_all(select!(" where user_id = $1 order by seen_at desc, id_hash"), params![user]).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

pub(super) async fn touch(db: &Db, hash: &SessionHash, seen_at: Timestamp, origin: &ClientOrigin) -> Result<()> {
    db.execute(
        "update sessions set seen_at = $2, address = $3, browser = $4 where id_hash = $1",
        params![hash.as_str(), seen_at, origin.address.clone(), origin.browser.clone()],
    )
    .await?;
    Ok(())
}

/// The statement that reads the version of all sessions. It grows with each change of the access of a session, each
/// invalidation, and each end of a session before its time.
pub(super) const VERSION: &str = "select version from session_version";

/// Reads the version of all sessions.
pub(super) async fn version(db: &Db) -> Result<i64> {
    let (version,): (i64,) = db.fetch_one(VERSION, params![]).await?;
    Ok(version)
}

async fn change_version(tx: &mut Tx) -> Result<()> {
    tx.execute("update session_version set version = version + 1", params![]).await?;
    Ok(())
}

/// Changes the version after sessions were deleted.
pub(crate) async fn announce_ended(db: &Db) -> Result<()> {
    db.write(|mut tx| async move {
        change_version(&mut tx).await?;
        tx.commit().await
    })
    .await
}

/// Executes a statement on sessions, and changes the version if it affects any.
async fn execute_and_change_version(db: &Db, sql: &'static str, values: Params) -> Result<bool> {
    db.write(|mut tx| {
        let values = values.clone();
        async move {
            let is_affected = tx.execute(sql, values).await? > 0;
            if is_affected {
                change_version(&mut tx).await?;
            }
            tx.commit().await?;
            Ok(is_affected)
        }
    })
    .await
}

/// Stores the user and access as read from the cloud. False when the session has ended, or when its `access_read_at` is no
/// longer that of `before`: a concurrent read may be newer.
pub(super) async fn update_access(db: &Db, before: &Session, after: &Session) -> Result<bool> {
    let sql = "update sessions set user_id = $2, email = $3, firstname = $4, lastname = $5, role = $6, csp = $7, \
               access_read_at = $8 where id_hash = $1 and access_read_at = $9";
    let values = access_params(after).with(before.access_read_at);
    if after.actor() == before.actor() {
        Ok(db.execute(sql, values).await? > 0)
    } else {
        execute_and_change_version(db, sql, values).await
    }
}

macro_rules! invalidate {
    ($filter:literal) => {
        concat!(
            "update sessions set access_read_at = case when access_read_at < 0 then access_read_at - 1 else -1 end",
            $filter
        )
    };
}

/// Invalidates the stored access of a user and every read in progress. Each call writes a negative `access_read_at` that the
/// row did not have before, so that [`update_access`] of a read in progress fails.
pub(super) async fn invalidate_access(db: &Db, user: Uuid) -> Result<()> {
    execute_and_change_version(db, invalidate!(" where user_id = $1"), params![user]).await?;
    Ok(())
}

/// As [`invalidate_access`], for all users.
pub(super) async fn invalidate_all_access(db: &Db) -> Result<()> {
    execute_and_change_version(db, invalidate!(""), params![]).await?;
    Ok(())
}

/// False when the session did not exist.
pub(super) async fn delete(db: &Db, hash: &SessionHash) -> Result<bool> {
    execute_and_change_version(db, "delete from sessions where id_hash = $1", params![hash.as_str()]).await
}

/// Deletes all sessions of a user. Returns their hashes and encrypted tokens.
pub(super) async fn delete_all_of_user(tx: &mut Tx, user: Uuid) -> Result<Vec<(SessionHash, Option<Vec<u8>>)>> {
    let sql = "delete from sessions where user_id = $1 returning id_hash, tokens";
    let rows: Vec<(String, Option<Vec<u8>>)> = tx.fetch_all(sql, params![user]).await?;
    if !rows.is_empty() {
        change_version(tx).await?;
    }
    Ok(rows.into_iter().map(|(hash, tokens)| (SessionHash::from_stored(hash), tokens)).collect())
}

/// Deletes sessions that have ended by their age: those of browsers by these limits, those of access tokens at their own time.
pub(crate) async fn delete_expired(db: &Db, now: Timestamp, limits: SessionLimits) -> Result<u64> {
    let sql =
        "delete from sessions where token_name is null and (seen_at < $1 or created_at < $2) or token_expires_at <= $3";
    db.execute(sql, params![now - limits.idle, now - limits.absolute, now]).await
}

/// The encrypted tokens. The outer `None` means that the session does not exist.
pub(super) async fn tokens(db: &Db, hash: &SessionHash) -> Result<Option<Option<Vec<u8>>>> {
    let row: Option<(Option<Vec<u8>>,)> =
        db.fetch_optional("select tokens from sessions where id_hash = $1", params![hash.as_str()]).await?;
    Ok(row.map(|(tokens,)| tokens))
}

/// Claims the right to replace the tokens, until `until`. False when another holder has it at `now`, or the session has ended.
pub(super) async fn claim(db: &Db, hash: &SessionHash, holder: &str, now: Timestamp, until: Timestamp) -> Result<bool> {
    let claimed = db
        .execute(
            "update sessions set claimed_by = $2, claimed_until = $4 \
             where id_hash = $1 and (claimed_by is null or claimed_until <= $3)",
            params![hash.as_str(), holder, now, until],
        )
        .await?;
    Ok(claimed > 0)
}

/// Releases a claim unless another holder has taken it over.
pub(super) async fn release_claim(db: &Db, hash: &SessionHash, holder: &str) -> Result<()> {
    let sql = "update sessions set claimed_by = null, claimed_until = null where id_hash = $1 and claimed_by = $2";
    db.execute(sql, params![hash.as_str(), holder]).await?;
    Ok(())
}

/// Replaces the tokens and releases the claim. False when another holder has taken the claim over, or the session has ended;
/// an expired claim without another holder is still valid.
pub(super) async fn save_tokens(db: &Db, hash: &SessionHash, holder: &str, tokens: Option<Vec<u8>>) -> Result<bool> {
    let saved = db
        .execute(
            "update sessions set tokens = $3, claimed_by = null, claimed_until = null \
             where id_hash = $1 and claimed_by = $2",
            params![hash.as_str(), holder, tokens],
        )
        .await?;
    Ok(saved > 0)
}

fn access_params(session: &Session) -> Params {
    params![
        session.hash.as_str(),
        session.user.id,
        &session.user.email,
        &session.user.firstname,
        &session.user.lastname,
        session.role.map(Role::name),
        session.csp.clone(),
        session.access_read_at,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::TokenRight;

    fn session(byte: u8, seen_at: &str) -> Session {
        let seen_at: Timestamp = seen_at.parse().unwrap();
        Session {
            hash: SessionHash::of(&[byte; 32]),
            user: User {
                id: Uuid::from_u128(7),
                email: "tech@example.com".to_owned(),
                firstname: "Tess".to_owned(),
                lastname: "Tech".to_owned(),
            },
            role: Some(Role::CspTech),
            csp: Some("North".to_owned()),
            access_read_at: seen_at,
            created_at: seen_at,
            seen_at,
            origin: ClientOrigin {
                address: Some("192.0.2.7".to_owned()),
                browser: Some("Safari on iPhone".to_owned()),
            },
            token: None,
            lacks_factor: false,
        }
    }

    fn program(byte: u8, created_at: &str, expires_at: &str) -> Session {
        let token = AccessToken {
            name: "Nightly report".to_owned(),
            rights: [TokenRight::DevicesRead, TokenRight::CspsWrite].into(),
            expires_at: expires_at.parse().unwrap(),
        };
        Session { origin: ClientOrigin::default(), token: Some(token), ..session(byte, created_at) }
    }

    async fn stored_session_is_read_back(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        insert(&db, &stored, vec![1, 2, 3]).await.unwrap();
        let found = find(&db, &stored.hash).await.unwrap().unwrap();
        assert_eq!((found.user.clone(), found.actor()), (stored.user.clone(), stored.actor()));
        assert_eq!((found.created_at, found.seen_at, found.origin), (stored.created_at, stored.seen_at, stored.origin));
        assert_eq!(tokens(&db, &stored.hash).await.unwrap(), Some(Some(vec![1, 2, 3])));
        assert!(find(&db, &SessionHash::of(&[2; 32])).await.unwrap().is_none());
    }

    async fn access_token_is_read_back(db: Db) {
        let stored = program(1, "2026-11-20T12:00:00Z", "2027-11-20T12:00:00Z");
        insert(&db, &stored, vec![1]).await.unwrap();
        assert_eq!(find(&db, &stored.hash).await.unwrap().unwrap().token, stored.token);
        assert_eq!(of_user(&db, stored.user.id).await.unwrap()[0].token, stored.token);
    }

    async fn tokens_are_replaced_only_by_the_holder_of_the_claim(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        let (now, until): (Timestamp, Timestamp) =
            ("2026-11-20T12:00:00Z".parse().unwrap(), "2026-11-20T12:00:45Z".parse().unwrap());
        insert(&db, &stored, vec![1]).await.unwrap();
        assert!(!save_tokens(&db, &stored.hash, "a", Some(vec![2])).await.unwrap(), "without a claim");
        assert!(claim(&db, &stored.hash, "a", now, until).await.unwrap());
        assert!(!claim(&db, &stored.hash, "b", now, until).await.unwrap());
        release_claim(&db, &stored.hash, "b").await.unwrap();
        assert!(!save_tokens(&db, &stored.hash, "b", Some(vec![2])).await.unwrap());
        assert_eq!(tokens(&db, &stored.hash).await.unwrap(), Some(Some(vec![1])));
        assert!(save_tokens(&db, &stored.hash, "a", Some(vec![2])).await.unwrap());
        assert_eq!(tokens(&db, &stored.hash).await.unwrap(), Some(Some(vec![2])));
        assert!(claim(&db, &stored.hash, "b", now, until).await.unwrap(), "saving releases the claim");
        assert!(save_tokens(&db, &stored.hash, "b", None).await.unwrap());
        assert_eq!(tokens(&db, &stored.hash).await.unwrap(), Some(None));
    }

    async fn expired_claim_can_be_taken_over(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        let at = |time: &str| format!("2026-11-20T{time}Z").parse::<Timestamp>().unwrap();
        insert(&db, &stored, vec![1]).await.unwrap();
        assert!(claim(&db, &stored.hash, "a", at("12:00:00"), at("12:00:45")).await.unwrap());
        assert!(!claim(&db, &stored.hash, "b", at("12:00:44"), at("12:01:29")).await.unwrap());
        assert!(claim(&db, &stored.hash, "b", at("12:00:45"), at("12:01:30")).await.unwrap());
        assert!(!save_tokens(&db, &stored.hash, "a", Some(vec![2])).await.unwrap());
        release_claim(&db, &stored.hash, "b").await.unwrap();
        assert!(claim(&db, &stored.hash, "c", at("12:00:46"), at("12:01:31")).await.unwrap());
        assert!(save_tokens(&db, &stored.hash, "c", Some(vec![3])).await.unwrap());
        assert!(!claim(&db, &SessionHash::of(&[2; 32]), "a", at("12:00:00"), at("12:00:45")).await.unwrap());
    }

    async fn access_of_an_ended_session_is_not_updated(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        insert(&db, &stored, vec![]).await.unwrap();
        let changed = Session { role: Some(Role::CspObserver), csp: None, ..stored.clone() };
        assert!(update_access(&db, &stored, &changed).await.unwrap());
        assert_eq!(find(&db, &stored.hash).await.unwrap().unwrap().actor(), changed.actor());
        assert!(delete(&db, &stored.hash).await.unwrap());
        assert!(!delete(&db, &stored.hash).await.unwrap());
        assert!(!update_access(&db, &stored, &changed).await.unwrap());
        assert_eq!(tokens(&db, &stored.hash).await.unwrap(), None);
    }

    async fn access_read_before_its_invalidation_is_not_stored(db: Db) {
        let (one, two) = (session(1, "2026-11-20T12:00:00Z"), session(2, "2026-11-20T12:00:00Z"));
        let mut foreign = session(3, "2026-11-20T12:00:00Z");
        foreign.user.id = Uuid::from_u128(8);
        for stored in [&one, &two, &foreign] {
            insert(&db, stored, vec![]).await.unwrap();
        }
        for stored in [&one, &two] {
            // The second invalidation happens before any read.
            for _ in 0..2 {
                let before = find(&db, &stored.hash).await.unwrap().unwrap();
                invalidate_access(&db, stored.user.id).await.unwrap();
                assert!(!update_access(&db, &before, stored).await.unwrap());
                assert!(find(&db, &stored.hash).await.unwrap().unwrap().access_read_at < Timestamp::UNIX_EPOCH);
            }
            let before = find(&db, &stored.hash).await.unwrap().unwrap();
            assert!(update_access(&db, &before, stored).await.unwrap());
            assert_eq!(find(&db, &stored.hash).await.unwrap().unwrap().access_read_at, stored.access_read_at);
        }
        let found = find(&db, &foreign.hash).await.unwrap().unwrap();
        assert_eq!(found.access_read_at, foreign.access_read_at, "other users are unchanged");
        invalidate_all_access(&db).await.unwrap();
        for stored in [&one, &two, &foreign] {
            assert!(!update_access(&db, stored, stored).await.unwrap());
        }
    }

    async fn version_grows_when_a_session_loses_access_and_not_when_it_is_used(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        let later: Timestamp = "2026-11-20T12:01:00Z".parse().unwrap();
        insert(&db, &stored, vec![]).await.unwrap();
        let first = version(&db).await.unwrap();

        let reread = Session { access_read_at: later, ..stored.clone() };
        assert!(update_access(&db, &stored, &reread).await.unwrap());
        touch(&db, &stored.hash, later, &ClientOrigin::default()).await.unwrap();
        invalidate_access(&db, Uuid::from_u128(8)).await.unwrap();
        assert!(!delete(&db, &SessionHash::of(&[2; 32])).await.unwrap());
        assert_eq!(version(&db).await.unwrap(), first);

        let demoted = Session { role: Some(Role::CspObserver), ..reread.clone() };
        assert!(update_access(&db, &reread, &demoted).await.unwrap());
        assert_eq!(version(&db).await.unwrap(), first + 1);
        assert!(!update_access(&db, &stored, &demoted).await.unwrap(), "not stored: the row changed");
        assert_eq!(version(&db).await.unwrap(), first + 1);
        invalidate_access(&db, stored.user.id).await.unwrap();
        assert_eq!(version(&db).await.unwrap(), first + 2);
        invalidate_all_access(&db).await.unwrap();
        assert_eq!(version(&db).await.unwrap(), first + 3);
        assert!(delete(&db, &stored.hash).await.unwrap());
        assert_eq!(version(&db).await.unwrap(), first + 4);
    }

    async fn session_lacks_a_factor_while_its_role_needs_one_that_is_not_set_up(db: Db) {
        let stored = session(1, "2026-11-20T12:00:00Z");
        insert(&db, &stored, vec![]).await.unwrap();
        let lacks = async || find(&db, &stored.hash).await.unwrap().unwrap().lacks_factor;
        assert!(!lacks().await);
        let need = async |role: Role| {
            let sql = "insert into second_factor_roles (role) values ($1)";
            db.execute(sql, params![role.name()]).await.unwrap();
        };
        need(Role::Admin).await;
        assert!(!lacks().await, "another role");
        need(Role::CspTech).await;
        assert!(lacks().await);
        let sql = "insert into second_factors (user_id, totp_secret) values ($1, $2)";
        db.execute(sql, params![stored.user.id, vec![1_u8]]).await.unwrap();
        assert!(lacks().await, "not confirmed yet");
        db.execute("update second_factors set totp_added_at = 1", params![]).await.unwrap();
        assert!(!lacks().await);
        db.execute("delete from second_factors", params![]).await.unwrap();
        assert!(lacks().await, "removed");
        let sql = "insert into passkeys \
                   (id, user_id, name, credential_id, transports, static_state, dynamic_state, added_at) \
                   values ('a', $1, 'Key', $2, 0, $2, $2, 1)";
        db.execute(sql, params![stored.user.id, vec![1_u8]]).await.unwrap();
        assert!(!lacks().await, "a passkey");
    }

    async fn only_sessions_of_the_user_are_found(db: Db) {
        let early = session(1, "2026-11-20T11:00:00Z");
        let late = session(2, "2026-11-20T12:00:00Z");
        let mut foreign = session(3, "2026-11-20T13:00:00Z");
        foreign.user.id = Uuid::from_u128(8);
        for stored in [&early, &late, &foreign] {
            insert(&db, stored, vec![]).await.unwrap();
        }
        let found = of_user(&db, early.user.id).await.unwrap();
        assert_eq!(found.into_iter().map(|it| it.hash).collect::<Vec<_>>(), [late.hash, early.hash]);
        assert!(of_user(&db, Uuid::nil()).await.unwrap().is_empty());
    }

    async fn only_expired_sessions_are_deleted(db: Db) {
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        let limits = SessionLimits::default();
        let (old, young) = (session(1, "2026-11-20T00:00:00Z"), session(2, "2026-11-20T12:00:00Z"));
        for stored in [&old, &young] {
            insert(&db, stored, vec![]).await.unwrap();
        }
        assert_eq!(delete_expired(&db, at("2026-11-20T18:00:00Z"), limits).await.unwrap(), 1);
        assert!(find(&db, &old.hash).await.unwrap().is_none());
        touch(&db, &young.hash, at("2026-11-27T12:00:00Z"), &ClientOrigin::default()).await.unwrap();
        assert_eq!(delete_expired(&db, at("2026-11-27T12:00:00Z"), limits).await.unwrap(), 0);
        let deleted = delete_expired(&db, at("2026-11-27T12:00:01Z"), limits).await.unwrap();
        assert_eq!(deleted, 1, "used recently, but older than the absolute limit");
    }

    async fn access_tokens_are_deleted_at_their_own_time(db: Db) {
        let at = |time: &str| time.parse::<Timestamp>().unwrap();
        let stored = program(1, "2026-11-20T00:00:00Z", "2027-02-20T00:00:00Z");
        insert(&db, &stored, vec![]).await.unwrap();
        let limits = SessionLimits::default();
        assert_eq!(delete_expired(&db, at("2027-02-19T23:59:59Z"), limits).await.unwrap(), 0);
        assert_eq!(delete_expired(&db, at("2027-02-20T00:00:00Z"), limits).await.unwrap(), 1);
    }

    platform::store_suite!(
        migrate = crate::migrations::migrate,
        tests = [
            stored_session_is_read_back,
            access_token_is_read_back,
            tokens_are_replaced_only_by_the_holder_of_the_claim,
            expired_claim_can_be_taken_over,
            access_of_an_ended_session_is_not_updated,
            access_read_before_its_invalidation_is_not_stored,
            version_grows_when_a_session_loses_access_and_not_when_it_is_used,
            session_lacks_a_factor_while_its_role_needs_one_that_is_not_set_up,
            only_sessions_of_the_user_are_found,
            only_expired_sessions_are_deleted,
            access_tokens_are_deleted_at_their_own_time,
        ]
    );
}
