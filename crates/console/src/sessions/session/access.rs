//! Reads a user's role, and the CSP that the role is bound to, from the cloud.

use diffuser::{PARTNER_LABEL_KEY, Role};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{Session, SessionHash, Sessions, User, store};
use crate::events::notices::{self, EndReason};
use crate::http::error::{ApiError, ApiResult, CloudFailure};

/// An older role is read again before it grants anything.
pub(super) const MAX_AGE: SignedDuration = SignedDuration::from_secs(60);

impl Sessions {
    /// Returns the session with a role that is recent enough for permission checks.
    ///
    /// # Errors
    /// `NotSignedIn` when the cloud no longer knows the user; 502 or 504 when the cloud is unreachable.
    pub(crate) async fn with_fresh_access(&self, session: Session) -> ApiResult<Session> {
        if self.is_fresh(session.access_read_at) { Ok(session) } else { self.refresh_access(session).await }
    }

    /// As [`with_fresh_access`](Self::with_fresh_access), but falls back to the last known role while the cloud is
    /// unreachable; `None` when the session has ended. For display only, never for permission checks.
    pub(crate) async fn with_latest_known_access(&self, session: Session) -> ApiResult<Option<Session>> {
        match self.with_fresh_access(session.clone()).await {
            Ok(fresh) => Ok(Some(fresh)),
            Err(ApiError::NotSignedIn) => Ok(None),
            Err(ApiError::Cloud(_) | ApiError::TooManyRequests { .. }) => Ok(Some(session)),
            Err(error) => Err(error),
        }
    }

    /// Whether access that was read at this instant is recent enough for permission checks.
    pub(crate) fn is_fresh(&self, access_read_at: Timestamp) -> bool {
        self.parts.base.clock.now().duration_since(access_read_at) <= MAX_AGE
    }

    /// As [`with_fresh_access`](Self::with_fresh_access), by hash. The session does not count as used.
    pub(crate) async fn fresh_by_hash(&self, hash: &SessionHash) -> ApiResult<Session> {
        let session = self.find_by_hash(hash).await?.ok_or(ApiError::NotSignedIn)?;
        self.with_fresh_access(session).await
    }

    /// Reads the access from the cloud with the user's own token. Concurrent requests that saw the same `access_read_at` share
    /// one read; a request that saw a later invalidation starts its own.
    pub(crate) async fn refresh_access(&self, mut session: Session) -> ApiResult<Session> {
        loop {
            let (sessions, before) = (self.clone(), session.clone());
            let key = (session.hash.clone(), session.access_read_at);
            if let Some(read) =
                self.access_reads.join(key, || async move { sessions.read_access(before).await }).await?
            {
                return Ok(read);
            }
            session = store::find(&self.parts.base.db, &session.hash).await?.ok_or(ApiError::NotSignedIn)?;
        }
    }

    /// `None` when the row changed or the session ended during the read, so that the result may be outdated.
    async fn read_access(&self, before: Session) -> ApiResult<Option<Session>> {
        let access_read_at = self.parts.base.clock.now();
        let profile = match self.cloud(&before.hash).users().profile().await.map_err(ApiError::from) {
            // A user who may not read their own profile no longer exists in the cloud.
            Err(ApiError::NotSignedIn | ApiError::Forbidden | ApiError::NotFound) => {
                self.end(&before.hash).await?;
                return Err(ApiError::NotSignedIn);
            }
            profile => profile?,
        };
        let (role, csp) = access(&profile);
        let after = Session { user: user(&profile)?, role, csp, access_read_at, ..before.clone() };
        if !store::update_access(&self.parts.base.db, &before, &after).await? {
            return Ok(None);
        }
        if after.actor() == before.actor() {
            return Ok(Some(after));
        }
        notices::session(&self.parts.base.bus, &after.hash, EndReason::AccessChanged);
        // Another role may need a second factor.
        store::find(&self.parts.base.db, &after.hash).await?.ok_or(ApiError::NotSignedIn).map(Some)
    }
}

