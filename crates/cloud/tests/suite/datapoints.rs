//! Values of a property: pages of its history, and batches of values (docs/wire.md#pages, docs/wire.md#datapoints).

use cloud::testing::{TestCloud, World};
use jiff::SignedDuration;
use platform::db::params;
use platform::testing::TestDb;
use serde_json::{Value, json};

use crate::client::Fixture;

const FAN: &str = "/apiv1/dsns/DEV-A1/properties/fan/datapoints.json";

/// A device that has reported 1 to `count`, ten seconds apart.
async fn reported(fixture: &Fixture, count: i64) {
    let device = fixture.cloud.device("DEV-A1").await;
    for value in 1..=count {
        device.report(&[("fan", json!(value))]).await;
        fixture.cloud.clock().advance(SignedDuration::from_secs(10));
    }
}

fn values(page: &Value) -> Vec<i64> {
    let items = page["datapoints"].as_array().unwrap();
    items.iter().map(|item| item["datapoint"]["value"].as_i64().unwrap()).collect()
}

#[tokio::test]
async fn pages_lead_from_the_newest_to_the_oldest_and_back() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::OBSERVER).await;
    reported(&fixture, 7).await;
    let get = async |query: String| fixture.get(&token, &format!("{FAN}?paginated=true&per_page=3{query}")).await.body;
    let first = get(String::new()).await;
    assert_eq!((values(&first), &first["meta"]["previous_page"]), (vec![5, 6, 7], &json!(null)));
    let next = |page: &Value| format!("&is_forward_page=true&next={}", page["meta"]["next_page"].as_str().unwrap());
    let previous =
        |page: &Value| format!("&is_forward_page=false&previous={}", page["meta"]["previous_page"].as_str().unwrap());
    let second = get(next(&first)).await;
    assert_eq!(values(&second), [2, 3, 4]);
    let third = get(next(&second)).await;
    assert_eq!((values(&third), &third["meta"]["next_page"]), (vec![1], &json!(null)));
    // New datapoints do not shift the pages.
    reported(&fixture, 1).await;
    let back = get(previous(&third)).await;
    assert_eq!(values(&back), [2, 3, 4]);
    assert_eq!(get(next(&back)).await["datapoints"], third["datapoints"]);
    let newest = get(previous(&back)).await;
    assert_eq!(values(&newest), [5, 6, 7]);
    let top = get(previous(&newest)).await;
    assert_eq!((values(&top), &top["meta"]["previous_page"]), (vec![1], &json!(null)));
}

#[tokio::test]
async fn page_contains_only_its_time_range_and_property() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    reported(&fixture, 5).await;
    let other = fixture.command(&token, "DEV-A1", "intensity", json!(30)).await;
    let page = async |query: &str| fixture.get(&token, &format!("{FAN}?paginated=1&{query}")).await.body;
    let span = "filter[created_at_since_date]=2026-11-20T10:00:10Z&filter[created_at_end_date]=2026-11-20T10:00:30Z";
    assert_eq!(values(&page(span).await), [2, 3, 4]);
    let begin = page(&format!("per_page=2&{span}")).await;
    assert_eq!(values(&begin), [3, 4]);
    let rest = page(&format!("per_page=2&{span}&next={}", begin["meta"]["next_page"].as_str().unwrap())).await;
    assert_eq!((values(&rest), &rest["meta"]["next_page"]), (vec![2], &json!(null)));
    for query in [format!("next={other}"), "next=no-such-id".to_owned()] {
        assert_eq!(values(&page(&query).await), [0; 0], "{query}");
    }
    for (query, count) in [("per_page=0", 5), ("per_page=-1", 5), ("per_page=101", 5), ("per_page=2", 2)] {
        assert_eq!(values(&page(query).await).len(), count, "{query}");
    }
    assert_eq!(fixture.get(&token, &format!("{FAN}?paginated=true&per_page=x")).await.status, 422);
}

fn entry(dsn: &str, name: &str, value: impl Into<Value>) -> Value {
    json!({ "dsn": dsn, "name": name, "datapoint": { "value": value.into() } })
}

