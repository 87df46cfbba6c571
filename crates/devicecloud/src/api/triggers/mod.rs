//! Calls on triggers of properties, and their apps.

mod new_trigger;

pub use new_trigger::{NewTrigger, NewTriggerApp};

use std::sync::Arc;

use http::Method;
use serde_json::json;

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Outcome, Result, required};
use crate::http::{Request, Response};
use crate::model::{PropertyKey, Trigger, TriggerApp, TriggerAppKey, TriggerKey, read};
use crate::session::CloudSession;

/// Calls for triggers, which notify people of values of a property; returned by [`Client::triggers`](crate::Client::triggers).
///
/// A trigger names the values; its apps are the recipients.
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// use devicecloud::{CompareType, NewTrigger, NewTriggerApp};
///
/// let level = client.properties().get("AC000W000000001", "level").await?;
/// let triggers = client.triggers();
/// let low = NewTrigger::compare(CompareType::Less, "20")
///     .app(NewTriggerApp::email("jo@example.com").subject("Low level").message("The lobby needs a refill"));
/// let existing = triggers.list(&level.key).await?;
/// triggers.create(&level.key, &low, &existing).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Triggers {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Triggers);

impl Triggers {
    /// The triggers of a property, each with its apps. `GET apiv1/properties/{key}/triggers`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// for trigger in client.triggers().list(43).await? {
    ///     println!("{} has {} recipients", trigger.trigger_type, trigger.trigger_apps.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Property key is required'; `Server` with status 404 if
    /// the property does not exist or is not visible to you; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self, property: impl Into<PropertyKey>) -> Result<Vec<Trigger>> {
        self.call(property_request(Method::GET, &property.into())).await?.read(read::many)
    }

    /// Creates a trigger with its apps. If one of the `existing` triggers, as returned by [`list`](Self::list), has the
    /// same trigger type, compare type and value, adds the apps to that trigger instead, one by one. Returns the
    /// trigger with all its apps. Never retried, because it is not idempotent. If the response is empty or has an
    /// unknown shape, returns the new trigger or app as it was sent, with a blank key.
    /// `POST apiv1/properties/{key}/triggers` or `POST apiv1/triggers/{triggerKey}/trigger_apps`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::{NewTrigger, NewTriggerApp};
    ///
    /// let trigger = NewTrigger::on_change().app(NewTriggerApp::sms("1", "4145550100"));
    /// client.triggers().create(43, &trigger, &client.triggers().list(43).await?).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`list`](Self::list); `InvalidArgument` 'Email is required', 'Country code is required' or 'Phone number is
    /// required'; `Server` with status 403 if you may not change the device, 422 if the cloud rejects the value or a
    /// recipient, or there are too many. Apps that were added before a failure are kept.
    pub async fn create(
        &self,
        property: impl Into<PropertyKey>,
        trigger: &NewTrigger,
        existing: &[Trigger],
    ) -> Result<Trigger> {
        let request = property_request(Method::POST, &property.into())
            .and_then(|request| Ok(request.body(json!({ "trigger": trigger.members()? }))));
        if let Some(matching) = existing.iter().find(|existing| trigger.matches(existing)) {
            // Reports invalid arguments before sending the first app.
            self.session.require(messages::NO_SESSION_ACTIVE).await?;
            request?;
            let mut matching = matching.clone();
            let mut earlier = Outcome::NotSent;
            for app in &trigger.apps {
                let added = self.add_app(&matching.key, app).await.map_err(|error| error.after(earlier))?;
                matching.trigger_apps.push(added);
                earlier = Outcome::Done;
            }
            return Ok(matching);
        }
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| trigger.as_sent()))
    }

    /// Adds an app (a recipient) to a trigger. Never retried, because it is not idempotent. If the response is empty or
    /// has an unknown shape, returns the app as it was sent, with a blank key.
    /// `POST apiv1/triggers/{triggerKey}/trigger_apps`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::NewTriggerApp;
    ///
    /// let app = NewTriggerApp::email("jo@example.com").repeat_freq(3_600);
    /// client.triggers().add_app(11, &app).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`create`](Self::create); `InvalidArgument` 'Trigger key is required'.
    pub async fn add_app(&self, trigger: impl Into<TriggerKey>, app: &NewTriggerApp) -> Result<TriggerApp> {
        let request = trigger_request(Method::POST, "apiv1/triggers/{}/trigger_apps", &trigger.into())
            .and_then(|request| Ok(request.body(json!({ "trigger_app": app.members()? }))));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| app.as_sent()))
    }

    /// Changes an app (a recipient) of a trigger, which keeps its key. If the response is empty or has an unknown shape,
    /// returns the app as it was sent, with a blank key. `PUT apiv1/trigger_apps/{key}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::NewTriggerApp;
    ///
    /// client.triggers().update_app(12, &NewTriggerApp::email("jo@example.com")).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delete_app`](Self::delete_app); `InvalidArgument` 'Email is required', 'Country code is required' or 'Phone
    /// number is required'; `Server` with status 422 if the cloud rejects the recipient.
    pub async fn update_app(&self, key: impl Into<TriggerAppKey>, app: &NewTriggerApp) -> Result<TriggerApp> {
        let request = app_request(Method::PUT, &key.into())
            .and_then(|request| Ok(request.body(json!({ "trigger_app": app.members()? }))));
        let response = self.call(request).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| app.as_sent()))
    }

    /// Removes an app (a recipient) from a trigger. `DELETE apiv1/trigger_apps/{key}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// client.triggers().delete_app(12).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Trigger app key is required'; `Server` with status 404
    /// if it does not exist or is not visible to you, 403 if you may not change it; see [`Client`](crate::Client) for
    /// errors
    /// of all calls.
    pub async fn delete_app(&self, key: impl Into<TriggerAppKey>) -> Result<()> {
        self.call(app_request(Method::DELETE, &key.into())).await.map(drop)
    }

    /// Deletes a trigger with its apps. `DELETE apiv1/triggers/{key}`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// client.triggers().delete(11).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delete_app`](Self::delete_app), with 'Trigger key is required'.
    pub async fn delete(&self, key: impl Into<TriggerKey>) -> Result<()> {
        self.call(trigger_request(Method::DELETE, "apiv1/triggers/{}", &key.into())).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn property_request(method: Method, key: &PropertyKey) -> Result<Request> {
    required(key.is_blank(), messages::PROPERTY_KEY_REQUIRED)?;
    Request::new(method, Service::Device, "apiv1/properties/{}/triggers", &[key.as_str()])
}

fn trigger_request(method: Method, route: &'static str, key: &TriggerKey) -> Result<Request> {
    required(key.is_blank(), messages::TRIGGER_KEY_REQUIRED)?;
    Request::new(method, Service::Device, route, &[key.as_str()])
}

fn app_request(method: Method, key: &TriggerAppKey) -> Result<Request> {
    required(key.is_blank(), messages::TRIGGER_APP_KEY_REQUIRED)?;
    Request::new(method, Service::Device, "apiv1/trigger_apps/{}", &[key.as_str()])
}
