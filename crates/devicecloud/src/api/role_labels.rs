use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::debug::debug_only;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::secret::SecretText;
use crate::model::{Device, DeviceKey, Label, RoleLabel, RoleLabelId, read};
use crate::session::CloudSession;

/// Calls for the role labels of devices, which give the users of a role access; returned by [`Client::role_labels`](crate::Client::role_labels).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let device = client.devices().get("AC000W000000001").send().await?;
/// let labels = client.role_labels();
/// labels.associate(&device.key, "OEM::Company::Dealer").label("dealer_id", "101").send().await?;
/// for device in labels.find_devices("OEM::Company::Dealer").label("dealer_id", "101").send().await? {
///     println!("{}", device.dsn);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct RoleLabels {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(RoleLabels);

impl RoleLabels {
    /// The role labels of a device. `GET apiv1/devices/{key}/role_labels.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Device ID is empty'; `Server` with status 404
    /// if the device does not exist or is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self, device: impl Into<DeviceKey>) -> Result<Vec<RoleLabel>> {
        self.call(device_labels_request(Method::GET, "apiv1/devices/{}/role_labels.json", &device.into()))
            .await?
            .read(read::many)
    }

    /// One role label, with its tags. `GET apiv1/role_labels/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Role ID is empty'; `Server` with status 404 if
    /// the label does not exist or is not on a device visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn get(&self, id: impl Into<RoleLabelId>) -> Result<RoleLabel> {
        self.call(label_request(Method::GET, "apiv1/role_labels/{}.json", &id.into())).await?.read(read::one)
    }

    /// Finds the devices that have a label of a role. `GET apiv1/devices/find_by_role_label.json`
    pub fn find_devices(&self, role: impl Into<String>) -> FindDevices {
        FindDevices { labels: self.clone(), role: role.into(), label: None }
    }

    /// Adds a label of a role to a device, or updates it. In some clouds the first label registers the device.
    /// `PUT apiv1/devices/{key}/role_labels/associate`
    pub fn associate(&self, device: impl Into<DeviceKey>, role_name: impl Into<String>) -> WriteRoleLabel {
        self.write(Write::Associate(device.into()), role_name.into())
    }

    /// Removes a label of a role from a device. `PUT apiv1/devices/{key}/role_labels/disassociate`
    pub fn disassociate(&self, device: impl Into<DeviceKey>, role_name: impl Into<String>) -> WriteRoleLabel {
        self.write(Write::Disassociate(device.into()), role_name.into())
    }

    /// Creates a role label on a device. Never retried, because it is not idempotent.
    /// `POST apiv1/devices/{key}/role_labels`
    pub fn enable_role_label_on_device(
        &self,
        device: impl Into<DeviceKey>,
        role_name: impl Into<String>,
    ) -> WriteRoleLabel {
        self.write(Write::Enable(device.into()), role_name.into())
    }

    /// Replaces role, description, key and value of a role label. Parts that are not set are cleared.
    /// `PUT apiv1/role_labels/{id}.json`
    pub fn update_role_label(&self, id: impl Into<RoleLabelId>, role_name: impl Into<String>) -> WriteRoleLabel {
        self.write(Write::Update(id.into()), role_name.into())
    }

    /// Deletes a role label. `DELETE apiv1/role_labels/{id}`
    ///
    /// # Errors
    /// As [`get`](Self::get); `Server` with status 403 if you may not delete it.
    pub async fn disable_role_label(&self, id: impl Into<RoleLabelId>) -> Result<()> {
        self.call(label_request(Method::DELETE, "apiv1/role_labels/{}", &id.into())).await.map(drop)
    }

    fn write(&self, write: Write, role_name: String) -> WriteRoleLabel {
        WriteRoleLabel { labels: self.clone(), write, role_name, description: None, label: None, setup_code: None }
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::SESSION_MANAGER_REQUIRED, request).await
    }
}

/// A request about the labels of one device.
pub(super) fn device_labels_request(method: Method, route: &'static str, device: &DeviceKey) -> Result<Request> {
    required(device.is_blank(), messages::DEVICE_ID_EMPTY)?;
    Request::new(method, Service::Device, route, &[device.as_str()])
}

fn label_request(method: Method, route: &'static str, id: &RoleLabelId) -> Result<Request> {
    required(id.is_blank(), messages::ROLE_ID_EMPTY)?;
    Request::new(method, Service::Device, route, &[id.as_str()])
}

/// The key and value of a label, unless either is blank.
fn complete_label(key: impl Into<String>, value: impl Into<String>) -> Option<Label> {
    Some(Label::new(key, value)).filter(Label::is_complete)
}

