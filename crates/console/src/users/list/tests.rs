//! The list on both databases.

use diffuser::Role;
use jiff::{SignedDuration, Timestamp};
use platform::db::params;
use platform::run::clock::Clock;
use uuid::Uuid;

use super::*;
use crate::index::CloudRead;
use crate::policy::session_hash::SessionHash;
use crate::users::index::write;
use crate::users::query::UserSort;
use crate::users::record::UserRecord;

const NOON: &str = "2026-11-20T12:00:00Z";

fn actor(role: Option<Role>, csp: Option<&str>) -> Actor {
    Actor { session: SessionHash::of(&[1; 32]), user: Uuid::nil(), role, csp: csp.map(str::to_owned) }
}

fn admin() -> Actor {
    actor(Some(Role::Admin), None)
}

fn person(number: u128, email: &str) -> UserRecord {
    UserRecord::named(Uuid::from_u128(number), email)
}

fn of(number: u128, role: Role, csp: &str) -> UserRecord {
    let csp = Some(csp.to_owned()).filter(|csp| !csp.is_empty());
    UserRecord { role: Some(role), csp, ..person(number, &format!("{number}@example.com")) }
}

async fn store(db: &Db, people: &[UserRecord]) {
    let clock = Clock::mock(NOON.parse().unwrap());
    write(db, &people.iter().collect::<Vec<_>>(), CloudRead::begin(&clock).end(&clock)).await.unwrap();
}

fn query(filter: UserFilter) -> UserQuery {
    UserQuery { page: 1, page_size: 25, order: SortOrder::Asc, sort: UserSort::CreatedAt, filter }
}

async fn found(db: &Db, actor: &Actor, query: &UserQuery) -> Vec<u128> {
    let page = list(db, actor, query).await.unwrap();
    page.users.into_iter().map(|person| person.record.id.as_u128()).collect()
}

async fn each_role_finds_only_people_in_its_scope(db: Db) {
    let nobodys = person(5, "5@example.com");
    store(&db, &[of(1, Role::Admin, ""), of(2, Role::CspAdmin, "North"), of(3, Role::CspTech, "North"), nobodys]).await;
    store(&db, &[of(4, Role::CspTech, "South")]).await;
    let (everybody, north) = (vec![1, 2, 3, 4, 5], vec![2, 3]);
    let rows = [
        (admin(), None, everybody.clone()),
        (admin(), Some("North"), north.clone()),
        (admin(), Some("north"), vec![]),
        (actor(Some(Role::Observer), None), None, everybody),
        (actor(Some(Role::Observer), None), Some("South"), vec![4]),
        (actor(Some(Role::CspAdmin), Some("North")), None, north.clone()),
        (actor(Some(Role::CspAdmin), Some("North")), Some("South"), north),
        (actor(Some(Role::CspObserver), Some("South")), None, vec![4]),
        (actor(Some(Role::CspAdmin), Some("%")), None, vec![]),
        (actor(Some(Role::CspAdmin), None), None, vec![]),
        (actor(None, Some("North")), None, vec![]),
    ];
    for (actor, csp, expected) in rows {
        let query = query(UserFilter { csp: csp.map(str::to_owned), ..UserFilter::default() });
        assert_eq!(found(&db, &actor, &query).await, expected, "{actor:?} {csp:?}");
    }
}

async fn pages_list_each_device_once_and_a_page_past_the_end_is_the_last(db: Db) {
    // All people have the same time, so only the tie-break separates the pages.
    let people: Vec<UserRecord> = (1..=12).map(|number| person(number, "")).collect();
    store(&db, &people).await;
    let mut seen = Vec::new();
    for page in 1..=3 {
        let query = UserQuery { page, page_size: 5, order: SortOrder::Desc, ..query(UserFilter::default()) };
        let answer = list(&db, &admin(), &query).await.unwrap();
        assert_eq!((answer.total, answer.number), (12, page));
        seen.extend(answer.users.into_iter().map(|person| person.record.id.as_u128()));
    }
    assert_eq!(seen, (1..=12).rev().collect::<Vec<_>>());
    let query = |page| UserQuery { page, page_size: 5, ..query(UserFilter::default()) };
    let beyond = list(&db, &admin(), &query(u64::MAX)).await.unwrap();
    assert_eq!((beyond.number, beyond.users.len()), (3, 2));
    let nobody = list(&db, &actor(None, None), &query(9)).await.unwrap();
    assert_eq!((nobody.number, nobody.total, nobody.users.len()), (1, 0, 0));
}

