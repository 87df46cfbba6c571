//! Callers who read unpaged lists slowly do not delay others.

use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::{Request, StatusCode};
use axum::response::Response;
use futures::future::join_all;
use futures::{StreamExt, TryStreamExt};
use platform::on_both_databases;
use platform::testing::TestDb;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::router;
use crate::operator::{NewDevice, NewUser};
use crate::testing::{APP_ID, APP_SECRET, PASSWORD, TestCloud, World, device_key};

/// Enough for several pages.
const COUNT: usize = 600;
/// Open lists. More than there are connections to either database.
const READERS: usize = 8;
const READING: [&str; 3] = [World::ADMIN, World::OBSERVER, World::PARTNER_ADMIN_A];

const LISTS: [&str; 5] = [
    "/apiv1/devices.json",
    "/apiv1/devices.json?order_by=dsn&order=desc",
    "/apiv1/devices/find_by_role_label.json?role=OEM::Partner::Admin",
    "/api/v1/users/index_by_role.json?role=OEM::Partner::Technician",
    "/api/v1/users/index_by_oem.json",
];

/// A cloud with many devices and users of partner A.
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
        let user = NewUser {
            email: format!("technician{n}@example.com"),
            password: PASSWORD.into(),
            role: Some("OEM::Partner::Technician".into()),
            label: Some("A".into()),
            ..NewUser::default()
        };
        operator.ensure_user(&world.oem, &user).await.unwrap();
    }
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

async fn slow_readers_of_unpaged_lists_do_not_delay_sign_ins(db: &TestDb) {
    let (cloud, world) = start(db).await;
    let open = async |email: &'static str| {
        let token = cloud.access_token(&world, email).await;
        let lists = join_all((0..READERS).map(|_| get(&cloud, &token, LISTS[0]))).await;
        let paginated = get(&cloud, &token, "/apiv1/devices.json?paginated=true").await;
        assert_eq!(paginated.status(), StatusCode::OK);
        let one_too_many = get(&cloud, &token, LISTS[0]).await;
        assert_eq!(one_too_many.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(one_too_many.headers()["retry-after"], "5");
        lists
    };
    let mut readers: Vec<BodyDataStream> = Vec::new();
    for email in READING {
        readers.extend(open(email).await.into_iter().map(|list| list.into_body().into_data_stream()));
    }
    let mut begun = Vec::new();
    for reader in &mut readers {
        begun.push(reader.next().await.unwrap().unwrap());
    }
    join_all((0..READERS).map(|_| sign_in(&cloud))).await;
    // Each list is complete in spite of the pause.
    for (begin, rest) in begun.into_iter().zip(readers) {
        let rest: Vec<_> = rest.try_collect().await.unwrap();
        let whole: Value = serde_json::from_slice(&[&*begin, &*rest.concat()].concat()).unwrap();
        assert!(whole.as_array().unwrap().len() >= COUNT);
    }
}

async fn unpaged_list_equals_its_pages(db: &TestDb) {
    let (cloud, world) = start(db).await;
    let token = cloud.access_token(&world, World::ADMIN).await;
    for path in LISTS {
        let response = get(&cloud, &token, path).await;
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

on_both_databases!(slow_readers_of_unpaged_lists_do_not_delay_sign_ins, unpaged_list_equals_its_pages);
