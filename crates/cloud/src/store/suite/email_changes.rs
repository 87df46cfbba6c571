//! Changes of the own address.

use jiff::SignedDuration;
use platform::db::{Db, params};
use platform::store_suite;

use super::{Node, node};
use crate::background;
use crate::domain::principal::Principal;
use crate::people::{Owner, People, PersonError};
use crate::store::{roles, sessions};
use crate::testing::{PASSWORD, World};

const NEW: &str = "jo.new@example.com";
const OTHER: &str = "other@example.com";
const LIFETIME: SignedDuration = SignedDuration::from_hours(7 * 24);

struct Fixture {
    node: Node,
    people: People,
    caller: Principal,
}

async fn fixture(db: Db) -> Fixture {
    let node = node(db).await;
    let (people, caller) = (node.people(), principal(&node, World::END_USER).await);
    Fixture { node, people, caller }
}

async fn principal(node: &Node, email: &str) -> Principal {
    roles::principal(&node.db, node.user_id(email).await).await.unwrap().unwrap()
}

impl Fixture {
    /// Requests a change that must be confirmed. Returns its confirmation and cancellation tokens.
    async fn request(&self, email: &str) -> [String; 2] {
        self.people.change_email(&self.caller, email, None).await.unwrap();
        [self.token("email_confirmation").await, self.token("email_change_requested").await]
    }

    /// The token of the newest mail of this kind.
    async fn token(&self, kind: &str) -> String {
        self.tokens(kind).await.pop().unwrap()
    }

    /// The tokens of the mails of this kind, oldest first.
    async fn tokens(&self, kind: &str) -> Vec<String> {
        let sql = "select link from outbox where kind = $1 and link is not null order by id";
        let links: Vec<(String,)> = self.node.db.fetch_all(sql, params![kind]).await.unwrap();
        links.iter().map(|(link,)| link.split_once("?token=").unwrap().1.to_owned()).collect()
    }

    /// The kind and recipient of each mail.
    async fn mails(&self) -> Vec<(String, String)> {
        self.node.db.fetch_all("select kind, recipient from outbox order by id", params![]).await.unwrap()
    }

    async fn email(&self) -> String {
        let sql = "select email from users where id = $1";
        self.node.db.fetch_one::<(String,)>(sql, params![self.caller.user_id]).await.unwrap().0
    }

    async fn open_session(&self) {
        let tokens = sessions::Tokens { access: self.people.random.hex(16), refresh: self.people.random.hex(16) };
        let now = self.node.clock.now();
        sessions::open(&self.node.db, self.caller.user_id, &tokens, now, now + LIFETIME).await.unwrap();
    }

    async fn count(&self, sql: &'static str) -> i64 {
        self.node.db.fetch_one::<(i64,)>(sql, params![]).await.unwrap().0
    }

    async fn sessions(&self) -> i64 {
        self.count("select count(*) from session").await
    }

    async fn is_confirmed_by(&self, token: &str) -> bool {
        match self.people.confirm(token, Owner::SignedIn(self.caller.user_id)).await {
            Ok(_) => true,
            Err(PersonError::InvalidConfirmationToken) => false,
            Err(error) => panic!("{error}"),
        }
    }

    async fn is_cancelled_by(&self, token: &str) -> bool {
        match self.people.cancel_email_change(token).await {
            Ok(_) => true,
            Err(PersonError::InvalidCancellationToken) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

async fn new_address_takes_effect_when_it_is_confirmed(db: Db) {
    let fixture = fixture(db).await;
    fixture.open_session().await;
    let [confirmation, _] = fixture.request("Jo.New@Example.com").await;
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (World::END_USER, 1));
    assert!(fixture.is_confirmed_by(&confirmation).await);
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (NEW, 0));
    assert!(!fixture.is_confirmed_by(&confirmation).await, "used");
    let mails = fixture.mails().await;
    let mails: Vec<_> = mails.iter().map(|(kind, recipient)| (&**kind, &**recipient)).collect();
    assert_eq!(
        mails,
        [
            ("email_change_requested", World::END_USER),
            ("email_confirmation", "Jo.New@Example.com"),
            ("email_changed", World::END_USER),
            ("email_changed", NEW)
        ]
    );
}

async fn link_to_a_new_address_is_not_enough(db: Db) {
    let fixture = fixture(db).await;
    fixture.open_session().await;
    let [confirmation, _] = fixture.request(NEW).await;
    let observer = principal(&fixture.node, World::OBSERVER).await;
    for owner in [Owner::Unproven, Owner::SignedIn(observer.user_id)] {
        let refused = fixture.people.confirm(&confirmation, owner).await;
        assert!(matches!(refused, Err(PersonError::PasswordMissing)));
    }
    let refused = fixture.people.confirm(&confirmation, Owner::Password("wrong".into())).await;
    assert!(matches!(refused, Err(PersonError::WrongPassword)));
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (World::END_USER, 1));
    fixture.people.confirm(&confirmation, Owner::Password(PASSWORD.into())).await.unwrap();
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (NEW, 0));
}

