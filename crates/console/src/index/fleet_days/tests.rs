//! The sums of the fleet on both databases.

use std::slice;

use jiff::{SignedDuration, Timestamp};
use platform::db::Db;

use super::samples::SampleTimes;
use super::*;

/// A Friday.
const NOON: &str = "2026-11-20T12:00:00Z";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The beginning of a day of November.
fn day(number: u8) -> Timestamp {
    at(&format!("2026-11-{number:02}T00:00:00Z"))
}

/// A device that used 5 mL on each day from the 15th to the 19th.
fn device(dsn: &str, customer: &str) -> DeviceDays {
    DeviceDays {
        dsn: dsn.to_owned(),
        csp: "North".to_owned(),
        customer: customer.to_owned(),
        store_number: "7".to_owned(),
        city: "Oslo".to_owned(),
        fragrance: "Fig".to_owned(),
        used_ml: (15..=19).map(|number| (day(number), 5.0)).collect(),
        refills: vec![at("2026-11-18T09:30:00Z")],
        last_reading: Some(at("2026-11-20T11:00:00Z")),
        past: Vec::new(),
    }
}

async fn add(db: &Db, devices: &[DeviceDays]) {
    let mut tx = db.begin().await.unwrap();
    add_device_days(&mut tx, devices, at(NOON)).await.unwrap();
    tx.commit().await.unwrap();
}

fn selection(csp: Option<&str>, group: Option<(Dimension, &str)>) -> DaySelection {
    DaySelection {
        csp: csp.map(str::to_owned),
        group: group.map(|(dimension, value)| (dimension, value.to_owned())),
        from: day(1),
        until: day(21),
    }
}

/// The use in mL and the refills of the days on which there is something.
async fn used(db: &Db, csp: Option<&str>, group: (Dimension, &str)) -> Vec<(i8, f64, i64)> {
    let found = days(db, &selection(csp, Some(group))).await.unwrap();
    let of_day =
        |(day, sums): (Timestamp, DaySums)| (day.to_zoned(jiff::tz::TimeZone::UTC).day(), sums.used_ml, sums.refills);
    found.into_iter().map(of_day).collect()
}

fn sample(dimension: Dimension, value: &str, csp: &str, [devices, online]: [i64; 2]) -> GroupSample {
    let (value, csp) = (value.to_owned(), csp.to_owned());
    GroupSample { dimension, value, csp, devices, online, levels: [0, 1, 0, devices - 1] }
}

async fn use_is_added_once_to_each_group(db: Db) {
    let expected = [(15, 5.0, 0), (16, 5.0, 0), (17, 5.0, 0), (18, 5.0, 1), (19, 5.0, 0)];
    for _ in 0..2 {
        add(&db, &[device("A", "Hotel")]).await;
        for group in [(Dimension::All, ""), (Dimension::Customer, "Hotel"), (Dimension::Fragrance, "Fig")] {
            assert_eq!(used(&db, None, group).await, expected, "{group:?}");
        }
    }
    // The next day, with a customer who took it over.
    let later = DeviceDays {
        used_ml: (16..=20).map(|number| (day(number), 7.0)).collect(),
        last_reading: Some(at("2026-11-21T01:00:00Z")),
        ..device("A", "Bar")
    };
    add(&db, &[later, device("B", "Hotel")]).await;
    assert_eq!(used(&db, Some("North"), (Dimension::Customer, "Bar")).await, [(20, 7.0, 0)]);
    let of_hotel = [(15, 10.0, 0), (16, 10.0, 0), (17, 10.0, 0), (18, 10.0, 2), (19, 10.0, 0)];
    assert_eq!(used(&db, Some("North"), (Dimension::Customer, "Hotel")).await, of_hotel, "what was stays as it was");
    assert_eq!(used(&db, Some("South"), (Dimension::All, "")).await, []);
}

/// The sums of the stores in November.
async fn stores(db: &Db, selection: &StoreSelection) -> Vec<(String, String, f64, i64, i64)> {
    let (mut found, mut last): (Vec<StoreMonth>, _) = (Vec::new(), None);
    loop {
        let page = store_months(db, day(1), selection, last.as_ref(), 2).await.unwrap();
        last = page.last().map(|it| it.store.clone());
        let is_last = page.len() < 2;
        found.extend(page);
        if is_last {
            break;
        }
    }
    let row = |StoreMonth { store, sums }: StoreMonth| {
        (store.customer, store.store_number, sums.used_ml, sums.used_days, sums.refills)
    };
    found.into_iter().map(row).collect()
}