#[derive(Clone, Debug)]
enum Write {
    Enable(DeviceKey),
    Update(RoleLabelId),
    Associate(DeviceKey),
    Disassociate(DeviceKey),
}

/// Builder for writing a role label; returned by the calls of [`RoleLabels`].
#[derive(Clone)]
#[must_use]
pub struct WriteRoleLabel {
    labels: RoleLabels,
    write: Write,
    role_name: String,
    description: Option<String>,
    label: Option<Label>,
    setup_code: Option<SecretText>,
}

debug_only!(WriteRoleLabel { write, role_name, label });

impl WriteRoleLabel {
    /// A description.
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// The key and value that select users of the role. Sent only if neither is blank.
    pub fn label(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: complete_label(key, value), ..self }
    }

    /// The code printed on the device. Some clouds require it from partners when
    /// [`associate`](RoleLabels::associate) registers a device, and answer with status 422 if it is missing or wrong. Sent only
    /// if it is not blank.
    pub fn setup_code(self, code: impl Into<SecretText>) -> Self {
        Self { setup_code: Some(code.into()).filter(|code| !code.is_blank()), ..self }
    }

    /// Sends the request. If the response is empty or has an unknown shape, returns the label as it was sent, with a
    /// blank id.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Device ID is empty', 'Role ID is empty' or
    /// 'Role name is empty'; `Server` with status 404 if the device or the label does not exist or is not visible to
    /// you, 403 if you may not change it, 409 if the device belongs to somebody else or has another value, 422 for an
    /// unknown role; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<RoleLabel> {
        let response = self.labels.call(self.request()).await?;
        let as_sent = || RoleLabel::as_sent(&self.role_name, self.description.clone(), self.label.clone());
        Ok(response.read_if_possible(read::one).unwrap_or_else(as_sent))
    }

    fn request(&self) -> Result<Request> {
        const DEVICE: &str = "apiv1/devices/{}/role_labels";
        const ASSOCIATE: &str = "apiv1/devices/{}/role_labels/associate";
        const DISASSOCIATE: &str = "apiv1/devices/{}/role_labels/disassociate";
        let request = match &self.write {
            Write::Enable(device) => device_labels_request(Method::POST, DEVICE, device),
            Write::Update(id) => label_request(Method::PUT, "apiv1/role_labels/{}.json", id),
            Write::Associate(device) => device_labels_request(Method::PUT, ASSOCIATE, device),
            Write::Disassociate(device) => device_labels_request(Method::PUT, DISASSOCIATE, device),
        }?;
        required(self.role_name.trim().is_empty(), messages::ROLE_NAME_EMPTY)?;
        let wrapped = matches!(self.write, Write::Enable(_) | Write::Update(_));
        let body = self.body();
        Ok(request.body(if wrapped { json!({"role_label": body}) } else { body }))
    }

    fn body(&self) -> Value {
        let mut body = json!({"role_name": self.role_name});
        if let Some(description) = self.description.as_ref().filter(|text| !text.trim().is_empty()) {
            body["description"] = json!(description);
        }
        if let Some(Label { key, value }) = &self.label {
            body["key"] = json!(key);
            body["value"] = json!(value);
        }
        if let Some(code) = &self.setup_code {
            body["setup_code"] = json!(code.expose());
        }
        body
    }
}

/// Builder for finding devices by role label; returned by [`RoleLabels::find_devices`].
#[derive(Clone, Debug)]
#[must_use]
pub struct FindDevices {
    labels: RoleLabels,
    role: String,
    label: Option<Label>,
}

impl FindDevices {
    /// Only devices whose label of the role has this key and value. Sent only if neither is blank.
    pub fn label(self, key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { label: complete_label(key, value), ..self }
    }

    /// Fetches the devices that are visible to you.
    ///
    /// # Errors
    /// `Precondition` 'Session manager is required'; `InvalidArgument` 'Role name is empty'; see [`Client`](crate::Client) for errors
    /// of all calls.
    pub async fn send(&self) -> Result<Vec<Device>> {
        self.labels.call(self.request()).await?.read(read::many)
    }

    fn request(&self) -> Result<Request> {
        required(self.role.trim().is_empty(), messages::ROLE_NAME_EMPTY)?;
        let route = "apiv1/devices/find_by_role_label.json";
        let request = Request::new(Method::GET, Service::Device, route, &[])?.query("role", &self.role);
        Ok(match &self.label {
            Some(Label { key, value }) => request.query("key", key).query("value", value),
            None => request,
        })
    }
}