#[tokio::test]
async fn bad_entry_of_a_batch_does_not_fail_the_others() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_ADMIN_A).await;
    let pairs: serde_json::Map<_, _> = (0..11).map(|n| (n.to_string(), json!(n))).collect();
    let table = [
        (entry("DEV-A1", "intensity", 30), 201),
        (entry("DEV-A2", "intensity", 31), 201),
        (entry("DEV-A1", "note", "text"), 201),
        (entry("DEV-A1", "lamp", true), 201),
        (entry("DEV-A1", "intensity", 32), 201),
        (entry("DEV-B1", "intensity", 30), 404),
        (entry("NO-SUCH", "intensity", 30), 404),
        (entry("DEV-A1", "no_such_property", 30), 404),
        (entry("DEV-A1", "hours", 30), 422),
        (entry("DEV-A1", "intensity", 51), 422),
        (entry("DEV-A1", "intensity", Value::Null), 422),
        (entry("", "intensity", 30), 422),
        (entry(&"d".repeat(256), "intensity", 30), 422),
        (entry("nul \u{0}", "intensity", 30), 422),
        (json!({ "dsn": 7, "name": ["fan"], "datapoint": { "value": 1 } }), 422),
        (json!({ "dsn": "DEV-A1", "name": "fan" }), 422),
        (json!({ "dsn": "DEV-A1", "name": "fan", "datapoint": 7 }), 422),
        (json!({ "dsn": "DEV-A1", "name": "fan", "datapoint": { "value": 1, "metadata": pairs } }), 422),
        (json!("text"), 422),
    ];
    let entries: Vec<&Value> = table.iter().map(|(entry, _)| entry).collect();
    let answer = fixture.post(&token, "/apiv1/batch_datapoints.json", json!({ "batch_datapoints": entries })).await;
    assert_eq!(answer.status, 201);
    for ((entry, status), result) in table.iter().zip(answer.body.as_array().unwrap()) {
        assert_eq!(result["status"], *status, "{entry} {result}");
        assert_eq!(result["datapoint"]["id"].is_string(), *status == 201, "{entry} {result}");
        assert_eq!((&result["dsn"], &result["name"]), (&entry["dsn"], &entry["name"]));
    }
    assert_eq!(answer.body.as_array().unwrap().len(), table.len());
    // Of several values of one property the last one becomes the value; all are in the history.
    let intensity = fixture.property(&token, "DEV-A1", "intensity").await;
    assert_eq!((&intensity["value"], &intensity["command"]["id"]), (&json!(32), &answer.body[4]["datapoint"]["id"]));
    let list = fixture.get(&token, "/apiv1/dsns/DEV-A1/properties/intensity/datapoints").await.body;
    assert_eq!((&list[0]["datapoint"]["value"], &list[1]["datapoint"]["value"]), (&json!(30), &json!(32)));
    let pending: Vec<_> =
        fixture.cloud.device("DEV-A1").await.pending().await.into_iter().map(|(_, p, v)| (p, v)).collect();
    let expected = [("note", json!("text")), ("lamp", json!(1)), ("intensity", json!(32))];
    assert_eq!(pending, expected.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!(fixture.property(&token, "DEV-A2", "intensity").await["value"], 31);
}

#[tokio::test]
async fn batch_is_a_list_of_1_to_500_entries() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::ADMIN).await;
    let batch = async |entries: Value| {
        fixture.post(&token, "/apiv1/batch_datapoints", json!({ "batch_datapoints": entries })).await
    };
    let many = |count: usize| Value::from(vec![entry("DEV-A1", "fan", 1); count]);
    for entries in [json!(null), json!([]), json!({}), json!("text"), many(501)] {
        let refused = batch(entries).await;
        assert_eq!(refused.status, 422);
        assert!(refused.body["errors"]["batch_datapoints"][0].is_string(), "{}", refused.body);
    }
    let answer = batch(many(500)).await;
    assert_eq!((answer.status, answer.body.as_array().unwrap().len()), (201, 500));
    assert!(answer.body.as_array().unwrap().iter().all(|result| result["status"] == 201));
}

#[tokio::test]
async fn failed_batch_names_the_entries_that_were_not_written() {
    let test = TestDb::sqlite().await;
    let url = test.url.clone();
    let fixture = Fixture::on(TestCloud::start_with(move |config| config.database_url = url).await).await;
    let token = fixture.token(World::ADMIN).await;
    let full = "create trigger full before insert on command when (select count(*) from command) >= 70 \
                begin select raise(abort, 'full'); end";
    test.db.execute(full, params![]).await.unwrap();
    let entries = [vec![entry("DEV-A1", "fan", 1); 120], vec![entry("DEV-A1", "none", 1)]].concat();
    let answer = fixture.post(&token, "/apiv1/batch_datapoints", json!({ "batch_datapoints": entries })).await;
    let statuses: Vec<i64> =
        answer.body.as_array().unwrap().iter().map(|entry| entry["status"].as_i64().unwrap()).collect();
    assert_eq!((answer.status, &statuses), (201, &[vec![201; 50], vec![500; 70], vec![404]].concat()));
    let list = fixture.get(&token, "/apiv1/dsns/DEV-A1/properties/fan/datapoints?limit=100").await.body;
    assert_eq!(list.as_array().unwrap().len(), 50);
    let refused = fixture.post(&token, "/apiv1/batch_datapoints", json!({ "batch_datapoints": entries })).await;
    assert_eq!(refused.status, 500, "nothing was written");
}

#[tokio::test]
async fn batch_of_an_observer_writes_nothing() {
    let fixture = Fixture::start().await;
    let token = fixture.token(World::PARTNER_OBSERVER_A).await;
    let entries = [entry("DEV-A1", "intensity", 30), entry("DEV-B1", "intensity", 30)];
    let results = fixture.post(&token, "/apiv1/batch_datapoints", json!({ "batch_datapoints": entries })).await.body;
    assert_eq!((&results[0]["status"], &results[1]["status"]), (&json!(403), &json!(404)));
    assert_eq!(fixture.property(&token, "DEV-A1", "intensity").await["value"], 20);
}