async fn current_password_changes_the_address_immediately(db: Db) {
    let fixture = fixture(db).await;
    fixture.open_session().await;
    let wrong = fixture.people.change_email(&fixture.caller, NEW, Some("wrong".into())).await;
    assert!(matches!(wrong, Err(PersonError::WrongPassword)));
    assert_eq!(
        (&*fixture.email().await, fixture.mails().await.len(), fixture.sessions().await),
        (World::END_USER, 0, 1)
    );
    fixture.people.change_email(&fixture.caller, NEW, Some(PASSWORD.into())).await.unwrap();
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (NEW, 0));
    let cancellations = fixture.tokens("email_changed").await;
    assert_eq!(cancellations.len(), 1, "only the old address can cancel");
    assert!(fixture.is_cancelled_by(&cancellations[0]).await);
    assert_eq!(fixture.email().await, World::END_USER);
}

async fn links_expire_after_seven_days_and_changes_are_deleted(db: Db) {
    let fixture = fixture(db).await;
    let [first, _] = fixture.request(NEW).await;
    fixture.node.clock.advance(LIFETIME - SignedDuration::from_secs(1));
    assert!(fixture.is_confirmed_by(&first).await);
    let [confirmation, cancellation] = fixture.request(OTHER).await;
    fixture.node.clock.advance(LIFETIME);
    assert!(!fixture.is_confirmed_by(&confirmation).await);
    assert!(!fixture.is_cancelled_by(&cancellation).await);
    assert_eq!(fixture.email().await, NEW);
    background::retention::clear(&fixture.node.db, fixture.node.clock.now(), super::SESSIONS).await.unwrap();
    assert_eq!(fixture.count("select count(*) from email_change").await, 0);
}

async fn cancellation_before_confirmation_keeps_the_address_and_ends_sessions(db: Db) {
    let fixture = fixture(db).await;
    fixture.open_session().await;
    let [confirmation, cancellation] = fixture.request(NEW).await;
    assert!(!fixture.is_cancelled_by(&confirmation).await, "a confirmation token cannot cancel");
    assert!(!fixture.is_confirmed_by(&cancellation).await, "a cancellation token cannot confirm");
    assert!(fixture.is_cancelled_by(&cancellation).await);
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (World::END_USER, 0));
    assert!(!fixture.is_confirmed_by(&confirmation).await, "cancelled");
    assert!(!fixture.is_cancelled_by(&cancellation).await, "used");
}

async fn cancellation_after_confirmation_restores_the_address_and_ends_sessions(db: Db) {
    let fixture = fixture(db).await;
    let [confirmation, cancellation] = fixture.request(NEW).await;
    assert!(fixture.is_confirmed_by(&confirmation).await);
    fixture.open_session().await;
    assert!(fixture.is_cancelled_by(&cancellation).await);
    assert_eq!((&*fixture.email().await, fixture.sessions().await), (World::END_USER, 0));
}

async fn cancellation_undoes_later_changes_too(db: Db) {
    let fixture = fixture(db).await;
    let [first, cancel_first] = fixture.request(NEW).await;
    assert!(fixture.is_confirmed_by(&first).await);
    let [second, cancel_second] = fixture.request(OTHER).await;
    assert!(fixture.is_confirmed_by(&second).await);
    assert_eq!(fixture.email().await, OTHER);
    assert!(fixture.is_cancelled_by(&cancel_first).await);
    assert_eq!(fixture.email().await, World::END_USER);
    assert!(!fixture.is_cancelled_by(&cancel_second).await);
}

