use std::borrow::Borrow;
use std::sync::Arc;

use http::Method;
use serde_json::{Value, json};

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::{Dsn, Subscription, SubscriptionId, SubscriptionType, read};
use crate::session::CloudSession;

const NAME: &str = "JS_DSS";
const DESCRIPTION: &str = "DATAPOINT";

/// Calls for subscriptions to live data; returned by [`Client::subscriptions`](crate::Client::subscriptions).
#[derive(Clone, Debug)]
pub struct Subscriptions {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Subscriptions);

impl Subscriptions {
    /// Creates a subscription. `POST api/v1/subscriptions`
    ///
    /// ```no_run
    /// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
    /// use devicecloud::SubscriptionType;
    ///
    /// let subscription = client
    ///     .subscriptions()
    ///     .create()
    ///     .dsns(["AC000W000000001"])
    ///     .subscription_types([SubscriptionType::Datapoint, SubscriptionType::Connectivity])
    ///     .send()
    ///     .await?;
    /// let stream = client.stream(&subscription);
    /// # Ok(())
    /// # }
    /// ```
    pub fn create(&self) -> CreateSubscription {
        CreateSubscription { subscriptions: self.clone(), dsns: None, types: None }
    }

    /// All subscriptions of the user. `GET api/v1/subscriptions`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self) -> Result<Vec<Subscription>> {
        self.call(Request::new(Method::GET, Service::Subscription, "api/v1/subscriptions", &[])).await?.read(read::many)
    }

    /// One subscription. `GET api/v1/subscriptions/{id}`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Subscription Id is required'; see [`Client`](crate::Client) for
    /// errors of all calls.
    pub async fn get(&self, id: impl Into<SubscriptionId>) -> Result<Subscription> {
        self.call(subscription_request(Method::GET, &id.into())).await?.read(read::one)
    }

    /// Deletes a subscription; its stream ends. `DELETE api/v1/subscriptions/{id}`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Subscription Id is required'; see [`Client`](crate::Client) for
    /// errors of all calls.
    pub async fn delete(&self, id: impl Into<SubscriptionId>) -> Result<()> {
        self.call(subscription_request(Method::DELETE, &id.into())).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn subscription_request(method: Method, id: &SubscriptionId) -> Result<Request> {
    required(id.is_blank(), messages::SUBSCRIPTION_ID_REQUIRED)?;
    Request::new(method, Service::Subscription, "api/v1/subscriptions/{}", &[id.as_str()])
}

/// Builder for creating a subscription; returned by [`Subscriptions::create`].
#[derive(Clone, Debug)]
#[must_use]
pub struct CreateSubscription {
    subscriptions: Subscriptions,
    dsns: Option<Vec<Dsn>>,
    types: Option<Vec<SubscriptionType>>,
}

impl CreateSubscription {
    /// Only these devices; by default every device that the user can read. An empty list is an error.
    pub fn dsns(mut self, dsns: impl IntoIterator<Item = impl Into<Dsn>>) -> Self {
        self.dsns.get_or_insert_default().extend(dsns.into_iter().map(Into::into));
        self
    }

    /// The kinds of event to deliver; datapoints and acknowledgements by default.
    pub fn subscription_types(mut self, types: impl IntoIterator<Item = impl Borrow<SubscriptionType>>) -> Self {
        self.types.get_or_insert_default().extend(types.into_iter().map(|kind| kind.borrow().clone()));
        self
    }

    /// Creates the subscription.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` for an empty list or a blank serial number; `Json` if the
    /// response has no stream key; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Subscription> {
        let response = self.subscriptions.call(self.request()).await?;
        response.read(|body| read::one(body).filter(|created: &Subscription| !created.stream_key.is_blank()))
    }

    fn request(&self) -> Result<Request> {
        let types = match &self.types {
            None => "datapoint,datapointack".to_owned(),
            Some(types) => {
                comma_list(types.iter().map(SubscriptionType::as_str), messages::SUBSCRIPTION_TYPE_REQUIRED)?
            }
        };
        let mut body = json!({
            "name": NAME,
            "description": DESCRIPTION,
            "property_name": "*",
            "client_type": "mobile",
            "batch_size": "1",
            "subscription_type": types,
        });
        if let Some(dsns) = &self.dsns {
            required(dsns.iter().any(|dsn| dsn.as_str().contains(',')), messages::INVALID_DSN)?;
            body["dsn"] = Value::from(comma_list(dsns.iter().map(Dsn::as_str), messages::DSN_REQUIRED)?);
        }
        let request = Request::new(Method::POST, Service::Subscription, "api/v1/subscriptions", &[])?;
        Ok(request.body(body))
    }
}

/// Joins with commas; neither the list nor an entry may be blank.
fn comma_list<'a>(entries: impl Iterator<Item = &'a str>, message: &str) -> Result<String> {
    let entries: Vec<_> = entries.collect();
    required(entries.is_empty() || entries.iter().any(|entry| entry.trim().is_empty()), message)?;
    Ok(entries.join(","))
}
