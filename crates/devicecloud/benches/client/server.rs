//! Serves prepared responses from a separate process, which is not measured.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use axum::Router;
use axum::extract::Query;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use serde_json::{Value, json};

pub(crate) const DEVICES: usize = 10_000;
pub(crate) const PER_PAGE: usize = 100;
pub(crate) const PROPERTIES: usize = 100_000;
pub(crate) const PER_DEVICE: usize = 20;
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
/// The argument that makes this program the server.
pub(crate) const ARGUMENT: &str = "--serve";

/// The server process, killed on drop.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let mut child =
            Command::new(std::env::current_exe().unwrap()).arg(ARGUMENT).stdout(Stdio::piped()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn serve() -> ExitCode {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        axum::serve(listener, router()).await.unwrap();
    });
    ExitCode::SUCCESS
}

fn router() -> Router {
    let page: Vec<Value> = (0..PER_PAGE).map(|n| json!({ "device": device(n) })).collect();
    let page = Value::from(page).to_string();
    let properties: Vec<Value> = (0..PER_DEVICE).map(|n| json!({ "property": property(n) })).collect();
    let properties = Bytes::from(Value::from(properties).to_string());
    Router::new()
        .route(
            "/device/apiv1/devices.json",
            get(async move |query: Query<HashMap<String, String>>| devices(&query, &page)),
        )
        .route("/device/apiv1/dsns/{file}/properties.json", get(async move || answer(properties.clone())))
}

/// A page of the device list with the size from the query.
fn devices(query: &HashMap<String, String>, devices: &str) -> Response {
    let number = |name: &str| query[name].parse::<usize>().unwrap();
    let (page, total) = (number("page"), number("filter[count]"));
    let pages = total / PER_PAGE;
    let next = if page < pages { (page + 1).to_string() } else { "null".to_owned() };
    let previous = if page > 1 { (page - 1).to_string() } else { "null".to_owned() };
    let (start, end) = ((page - 1) * PER_PAGE + 1, page * PER_PAGE);
    answer(Bytes::from(format!(
        r#"{{"total":{total},"current_page_number":{page},"start_count_on_page":{start},"end_count_on_page":{end},"previous_page":{previous},"next_page":{next},"devices":{devices}}}"#
    )))
}

fn answer(body: Bytes) -> Response {
    ([(CONTENT_TYPE, "application/json; charset=utf-8")], body).into_response()
}

/// A device as listed by the cloud.
fn device(n: usize) -> Value {
    json!({
        "product_name": format!("Lobby {n}"), "model": "AY001MTC1", "dsn": format!("AC000W{n:09}"),
        "oem_model": "aq290", "sw_version": "bc 2.14", "template_id": 17, "mac": "60a423f7a2c1",
        "unique_hardware_id": null, "hwsig": null, "lan_ip": "192.168.1.40", "connected_at": "2026-11-20T10:00:00Z",
        "key": 100_000 + n, "lan_enabled": false, "has_properties": true, "product_class": null,
        "connection_status": "Online", "lat": "48.864716", "lng": "2.349014", "locality": "75001",
        "device_type": "Wifi", "ssid": "shop", "created_at": "2026-09-20T10:00:00Z", "registered": true,
    })
}

fn property(n: usize) -> Value {
    json!({
        "type": "Property", "name": format!("property_{n}"), "base_type": "integer", "read_only": false,
        "direction": "input", "scope": "user", "data_updated_at": "2026-11-20T10:00:00Z", "key": 1_000_000 + n,
        "device_key": 100_000, "product_name": "Lobby", "track_only_changes": false,
        "display_name": format!("Property {n}"), "host_sw_version": false, "time_series": false, "derived": false,
        "app_type": null, "recipe": null, "value": n, "denied_roles": [], "ack_enabled": true, "retention_days": 400,
        "ack_status": 200, "ack_message": 0, "acked_at": "2026-11-20T10:00:01Z", "reported_value": n,
        "reported_at": "2026-11-20T10:00:01Z",
    })
}
