//! The limits of the diffuser's template, in a cloud that `sillage cloud init` created (B-11).

use reqwest::Client;
use serde_json::{Value, json};

use super::node::{Device, Node};
use super::{ADMIN, Cloud, PASSWORD, sign_in, value};

const FRAME: &str = "1,1,5,30,11,0,11,59";

/// The template's properties, each with a valid value and invalid values.
fn properties() -> Vec<(&'static str, Value, Vec<Value>)> {
    let too_many = vec![FRAME; 22].join(",");
    let lives = || vec![json!(-0.01), json!(-700), json!(1e9), json!("long"), json!("7\0")];
    let version = || vec![json!("2.4\0"), json!("v".repeat(1025)), json!(2.4)];
    vec![
        (
            "schedule_blob",
            json!(FRAME),
            vec![
                json!("junk"),
                json!("1,1,5,30,11,0,11"),
                json!("1,1,5,51,11,0,11,59"),
                json!("1,1,5,30,24,0,11,59"),
                json!(format!("{FRAME}\0")),
                json!(too_many),
                json!(7),
            ],
        ),
        ("current_state", json!(2), vec![json!(0), json!(5), json!("run"), json!(3.5)]),
        ("cycle", json!(3), vec![json!(0), json!(4), json!("short")]),
        ("intensity", json!(50), vec![json!(0), json!(51), json!("strong"), json!(20.5), json!(true)]),
        ("fan", json!(5), vec![json!(-1), json!(6), json!("off")]),
        ("cartridge_life", json!(700.25), lives()),
        ("fragrance_remaining", json!(100), vec![json!(-1), json!(101), json!("little")]),
        ("appliance_life", json!(8000.5), lives()),
        ("pump_life", json!(0.0), lives()),
        ("clock_mode", json!(1), vec![json!("summer"), json!(1.5), json!(3_000_000_000_i64)]),
        ("host_version", json!("2.4.1"), version()),
        ("oem_host_version", json!("1.12"), version()),
        ("current_schedule_running", json!(21), vec![json!(-1), json!(22), json!("none")]),
    ]
}

/// A user of the cloud's own protocol.
struct Api {
    url: String,
    token: String,
}

impl Api {
    async fn send(&self, request: reqwest::RequestBuilder) -> (u16, Value) {
        let answer = request.header("authorization", format!("auth_token {}", self.token)).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn write(&self, dsn: &str, name: &str, value: &Value) -> (u16, Value) {
        let url = format!("{}/apiv1/dsns/{dsn}/properties/{name}/datapoints.json", self.url);
        self.send(Client::new().post(url).json(&json!({ "datapoint": { "value": value } }))).await
    }

    /// A property's value, reported value and datapoints.
    async fn stored(&self, dsn: &str, name: &str) -> [Value; 3] {
        let url = format!("{}/apiv1/dsns/{dsn}/properties/{name}", self.url);
        let (_, mut property) = self.send(Client::new().get(format!("{url}.json"))).await;
        let (_, datapoints) = self.send(Client::new().get(format!("{url}/datapoints.json"))).await;
        [property["property"]["value"].take(), property["property"]["reported_value"].take(), datapoints]
    }
}

#[tokio::test]
async fn values_outside_the_template_limits_are_not_stored() {
    let cloud = Cloud::new();
    let printed = cloud.init();
    // One device per property, because a device that is rejected too often is throttled.
    let properties = properties();
    let dsn = |n: usize| format!("SL{n:04}");
    let key = |n: usize| format!("{n:064x}");
    let list: String = (0..properties.len()).map(|n| format!("{},{}\n", dsn(n), key(n))).collect();
    let keys = cloud.file("keys.csv", &format!("dsn,key\n{list}"));
    cloud.run(&["device", "add", "--keys", keys.to_str().unwrap()]);
    cloud.run(&["template", "set", "diffuser", "--reports", "strict"]);
    let node = Node::start(&cloud.database, cloud.path()).await;
    let (app_id, secret) = (value(&printed, "Application"), value(&printed, "its secret"));
    let (_, signed_in) = sign_in(&node.url, ADMIN, PASSWORD, app_id, secret).await;
    let api = Api { url: node.url.clone(), token: signed_in["access_token"].as_str().unwrap().to_owned() };

    for (n, (name, good, bad)) in properties.iter().enumerate() {
        let dsn = dsn(n);
        let other = if *name == "fan" { "cycle" } else { "fan" };
        for bad in bad {
            let mut device = Device::sign_in(node.link, &dsn, &key(n)).await.unwrap().ok().unwrap();
            let report = json!({ "properties": { (other): 1, (*name): bad }, "sw_version": "9" });
            assert_eq!(device.report(report.to_string()).await, None, "{name} {bad}: the connection is closed");
            let (status, answer) = api.write(&dsn, name, bad).await;
            assert_eq!((status, answer["errors"].is_object()), (422, true), "{name} {bad}: {answer}");
        }
        for property in [*name, other] {
            let stored = api.stored(&dsn, property).await;
            assert_eq!(stored, [Value::Null, Value::Null, json!([])], "{name}: {property}");
        }
        let mut device = Device::sign_in(node.link, &dsn, &key(n)).await.unwrap().ok().unwrap();
        device.report(json!({ "properties": { (*name): good } }).to_string()).await.unwrap();
        assert_eq!(api.stored(&dsn, name).await[..2], [good.clone(), good.clone()], "{name}");
        // Only the device can write the last six.
        let (status, answer) = api.write(&dsn, name, good).await;
        assert_eq!(
            (status, answer["errors"]["base"].is_array()),
            if n < 7 { (201, false) } else { (422, true) },
            "{name}"
        );
    }
}
