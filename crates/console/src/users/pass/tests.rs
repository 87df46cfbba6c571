//! The pass over people on both databases, with changes during its reads.

use std::collections::{BTreeMap, HashMap};

use devicecloud::{Error, ErrorKind};
use jiff::SignedDuration;
use platform::bus::Bus;
use platform::db::{Db, params};
use platform::nodes::lease;
use platform::run::clock::Clock;
use platform::run::random::Random;

use super::*;

/// A change between the response of the cloud and its arrival.
enum ConcurrentChange {
    Nothing,
    /// A person is changed in the cloud, and by the author of the change in the index.
    Changed(Box<UserRecord>),
    /// A person is removed from both.
    Removed(Uuid),
    /// Another node takes the lease.
    LeaseTaken,
}

/// A directory in memory.
struct People<'a> {
    base: &'a Base,
    cloud: BTreeMap<Uuid, UserRecord>,
    meanwhile: ConcurrentChange,
    /// The list omits the roles.
    without_roles: bool,
    /// Reads of single people fail.
    broken: bool,
}

impl<'a> People<'a> {
    fn new(base: &'a Base, people: &[UserRecord]) -> Self {
        let cloud = people.iter().map(|person| (person.id, person.clone())).collect();
        Self { base, cloud, meanwhile: ConcurrentChange::Nothing, without_roles: false, broken: false }
    }
}

impl Directory for People<'_> {
    async fn list(&mut self) -> devicecloud::Result<HashMap<Uuid, Option<UserRecord>>> {
        let listed = |record: &UserRecord| (!self.without_roles).then(|| record.clone());
        let list = self.cloud.iter().map(|(id, record)| (*id, listed(record))).collect();
        let (db, clock) = (&self.base.db, &self.base.clock);
        clock.advance(SignedDuration::from_secs(1));
        match std::mem::replace(&mut self.meanwhile, ConcurrentChange::Nothing) {
            ConcurrentChange::Nothing => {}
            ConcurrentChange::Changed(record) => {
                index_user(db, &record, CloudRead::begin(clock).end(clock)).await.unwrap();
                self.cloud.insert(record.id, *record);
            }
            ConcurrentChange::Removed(id) => {
                self.cloud.remove(&id);
                remove(db, id, clock.now()).await.unwrap();
            }
            ConcurrentChange::LeaseTaken => {
                let mut tx = db.begin().await.unwrap();
                lease::revoke(&mut tx, index::LEASE).await.unwrap();
                tx.commit().await.unwrap();
                clock.advance(lease::LIFETIME);
            }
        }
        clock.advance(SignedDuration::from_secs(1));
        Ok(list)
    }

    async fn one(&mut self, id: Uuid) -> devicecloud::Result<Option<UserRecord>> {
        if self.broken {
            Err(Error::new(ErrorKind::Network, "nobody answers"))
        } else {
            Ok(self.cloud.get(&id).cloned())
        }
    }
}

fn base(db: Db) -> Base {
    let clock = Clock::mock("2026-11-20T12:00:00Z".parse().unwrap());
    Base { db, bus: Bus::in_process(), clock, random: Random::seeded(7) }
}

fn person(number: u128, lastname: &str, csp: &str) -> UserRecord {
    let somebody = UserRecord::named(Uuid::from_u128(number), "jo@example.com");
    UserRecord { lastname: lastname.to_owned(), csp: Some(csp.to_owned()).filter(|csp| !csp.is_empty()), ..somebody }
}

async fn pass(base: &Base, people: People<'_>) -> Result<UserPassReport, PassError> {
    let lease = Lease::new(base.db.clone(), base.clock.clone(), index::LEASE, "this node".to_owned());
    assert!(lease.take().await.unwrap());
    run(base, people, &lease).await
}

async fn indexed(base: &Base) -> Vec<UserRecord> {
    let mut people: Vec<UserRecord> = load_all(&base.db).await.unwrap().into_values().collect();
    people.sort_by_key(|person| person.id);
    people
}

fn lastnames(people: &[UserRecord]) -> Vec<&str> {
    people.iter().map(|person| person.lastname.as_str()).collect()
}

async fn stamps(base: &Base) -> Vec<(i64,)> {
    base.db.fetch_all("select synced_at from idx_users order by id", params![]).await.unwrap()
}

async fn pass_adds_updates_and_removes_people(db: Db) {
    let base = base(db);
    assert_eq!(index::people_as_of(&base.db).await.unwrap(), None);
    let (jo, kim) = (person(1, "Moss", "North"), person(2, "Berg", ""));
    let began = base.clock.now();
    let report = pass(&base, People::new(&base, &[jo.clone(), kim.clone()])).await.unwrap();
    assert_eq!(report, UserPassReport { people: 2, read_again: 0 });
    assert!(indexed(&base).await == [jo, kim.clone()]);
    assert_eq!(index::people_as_of(&base.db).await.unwrap(), Some(began));

    let (jo, lee) = (person(1, "Moss-Berg", "South"), person(3, "Lind", ""));
    let report = pass(&base, People::new(&base, &[jo.clone(), lee.clone()])).await.unwrap();
    assert_eq!(report, UserPassReport { people: 2, read_again: 1 });
    assert!(indexed(&base).await == [jo, lee]);
    let csps: Vec<(String,)> = base.db.fetch_all("select name from csps order by name", params![]).await.unwrap();
    assert_eq!(csps, [("North".to_owned(),), ("South".to_owned(),)], "partners that had not been added");
}

async fn unchanged_person_is_not_written_again(db: Db) {
    let base = base(db);
    let people = [person(1, "Moss", "North"), person(2, "Berg", "")];
    pass(&base, People::new(&base, &people)).await.unwrap();
    let before = stamps(&base).await;
    pass(&base, People::new(&base, &people)).await.unwrap();
    assert_eq!(stamps(&base).await, before);
}

