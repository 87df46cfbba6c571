//! Callers who read unpaged lists slowly do not delay others.

use std::iter;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::Response;
use futures::StreamExt;
use futures::future::join_all;
use platform::db::params;
use platform::on_both_databases;
use platform::run::random::Random;
use platform::testing::TestDb;
use serde_json::{Value, json};
use tokio::time::Instant;
use tower::ServiceExt;

use super::router;
use crate::domain::password::{PasswordCost, Passwords};
use crate::operator::{NewDevice, NewUser};
use crate::store::key_pages::PAGE;
use crate::testing::{APP_ID, APP_SECRET, PASSWORD, TestCloud, World, device_key};

/// Enough for several pages.
const COUNT: usize = 600;
/// Open lists. More than there are connections to either database.
const READERS: usize = 8;
const READING: [&str; 3] = [World::ADMIN, World::OBSERVER, World::PARTNER_ADMIN_A];

/// How often the delay of sign-ins is measured at most. The best measurement counts, because other processes delay them, too.
const ROUNDS: usize = 5;
/// Sign-ins of a measurement.
const SIGN_INS: usize = 17;
/// How many times as long as a quiet sign-in another one may take.
const LONGEST: f64 = 5.0;

const DEVICES: &str = "/apiv1/devices.json";

/// Every unpaged list, and one in another order than that of its keys.
fn lists(world: &World) -> [String; 7] {
    [
        DEVICES.to_owned(),
        format!("{DEVICES}?order_by=dsn&order=desc"),
        "/apiv1/devices/find_by_role_label.json?role=OEM::Partner::Admin".to_owned(),
        "/api/v1/users/index_by_role.json?role=OEM::Partner::Technician".to_owned(),
        "/api/v1/users/index_by_oem.json".to_owned(),
        format!("/oems/{}/users.json", world.oem.id),
        format!("/oems/{}/end_users.json", world.oem.id),
    ]
}

/// A cloud with many devices and technicians of partner A, and many end users.
async fn start(db: &TestDb) -> (TestCloud, World) {
    let url = db.url.clone();
    let cloud = TestCloud::start_with(move |config| config.database_url = url).await;
    let world = cloud.seed().await;
    let operator = cloud.operator();
    let device = |n: usize| NewDevice {
        dsn: format!("MANY-{n:04}"),
        template: "thing".into(),
        link_key: device_key(&n.to_string()).into(),
        registered: true,
        labels: vec![("OEM::Partner::Admin".into(), "partner_id".into(), "A".into())],
        ..NewDevice::default()
    };
    operator.add_devices(&world.oem, &(0..COUNT).map(device).collect::<Vec<_>>()).await.unwrap();
    for n in 0..COUNT {
        let technician = NewUser {
            email: format!("technician{n}@example.com"),
            password: PASSWORD.into(),
            role: Some("OEM::Partner::Technician".into()),
            label: Some("A".into()),
            ..NewUser::default()
        };
        let end_user =
            NewUser { email: format!("end{n}@example.com"), password: PASSWORD.into(), ..NewUser::default() };
        operator.ensure_user(&world.oem, &technician).await.unwrap();
        operator.ensure_user(&world.oem, &end_user).await.unwrap();
    }
    // The person who signs in has a password of the usual cost.
    let passwords = Passwords::new(PasswordCost::default(), Random::system()).unwrap();
    let hash = passwords.hash(PASSWORD.into()).await.unwrap();
    let sql = "update users set password_hash = $1 where email = $2";
    cloud.app().db.execute(sql, params![hash, World::TECHNICIAN_A]).await.unwrap();
    (cloud, world)
}

async fn get(cloud: &TestCloud, token: &str, path: &str) -> Response {
    let request = Request::get(path).header("authorization", format!("auth_token {token}"));
    router(cloud.app().clone()).oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
}

async fn read(body: Body) -> Value {
    serde_json::from_slice(&to_bytes(body, usize::MAX).await.unwrap()).unwrap()
}

async fn sign_in(cloud: &TestCloud) {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({ "email": World::TECHNICIAN_A, "password": PASSWORD, "application": application });
    let body = Body::from(json!({ "user": user }).to_string());
    let request = Request::post("/users/sign_in.json").header("content-type", "application/json").body(body).unwrap();
    let response = router(cloud.app().clone()).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

async fn lists_of_a_user_are_limited(cloud: &TestCloud, world: &World) {
    let open_all = async |email: &'static str| {
        let token = cloud.access_token(world, email).await;
        let lists = open(cloud, &token, iter::repeat_n(&DEVICES.to_owned(), READERS)).await;
        let paginated = get(cloud, &token, "/apiv1/devices.json?paginated=true").await;
        assert_eq!(paginated.status(), StatusCode::OK);
        let one_too_many = get(cloud, &token, DEVICES).await;
        assert_eq!(one_too_many.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(one_too_many.headers()["retry-after"], "5");
        lists
    };
    let mut readers = Vec::new();
    for email in READING {
        readers.extend(open_all(email).await);
    }
    join_all((0..READERS).map(|_| sign_in(cloud))).await;
    // Each list is complete in spite of the pause.
    for reader in readers {
        assert!(reader.finish().await.len() >= COUNT);
    }
}

/// A list that is being read.
struct Reader {
    body: BodyDataStream,
    text: Vec<u8>,
}

impl Reader {
    /// Reads a piece. Returns whether the list has not ended.
    async fn read(&mut self) -> bool {
        let Some(piece) = self.body.next().await else { return false };
        self.text.extend(piece.unwrap());
        true
    }

    /// Reads the rest, and returns the items.
    async fn finish(mut self) -> Vec<Value> {
        while self.read().await {}
        serde_json::from_slice(&self.text).unwrap()
    }
}

/// Begins to read `paths`. Each reader has received a piece.
async fn open<'p>(cloud: &TestCloud, token: &str, paths: impl Iterator<Item = &'p String>) -> Vec<Reader> {
    let mut readers = Vec::new();
    for path in paths {
        let mut response = get(cloud, token, path).await;
        // Lists of before, which end when their tasks see that nobody reads them.
        while response.status() == StatusCode::TOO_MANY_REQUESTS {
            tokio::task::yield_now().await;
            response = get(cloud, token, path).await;
        }
        assert_eq!(response.status(), StatusCode::OK);
        let mut reader = Reader { body: response.into_body().into_data_stream(), text: Vec::new() };
        assert!(reader.read().await);
        readers.push(reader);
    }
    readers
}