async fn newer_request_replaces_an_unconfirmed_one(db: Db) {
    let fixture = fixture(db).await;
    let [first, cancel_first] = fixture.request(NEW).await;
    let [second, _] = fixture.request(OTHER).await;
    assert!(!fixture.is_confirmed_by(&first).await);
    assert!(fixture.is_confirmed_by(&second).await);
    assert_eq!(fixture.email().await, OTHER);
    assert!(fixture.is_cancelled_by(&cancel_first).await);
    assert_eq!(fixture.email().await, World::END_USER);
}

async fn one_of_two_concurrent_requests_can_be_confirmed(db: Db) {
    let fixture = fixture(db).await;
    let request = |email| fixture.people.change_email(&fixture.caller, email, None);
    let (one, other) = tokio::join!(request(NEW), request(OTHER));
    assert!(one.is_ok() && other.is_ok());
    let tokens = fixture.tokens("email_confirmation").await;
    let (one, other) = tokio::join!(fixture.is_confirmed_by(&tokens[0]), fixture.is_confirmed_by(&tokens[1]));
    assert!(one ^ other);
}

async fn cancellation_wins_over_a_concurrent_confirmation(db: Db) {
    let fixture = fixture(db).await;
    let [confirmation, cancellation] = fixture.request(NEW).await;
    let (_, cancelled) = tokio::join!(fixture.is_confirmed_by(&confirmation), fixture.is_cancelled_by(&cancellation));
    assert!(cancelled);
    assert_eq!(fixture.email().await, World::END_USER);
}

async fn address_taken_meanwhile_cannot_be_confirmed_or_restored(db: Db) {
    let fixture = fixture(db).await;
    let [confirmation, cancellation] = fixture.request(NEW).await;
    let observer = principal(&fixture.node, World::OBSERVER).await;
    fixture.people.change_email(&observer, NEW, Some(PASSWORD.into())).await.unwrap();
    let owner = Owner::SignedIn(fixture.caller.user_id);
    assert!(matches!(fixture.people.confirm(&confirmation, owner).await, Err(PersonError::EmailTaken)));
    assert_eq!(fixture.email().await, World::END_USER);
    let [confirmation, _] = fixture.request(OTHER).await;
    assert!(fixture.is_confirmed_by(&confirmation).await);
    let observer = principal(&fixture.node, NEW).await;
    fixture.people.change_email(&observer, World::END_USER, Some(PASSWORD.into())).await.unwrap();
    let restored = fixture.people.cancel_email_change(&cancellation).await;
    assert!(matches!(restored, Err(PersonError::EmailTaken)));
    assert_eq!(fixture.email().await, OTHER);
}

async fn changed_password_revokes_an_unconfirmed_address(db: Db) {
    let fixture = fixture(db).await;
    let [confirmation, cancellation] = fixture.request(NEW).await;
    let user_id = fixture.caller.user_id;
    fixture.people.change_password(user_id, "", PASSWORD.into(), "Battery-Staple-2".into()).await.unwrap();
    assert!(!fixture.is_confirmed_by(&confirmation).await);
    assert!(fixture.is_cancelled_by(&cancellation).await);
}

async fn tokens_are_stored_as_digests_and_deleted_with_their_user(db: Db) {
    let fixture = fixture(db).await;
    let tokens = fixture.request(NEW).await;
    let sql = "select confirmation_hash, cancellation_hash from email_change";
    let (confirmation, cancellation): (String, String) = fixture.node.db.fetch_one(sql, params![]).await.unwrap();
    assert!(tokens.iter().all(|token| !confirmation.contains(token) && !cancellation.contains(token)));
    fixture.node.db.execute("delete from users where id = $1", params![fixture.caller.user_id]).await.unwrap();
    assert_eq!(fixture.count("select count(*) from email_change").await, 0);
}

store_suite!(
    migrate = crate::store::tests::migrated,
    tests = [
        new_address_takes_effect_when_it_is_confirmed,
        link_to_a_new_address_is_not_enough,
        current_password_changes_the_address_immediately,
        links_expire_after_seven_days_and_changes_are_deleted,
        cancellation_before_confirmation_keeps_the_address_and_ends_sessions,
        cancellation_after_confirmation_restores_the_address_and_ends_sessions,
        cancellation_undoes_later_changes_too,
        newer_request_replaces_an_unconfirmed_one,
        one_of_two_concurrent_requests_can_be_confirmed,
        cancellation_wins_over_a_concurrent_confirmation,
        address_taken_meanwhile_cannot_be_confirmed_or_restored,
        changed_password_revokes_an_unconfirmed_address,
        tokens_are_stored_as_digests_and_deleted_with_their_user,
    ]
);