async fn every_column_sorts_in_both_directions_with_missing_values_first(db: Db) {
    let noon: Timestamp = NOON.parse().unwrap();
    let with = |number, text: &str, role, at| UserRecord {
        email: text.to_owned(),
        firstname: text.to_owned(),
        lastname: text.to_owned(),
        company: text.to_owned(),
        business_role: text.to_owned(),
        phone: text.to_owned(),
        csp: Some(text.to_owned()).filter(|text| !text.is_empty()),
        role,
        created_at: at,
        ..person(number, "")
    };
    let later = noon + SignedDuration::from_secs(1);
    // The numbers are in reverse order.
    store(
        &db,
        &[
            with(1, "c", Some(Role::CspTech), Some(later)),
            with(2, "B", Some(Role::Observer), Some(noon)),
            with(3, "", None, None),
        ],
    )
    .await;
    for name in ["created_at", "firstname", "lastname", "email", "company", "businessrole", "phone", "role"] {
        let sort = UserSort::from_name(name).unwrap();
        let ascending = UserQuery { sort, ..query(UserFilter::default()) };
        assert_eq!(found(&db, &admin(), &ascending).await, [3, 2, 1], "{name} asc");
        let descending = UserQuery { order: SortOrder::Desc, ..ascending };
        assert_eq!(found(&db, &admin(), &descending).await, [1, 2, 3], "{name} desc");
    }
    let by_csp = UserQuery { sort: UserSort::Csp, ..query(UserFilter::default()) };
    assert_eq!(found(&db, &admin(), &by_csp).await, [3, 2, 1], "by their exact names");
}

async fn people_are_sorted_by_their_last_sign_in_and_filtered_by_their_state(db: Db) {
    store(&db, &[person(1, "1"), person(2, "2"), person(3, "3"), person(4, "4")]).await;
    let noon: Timestamp = NOON.parse().unwrap();
    let later = noon + SignedDuration::from_secs(1);
    for (number, signed_in, disabled) in [(1, Some(later), None), (2, Some(noon), Some(later)), (3, None, Some(noon))] {
        let sql = "insert into account_states (user_id, last_sign_in_at, disabled_at) values ($1, $2, $3)";
        db.execute(sql, params![Uuid::from_u128(number), signed_in, disabled]).await.unwrap();
    }
    let ascending = UserQuery { sort: UserSort::LastSignIn, ..query(UserFilter::default()) };
    assert_eq!(found(&db, &admin(), &ascending).await, [3, 4, 2, 1], "those who never signed in come first");
    let descending = UserQuery { order: SortOrder::Desc, ..ascending.clone() };
    assert_eq!(found(&db, &admin(), &descending).await, [1, 2, 4, 3]);
    let mut scan = UserScan::new(admin(), ascending);
    let mut scanned = Vec::new();
    for _ in 0..4 {
        scanned.extend(scan.next(&db, 1).await.unwrap().into_iter().map(|person| person.record.id.as_u128()));
    }
    assert_eq!(scanned, [3, 4, 2, 1], "in a report");
    for (disabled, expected) in [(true, [2, 3]), (false, [1, 4])] {
        let filter = UserFilter { disabled: Some(disabled), ..UserFilter::default() };
        assert_eq!(found(&db, &admin(), &query(filter)).await, expected);
    }
}