async fn months_of_stores_add_up_to_the_days_of_their_customer(db: Db) {
    let of_store = |dsn: &str, number: &str| DeviceDays { store_number: number.to_owned(), ..device(dsn, "Hotel") };
    // Of the last days of October, those that are counted belong to another month.
    let mut longer = of_store("C", "8");
    longer.used_ml.push((at("2026-10-31T00:00:00Z"), 3.0));
    let south = DeviceDays { csp: "South".to_owned(), fragrance: "Tea".to_owned(), ..device("D", "Bar") };
    for _ in 0..2 {
        add(&db, &[of_store("A", "7"), of_store("B", "7"), longer.clone(), south.clone()]).await;
    }
    let row = |customer: &str, number: &str, used, days, refills| {
        (customer.to_owned(), number.to_owned(), used, days, refills)
    };
    let (bar, hotel) = (row("Bar", "7", 25.0, 5, 1), [row("Hotel", "7", 50.0, 10, 2), row("Hotel", "8", 25.0, 5, 1)]);
    let everything = StoreSelection::default();
    assert_eq!(stores(&db, &everything).await, [[bar.clone()].as_slice(), &hotel].concat());
    // Two customers, two fragrances and the total.
    assert_eq!(count_store_months(&db, day(1), &everything).await.unwrap(), 3 + 2 + 2 + 1);
    let of_hotel = StoreSelection { customer: Some("Hotel".to_owned()), ..everything.clone() };
    assert_eq!(stores(&db, &of_hotel).await, hotel);
    let days: f64 = used(&db, None, (Dimension::Customer, "Hotel")).await.iter().map(|(_, used, _)| used).sum();
    assert!((days - 75.0).abs() < 1e-9, "{days}");
    for selection in [
        StoreSelection { csp: Some("South".to_owned()), ..everything.clone() },
        StoreSelection { fragrance: Some("Tea".to_owned()), ..everything.clone() },
    ] {
        assert_eq!(stores(&db, &selection).await, slice::from_ref(&bar), "{selection:?}");
    }
    let october = store_months(&db, at("2026-10-01T00:00:00Z"), &everything, None, 9).await.unwrap();
    assert_eq!(october.iter().map(|it| it.sums.used_ml).collect::<Vec<_>>(), [3.0]);
    delete_old_days(&db, day(20) + SignedDuration::from_hours(24) * 410).await.unwrap();
    assert_eq!(stores(&db, &everything).await.len(), 3, "a month is kept until its first day is too old");
    delete_old_days(&db, day(20) + SignedDuration::from_hours(24) * 440).await.unwrap();
    assert_eq!(stores(&db, &everything).await, []);
}

async fn use_older_than_56_days_is_not_added(db: Db) {
    let long_ago = DeviceDays {
        used_ml: vec![(at("2026-09-24T00:00:00Z"), 1.0), (at("2026-09-25T00:00:00Z"), 1.0)],
        refills: vec![at("2026-09-24T12:00:00Z")],
        ..device("A", "Hotel")
    };
    add(&db, &[long_ago]).await;
    let all = DaySelection { from: Timestamp::UNIX_EPOCH, ..selection(None, Some((Dimension::All, ""))) };
    let found = days(&db, &all).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.refills), (at("2026-09-25T00:00:00Z"), 0));
}

async fn past_of_a_new_device_is_added_until_the_first_sample(db: Db) {
    write_samples(&db, at("2026-11-19T10:00:00Z"), vec![sample(Dimension::All, "", "North", [3, 2])]).await.unwrap();
    let past = (18..=20).map(|number| PastDay {
        day: day(number),
        level: Some(80),
        online: std::array::from_fn(|hour| Some(hour >= 8)),
    });
    let new = DeviceDays { past: past.collect(), used_ml: Vec::new(), ..device("A", "Hotel") };
    for _ in 0..2 {
        add(&db, std::slice::from_ref(&new)).await;
    }
    let found = days(&db, &selection(None, Some((Dimension::All, "")))).await.unwrap();
    let [(_, first), (_, second)] = &found[..] else { panic!("{found:?}") };
    assert_eq!((first.devices, first.levels), (Some(1), [Some(0), Some(0), Some(0), Some(1)]));
    assert_eq!((first.online[7], first.online[8], first.online[23]), (Some(0), Some(1), Some(1)));
    // The sample counts the device already.
    assert_eq!((second.devices, second.levels), (Some(3), [Some(0), Some(1), Some(0), Some(2)]));
    assert_eq!(second.online[7..12], [Some(0), Some(1), Some(1), Some(2), None]);
}

