//! The baseline: reqwest, and structs that derive `Deserialize` with the same members as the library.

use std::ops::Range;

use jiff::Timestamp;
use serde::Deserialize;

use crate::server::{DEVICES, PER_PAGE, TOKEN};

pub(crate) struct Bare {
    http: reqwest::Client,
    url: String,
}

#[derive(Deserialize)]
struct Page {
    devices: Vec<DeviceItem>,
    next_page: Option<u32>,
    #[expect(dead_code, reason = "read as the library reads it")]
    total: u64,
}

#[derive(Deserialize)]
struct DeviceItem {
    device: Device,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read as the library reads it")]
struct Device {
    key: i64,
    dsn: String,
    product_name: Option<String>,
    connection_status: Option<String>,
    connected_at: Option<Timestamp>,
    registered: Option<bool>,
    registration_type: Option<String>,
    created_at: Option<Timestamp>,
    model: Option<String>,
    oem: Option<String>,
    oem_model: Option<String>,
    product_class: Option<String>,
    device_name: Option<String>,
    sw_version: Option<String>,
    module_updated_at: Option<Timestamp>,
    ip: Option<String>,
    mac: Option<String>,
    ssid: Option<String>,
    lan_enabled: Option<bool>,
    lan_ip: Option<String>,
    lat: Option<String>,
    lng: Option<String>,
    has_properties: Option<bool>,
    user_id: Option<i64>,
    template_id: Option<i64>,
}

#[derive(Deserialize)]
struct PropertyItem {
    property: Property,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read as the library reads it")]
struct Property {
    key: i64,
    name: String,
    display_name: Option<String>,
    base_type: Option<String>,
    direction: Option<String>,
    r#type: Option<String>,
    read_only: Option<bool>,
    value: Option<i64>,
    data_updated_at: Option<Timestamp>,
    ack_enabled: Option<bool>,
    ack_status: Option<i64>,
    ack_message: Option<i64>,
    acked_at: Option<Timestamp>,
    reported_value: Option<i64>,
    reported_at: Option<Timestamp>,
}

impl Bare {
    pub(crate) fn new(url: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { http: reqwest::Client::new(), url: url.to_owned() }
    }

    pub(crate) async fn devices(&self) -> usize {
        let (mut page, mut count) = (1, 0);
        loop {
            let path = format!("device/apiv1/devices.json?page={page}&per_page={PER_PAGE}&filter%5Bcount%5D={DEVICES}");
            let answer: Page = serde_json::from_slice(&self.get(&path).await).unwrap();
            count += answer.devices.iter().filter(|item| !item.device.dsn.is_empty()).count();
            let Some(next) = answer.next_page else { return count };
            page = next;
        }
    }

    pub(crate) async fn properties(&self, of: Range<usize>) -> usize {
        let mut count = 0;
        for device in of {
            let path = format!("device/apiv1/dsns/D{device:06}/properties.json");
            let answer: Vec<PropertyItem> = serde_json::from_slice(&self.get(&path).await).unwrap();
            count += answer.iter().filter(|item| item.property.key > 0).count();
        }
        count
    }

    async fn get(&self, path: &str) -> bytes::Bytes {
        let request =
            self.http.get(format!("{}/{path}", self.url)).header("authorization", format!("auth_token {TOKEN}"));
        request.send().await.unwrap().bytes().await.unwrap()
    }
}