async fn older_read_does_not_overwrite_a_newer_row(db: Db) {
    let base = base(db);
    pass(&base, People::new(&base, &[person(1, "Older", "")])).await.unwrap();
    let meanwhile = ConcurrentChange::Changed(Box::new(person(1, "Newer", "")));
    // The cloud returns a third value, which differs from both versions of the row.
    let people = People { meanwhile, ..People::new(&base, &[person(1, "Old", "")]) };
    assert_eq!(pass(&base, people).await.unwrap().read_again, 1);
    assert_eq!(lastnames(&indexed(&base).await), ["Newer"]);
}

async fn person_added_or_removed_during_a_pass_is_kept(db: Db) {
    let base = base(db);
    let (jo, kim) = (person(1, "Moss", ""), person(2, "Berg", ""));
    let people = People {
        meanwhile: ConcurrentChange::Changed(Box::new(kim.clone())),
        ..People::new(&base, std::slice::from_ref(&jo))
    };
    pass(&base, people).await.unwrap();
    assert!(indexed(&base).await == [jo.clone(), kim.clone()]);
    let people = People { meanwhile: ConcurrentChange::Removed(jo.id), ..People::new(&base, &[jo, kim.clone()]) };
    pass(&base, people).await.unwrap();
    assert!(indexed(&base).await == [kim]);
}

async fn person_missing_from_the_list_is_kept_if_the_cloud_still_has_them(db: Db) {
    struct EmptyList<'a>(People<'a>);
    impl Directory for EmptyList<'_> {
        async fn list(&mut self) -> devicecloud::Result<HashMap<Uuid, Option<UserRecord>>> {
            Ok(HashMap::new())
        }
        async fn one(&mut self, id: Uuid) -> devicecloud::Result<Option<UserRecord>> {
            self.0.one(id).await
        }
    }
    let base = base(db);
    let jo = person(1, "Moss", "");
    pass(&base, People::new(&base, std::slice::from_ref(&jo))).await.unwrap();
    let lease = Lease::new(base.db.clone(), base.clock.clone(), index::LEASE, "this node".to_owned());
    assert!(lease.take().await.unwrap());
    run(&base, EmptyList(People::new(&base, std::slice::from_ref(&jo))), &lease).await.unwrap();
    assert!(indexed(&base).await == [jo]);
}

async fn time_of_the_list_waits_for_a_person_who_changes_during_every_read(db: Db) {
    struct Changing<'a>(People<'a>);
    impl Directory for Changing<'_> {
        async fn list(&mut self) -> devicecloud::Result<HashMap<Uuid, Option<UserRecord>>> {
            self.0.list().await
        }
        async fn one(&mut self, id: Uuid) -> devicecloud::Result<Option<UserRecord>> {
            let found = self.0.one(id).await?;
            let Base { db, clock, .. } = self.0.base;
            clock.advance(SignedDuration::from_secs(1));
            let newer = person(1, &clock.now().to_string(), "");
            index_user(db, &newer, CloudRead::begin(clock).end(clock)).await.unwrap();
            Ok(found)
        }
    }
    let base = base(db);
    let jo = person(1, "Moss", "");
    let people = People { without_roles: true, ..People::new(&base, std::slice::from_ref(&jo)) };
    let lease = Lease::new(base.db.clone(), base.clock.clone(), index::LEASE, "this node".to_owned());
    assert!(lease.take().await.unwrap());
    run(&base, Changing(people), &lease).await.unwrap();
    assert_eq!(index::people_as_of(&base.db).await.unwrap(), None);
    pass(&base, People::new(&base, &[jo])).await.unwrap();
    assert!(index::people_as_of(&base.db).await.unwrap().is_some());
}

async fn people_listed_without_roles_are_read_one_by_one(db: Db) {
    let base = base(db);
    let all = [person(1, "Moss", "North"), person(2, "Berg", "")];
    let report = pass(&base, People { without_roles: true, ..People::new(&base, &all) }).await.unwrap();
    assert_eq!(report, UserPassReport { people: 2, read_again: 2 });
    assert!(indexed(&base).await == all);
}

async fn interrupted_pass_is_not_complete_and_the_next_one_is(db: Db) {
    let base = base(db);
    let all = [person(1, "Moss", ""), person(2, "Berg", "")];
    let broken = People { without_roles: true, broken: true, ..People::new(&base, &all) };
    assert!(matches!(pass(&base, broken).await, Err(PassError::Cloud(_))));
    assert_eq!(index::people_as_of(&base.db).await.unwrap(), None);
    pass(&base, People::new(&base, &all)).await.unwrap();
    assert!(indexed(&base).await == all);
}

async fn pass_without_the_lease_writes_nothing(db: Db) {
    let base = base(db);
    let people = People { meanwhile: ConcurrentChange::LeaseTaken, ..People::new(&base, &[person(1, "Moss", "")]) };
    assert!(matches!(pass(&base, people).await, Err(PassError::LeaseLost)));
    assert!(indexed(&base).await.is_empty());
    assert_eq!(index::people_as_of(&base.db).await.unwrap(), None);
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        pass_adds_updates_and_removes_people,
        unchanged_person_is_not_written_again,
        older_read_does_not_overwrite_a_newer_row,
        person_added_or_removed_during_a_pass_is_kept,
        person_missing_from_the_list_is_kept_if_the_cloud_still_has_them,
        time_of_the_list_waits_for_a_person_who_changes_during_every_read,
        people_listed_without_roles_are_read_one_by_one,
        interrupted_pass_is_not_complete_and_the_next_one_is,
        pass_without_the_lease_writes_nothing,
    ]
);