async fn sample_of_an_hour_replaces_levels_and_keeps_other_hours(db: Db) {
    assert_eq!(sample_times(&db).await.unwrap(), None);
    let north = |counts| sample(Dimension::All, "", "North", counts);
    let south = sample(Dimension::All, "", "South", [2, 2]);
    write_samples(&db, at("2026-11-20T10:00:00Z"), vec![north([5, 4]), south]).await.unwrap();
    // South has no devices any more.
    write_samples(&db, at("2026-11-20T12:00:00Z"), vec![north([6, 3])]).await.unwrap();
    let times = SampleTimes { first: at("2026-11-20T10:00:00Z"), last: at(NOON) };
    assert_eq!(sample_times(&db).await.unwrap(), Some(times));

    let sums =
        async |csp: Option<&str>| days(&db, &selection(csp, Some((Dimension::All, "")))).await.unwrap()[0].1.clone();
    let (all, of_south) = (sums(None).await, sums(Some("South")).await);
    assert_eq!((all.devices, all.levels), (Some(6), [Some(0), Some(1), Some(0), Some(5)]));
    assert_eq!(all.online[9..14], [None, Some(6), None, Some(3), None], "eleven was missed");
    assert_eq!((of_south.devices, of_south.online[12]), (Some(0), Some(0)));
}

async fn groups_with_the_most_use_come_first(db: Db) {
    let mut devices: Vec<DeviceDays> =
        [("A", "Hotel"), ("B", "Hotel"), ("C", "Bar"), ("D", "")].map(|(dsn, customer)| device(dsn, customer)).into();
    devices[2].used_ml.iter_mut().for_each(|(_, used)| *used = 30.0);
    devices[3].csp = "South".to_owned();
    add(&db, &devices).await;
    let most = async |csp, limit| most_used(&db, &selection(csp, None), Dimension::Customer, limit).await.unwrap();
    assert_eq!(most(None, 8).await, ["Bar", "Hotel", ""]);
    assert_eq!(most(None, 1).await, ["Bar"]);
    assert_eq!(most(Some("South"), 8).await, [""]);
    assert_eq!(most(Some("'; --"), 8).await, [""; 0]);

    let names = ["Hotel".to_owned(), "Nobody".to_owned()];
    let used = use_of(&db, &selection(None, None), Dimension::Customer, &names).await.unwrap();
    assert_eq!(used.len(), 5);
    assert!(used.iter().all(|it| it.value == "Hotel" && (it.used_ml - 10.0).abs() < 1e-9), "{used:?}");
    assert_eq!(use_of(&db, &selection(None, None), Dimension::Customer, &[]).await.unwrap(), []);
}

async fn paging_returns_each_group_day_once(db: Db) {
    add(
        &db,
        &[device("A", "Hotel"), device("B", "Bar"), DeviceDays { csp: "South".to_owned(), ..device("C", "Hotel") }],
    )
    .await;
    let everything = selection(None, None);
    // North has four groups, and South three.
    assert_eq!(count_group_days(&db, &everything).await.unwrap(), 5 * 7);
    let (mut found, mut last) = (Vec::new(), None);
    loop {
        let page = group_days(&db, &everything, last.as_ref(), 4).await.unwrap();
        last = page.last().cloned();
        let is_last = page.len() < 4;
        found.extend(page);
        if is_last {
            break;
        }
    }
    assert_eq!(found.len(), 35);
    let key = |it: &GroupDay| (it.day, it.dimension.name(), it.csp.clone(), it.value.clone());
    assert!(found.is_sorted_by(|one, next| key(one) < key(next)));
    let hotel = selection(Some("South"), Some((Dimension::Customer, "Hotel")));
    assert_eq!(count_group_days(&db, &hotel).await.unwrap(), 5);
    let of_hotel = group_days(&db, &hotel, None, 100).await.unwrap();
    assert!(of_hotel.iter().all(|it| it.csp == "South" && it.value == "Hotel") && of_hotel.len() == 5);
}

async fn customer_days_are_deleted_before_other_days(db: Db) {
    add(&db, &[device("A", "Hotel")]).await;
    let count = async || count_group_days(&db, &selection(None, None)).await.unwrap();
    let delete_after = async |days: i32| delete_old_days(&db, at(NOON) + SignedDuration::from_hours(24) * days).await;
    delete_after(50).await.unwrap();
    assert_eq!(count().await, 15);
    delete_after(99).await.unwrap();
    assert_eq!(count().await, 15 - 4, "the 19th was a hundred days ago");
    delete_after(398).await.unwrap();
    assert_eq!(count().await, 4, "two groups on two days");
    delete_after(401).await.unwrap();
    assert_eq!(count().await, 0);
}

platform::store_suite!(
    migrate = crate::migrations::migrate,
    tests = [
        use_is_added_once_to_each_group,
        months_of_stores_add_up_to_the_days_of_their_customer,
        use_older_than_56_days_is_not_added,
        past_of_a_new_device_is_added_until_the_first_sample,
        sample_of_an_hour_replaces_levels_and_keeps_other_hours,
        groups_with_the_most_use_come_first,
        paging_returns_each_group_day_once,
        customer_days_are_deleted_before_other_days,
    ]
);