/// The median time of a sign-in. During each of them the next reader reads a piece.
async fn median_sign_in(cloud: &TestCloud, readers: &mut [Reader]) -> Duration {
    let mut times = Vec::new();
    let count = readers.len().max(1);
    for n in 0..SIGN_INS {
        let timed = async {
            let began = Instant::now();
            sign_in(cloud).await;
            began.elapsed()
        };
        let slow = async {
            if let Some(reader) = readers.get_mut(n % count) {
                assert!(reader.read().await, "the list is longer");
            }
        };
        times.push(tokio::join!(timed, slow).0);
    }
    times.sort_unstable();
    times[SIGN_INS / 2]
}

/// The ratios of the median times of sign-ins, beside slow readers and without, until one is good enough.
async fn delays(cloud: &TestCloud, token: &str, paths: &[String]) -> Vec<f64> {
    let mut ratios = Vec::new();
    while ratios.len() < ROUNDS && !ratios.iter().any(|ratio| *ratio <= LONGEST) {
        let quiet = median_sign_in(cloud, &mut []).await;
        let mut readers = open(cloud, token, paths.iter().cycle().take(READERS)).await;
        let beside = median_sign_in(cloud, &mut readers).await;
        // All of them have been open until now.
        for reader in &mut readers {
            assert!(reader.read().await);
        }
        ratios.push(beside.as_secs_f64() / quiet.as_secs_f64());
    }
    ratios
}

async fn slow_readers_of_unpaged_lists_do_not_delay_sign_ins(db: &TestDb) {
    let (cloud, world) = start(db).await;
    lists_of_a_user_are_limited(&cloud, &world).await;
    let (token, paths) = (cloud.access_token(&world, World::ADMIN).await, lists(&world));
    let ratios = delays(&cloud, &token, &paths).await;
    assert!(ratios.iter().any(|ratio| *ratio <= LONGEST), "{ratios:?}");

    // What is changed now shows which pages have been read before.
    let readers = open(&cloud, &token, paths.iter()).await;
    read(get(&cloud, &token, DEVICES).await.into_body()).await;
    for sql in ["update users set firstname = 'Later'", "update device set product_name = 'Later'"] {
        cloud.app().db.execute(sql, params![]).await.unwrap();
    }
    for (path, reader) in paths.iter().zip(readers) {
        let items = reader.finish().await;
        assert!(items.len() >= COUNT, "{path}");
        let before = items.iter().filter(|item| !item.to_string().contains(r#""Later""#)).count();
        // Two at the beginning, and one ahead.
        assert!(before <= 3 * PAGE, "{path}: {before} of {}", items.len());
    }
}

async fn unpaged_list_equals_its_pages(db: &TestDb) {
    let (cloud, world) = start(db).await;
    let token = cloud.access_token(&world, World::ADMIN).await;
    for path in lists(&world) {
        let response = get(&cloud, &token, &path).await;
        assert_eq!(response.headers()["content-type"], "application/json; charset=utf-8");
        let list = read(response.into_body()).await;
        assert!(list.as_array().unwrap().len() >= COUNT, "{path}");
    }
    let include = "include=data,role_labels,properties,addr,time_zone";
    for (path, member) in [
        (format!("/apiv1/devices.json?{include}"), "devices"),
        (format!("/apiv1/devices.json?{include}&order_by=product_name"), "devices"),
        (format!("/oems/{}/users.json?order_by=email", world.oem.id), "users"),
        (format!("/oems/{}/end_users.json?order=desc", world.oem.id), "users"),
    ] {
        let paged = |page| {
            format!("{path}{}paginated=true&per_page=100&page={page}", if path.contains('?') { '&' } else { '?' })
        };
        let mut expected = Vec::new();
        for page in 1.. {
            let page = read(get(&cloud, &token, &paged(page)).await.into_body()).await;
            let items = page[member].as_array().unwrap().clone();
            if items.is_empty() {
                break;
            }
            expected.extend(items);
        }
        assert_eq!(read(get(&cloud, &token, &path).await.into_body()).await, Value::from(expected), "{path}");
    }
}

on_both_databases!(slow_readers_of_unpaged_lists_do_not_delay_sign_ins, unpaged_list_equals_its_pages,);