async fn text_filters_match_a_prefix_or_any_part_and_other_filters_exactly(db: Db) {
    let mut people = vec![of(1, Role::CspTech, "North"), of(2, Role::CspAdmin, "North"), person(3, "3@example.com")];
    for (person, text) in people.iter_mut().zip(["Østberg", "Fröstå%", "b_r"]) {
        for field in [
            &mut person.email,
            &mut person.firstname,
            &mut person.lastname,
            &mut person.company,
            &mut person.business_role,
            &mut person.phone,
        ] {
            text.clone_into(field);
        }
    }
    people[1].confirmed = true;
    store(&db, &people).await;
    let fields: [fn(String) -> UserFilter; 6] = [
        |text| UserFilter { email: Some(text), ..UserFilter::default() },
        |text| UserFilter { firstname: Some(text), ..UserFilter::default() },
        |text| UserFilter { lastname: Some(text), ..UserFilter::default() },
        |text| UserFilter { company: Some(text), ..UserFilter::default() },
        |text| UserFilter { business_role: Some(text), ..UserFilter::default() },
        |text| UserFilter { phone: Some(text), ..UserFilter::default() },
    ];
    let rows: [(&str, &[u128]); 9] = [
        ("ø", &[1]),
        ("st", &[]),
        ("ÖST", &[1, 2]),
        ("BERG", &[1]),
        ("b_", &[3]),
        ("b_r", &[3]),
        ("tå%", &[2]),
        ("%", &[]),
        ("nobody", &[]),
    ];
    for (at, filter) in fields.into_iter().enumerate() {
        for (text, expected) in rows {
            assert_eq!(found(&db, &admin(), &query(filter(text.to_owned()))).await, expected, "field {at}: {text}");
        }
    }
    let by_role = |role: &str| UserFilter { role: Some(role.to_owned()), ..UserFilter::default() };
    assert_eq!(found(&db, &admin(), &query(by_role(Role::CspTech.name()))).await, [1]);
    assert!(found(&db, &admin(), &query(by_role(Role::Admin.name()))).await.is_empty());
    let by_confirmed = |confirmed| UserFilter { confirmed: Some(confirmed), ..UserFilter::default() };
    assert_eq!(found(&db, &admin(), &query(by_confirmed(true))).await, [2]);
    assert_eq!(found(&db, &admin(), &query(by_confirmed(false))).await, [1, 3]);
    let both = UserFilter { firstname: Some("berg".to_owned()), ..by_role(Role::CspAdmin.name()) };
    assert!(found(&db, &admin(), &query(both)).await.is_empty(), "all of them hold");
}

async fn scan_returns_the_whole_list_in_order(db: Db) {
    let role = |number| if number % 3 == 0 { Role::CspTech } else { Role::CspAdmin };
    let csp = |number| if number % 2 == 0 { "North" } else { "South" };
    let seconds = |number: u128| SignedDuration::from_secs(i64::try_from(number / 4).unwrap());
    let people: Vec<UserRecord> = (1..40)
        .map(|number| UserRecord {
            created_at: Some(NOON.parse::<Timestamp>().unwrap() + seconds(number)),
            ..of(number, role(number), csp(number))
        })
        .collect();
    store(&db, &people).await;
    let filter = UserFilter { role: Some(Role::CspTech.name().to_owned()), ..UserFilter::default() };
    for actor in [admin(), actor(Some(Role::CspAdmin), Some("North")), actor(None, None)] {
        for sort in [UserSort::CreatedAt, UserSort::Email, UserSort::Company, UserSort::Csp, UserSort::Role] {
            for (order, filter) in [(SortOrder::Asc, UserFilter::default()), (SortOrder::Desc, filter.clone())] {
                let query = UserQuery { page_size: 100, order, sort, ..query(filter) };
                let whole = found(&db, &actor, &query).await;
                for limit in [1, 7, 100] {
                    let (mut scan, mut scanned) = (UserScan::new(actor.clone(), query.clone()), Vec::new());
                    loop {
                        let page = scan.next(&db, limit).await.unwrap();
                        let is_last = (page.len() as u64) < limit;
                        scanned.extend(page.into_iter().map(|person| person.record.id.as_u128()));
                        if is_last {
                            break;
                        }
                    }
                    assert_eq!(scanned, whole, "{sort:?} {order:?} {limit}");
                }
            }
        }
    }
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        scan_returns_the_whole_list_in_order,
        people_are_sorted_by_their_last_sign_in_and_filtered_by_their_state,
        each_role_finds_only_people_in_its_scope,
        pages_list_each_device_once_and_a_page_past_the_end_is_the_last,
        every_column_sorts_in_both_directions_with_missing_values_first,
        text_filters_match_a_prefix_or_any_part_and_other_filters_exactly,
    ]
);