/// The user of a profile.
pub(super) fn user(profile: &devicecloud::User) -> ApiResult<User> {
    Ok(User {
        id: Uuid::parse_str(profile.uuid.as_str()).map_err(|_| CloudFailure::Unreachable)?,
        email: profile.email.clone(),
        firstname: profile.firstname.clone().unwrap_or_default(),
        lastname: profile.lastname.clone().unwrap_or_default(),
    })
}

/// The effective role, and its CSP.
pub(crate) fn access(profile: &devicecloud::User) -> (Option<Role>, Option<String>) {
    let tags: Vec<Tag<'_>> = profile
        .role_tags
        .iter()
        .filter_map(|tag| Some(Tag { role: Role::from_name(&tag.namespace)?, key: &tag.key, value: &tag.value }))
        .collect();
    effective(profile.role.as_deref(), &tags)
}

/// As [`access`], for a cloud whose user records do not contain roles.
pub(crate) fn access_by_role_users(role_users: &[devicecloud::RoleUser]) -> (Option<Role>, Option<String>) {
    let tags: Vec<Tag<'_>> = role_users
        .iter()
        .filter_map(|role_user| {
            let (key, value) = role_user.label.as_ref().map_or(("", ""), |label| (&*label.key, &*label.value));
            Some(Tag { role: Role::from_name(&role_user.role)?, key, value })
        })
        .collect();
    effective(None, &tags)
}

#[derive(Clone, Copy)]
struct Tag<'a> {
    role: Role,
    key: &'a str,
    value: &'a str,
}

/// If tags name several roles, the first in the order of [`Role::ALL`] counts; otherwise the role name does. A CSP role
/// without its label has no CSP, and so sees nothing.
fn effective(role: Option<&str>, tags: &[Tag<'_>]) -> (Option<Role>, Option<String>) {
    let mut tagged = Role::ALL.into_iter().filter(|role| tags.iter().any(|tag| tag.role == *role));
    let role = match (tagged.next(), tagged.next(), role.and_then(Role::from_name)) {
        (Some(first), Some(_), _) => Some(first),
        (only, None, None) => only,
        (_, _, named) => named,
    };
    let label = tags.iter().find(|tag| Some(tag.role) == role && tag.key == PARTNER_LABEL_KEY);
    let csp = label.map(|tag| tag.value.to_owned()).filter(|csp| !csp.is_empty());
    (role, csp.filter(|_| role.is_some_and(Role::is_csp_scoped)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tag<'a>(role: Role, value: &'a str) -> Tag<'a> {
        Tag { role, key: PARTNER_LABEL_KEY, value }
    }

    type Row<'a> = (Option<&'a str>, &'a [Tag<'a>], Option<Role>, Option<&'a str>);

    #[test]
    fn role_name_decides_unless_tags_name_several_roles() {
        let north = tag(Role::CspAdmin, "North");
        let rows: [Row<'_>; 10] = [
            (Some("OEM::Admin"), &[], Some(Role::Admin), None),
            (Some(Role::CspAdmin.name()), &[north], Some(Role::CspAdmin), Some("North")),
            (Some(Role::CspAdmin.name()), &[], Some(Role::CspAdmin), None),
            (Some(Role::CspAdmin.name()), &[tag(Role::CspAdmin, "")], Some(Role::CspAdmin), None),
            (Some(Role::CspTech.name()), &[north], Some(Role::CspTech), None),
            (Some(Role::CspTech.name()), &[tag(Role::CspTech, "South"), north], Some(Role::CspAdmin), Some("North")),
            (Some(Role::CspTech.name()), &[tag(Role::Observer, ""), north], Some(Role::Observer), None),
            (None, &[north], Some(Role::CspAdmin), Some("North")),
            (Some("EndUser"), &[], None, None),
            (None, &[], None, None),
        ];
        for (role, tags, expected_role, csp) in rows {
            assert_eq!(effective(role, tags), (expected_role, csp.map(str::to_owned)), "{role:?}, {} tags", tags.len());
        }
    }

    #[test]
    fn label_with_another_key_grants_no_csp() {
        let other = Tag { role: Role::CspTech, key: "region", value: "North" };
        assert_eq!(effective(Some(Role::CspTech.name()), &[other]), (Some(Role::CspTech), None));
    }
}
