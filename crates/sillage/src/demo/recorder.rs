//! The only device of the demo that is not a diffuser. It has a file property for trying the client library's file transfers.
//! It stays in stock, so the console does not show it.

use cloud::operator::{NewDevice, Oem, Operator, Template, TemplateProperty};
use cloud::{BaseType, Direction, Limits};
use jiff::Timestamp;
use secrecy::SecretString;

pub(super) const DSN: &str = "AC000W000800000";
pub(super) const PROPERTY: &str = "log";
const TEMPLATE: &str = "recorder";

/// Creates the template and the device if they do not exist yet.
pub(super) async fn load(
    operator: &Operator,
    oem: &Oem,
    link_key: SecretString,
    created_at: Timestamp,
) -> anyhow::Result<()> {
    let log = TemplateProperty {
        name: PROPERTY.to_owned(),
        display_name: "Log".to_owned(),
        base_type: BaseType::File,
        direction: Direction::Input,
        ack_enabled: false,
        retention_days: 30,
        limits: Limits::default(),
    };
    operator
        .ensure_template(oem, &Template { name: TEMPLATE.to_owned(), properties: vec![log], schedules: vec![] })
        .await?;
    let recorder = NewDevice {
        dsn: DSN.to_owned(),
        template: TEMPLATE.to_owned(),
        product_name: "Recorder".to_owned(),
        model: "AY008MOD1".to_owned(),
        oem_model: TEMPLATE.to_owned(),
        link_key,
        created_at,
        ..NewDevice::default()
    };
    operator.add_devices(oem, &[recorder]).await?;
    Ok(())
}
