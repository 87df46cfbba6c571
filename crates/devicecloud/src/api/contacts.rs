use std::fmt;
use std::sync::Arc;

use http::Method;
use serde_json::{Map, Value, json};

use crate::api::call_group;
use crate::config::endpoints::Service;
use crate::error::messages;
use crate::error::{Result, required};
use crate::http::{Request, Response};
use crate::model::read::{Fields, FromWire};
use crate::model::{Contact, ContactId, read};
use crate::session::CloudSession;

const ALL: &str = "api/v1/users/contacts.json";
const ONE: &str = "api/v1/users/contacts/{}.json";

/// Calls for the contacts of the signed-in user, which are deleted with the account; returned by [`Client::contacts`](crate::Client::contacts).
///
/// ```no_run
/// # async fn run(client: devicecloud::Client) -> devicecloud::Result<()> {
/// let contacts = client.contacts();
/// let jo = contacts.create().firstname("Jo").email("jo@example.com").email_notification(true).send().await?;
/// contacts.update(&jo.id).notes("Mornings only").send().await?;
/// println!("{} contacts", contacts.list().await?.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Contacts {
    session: Arc<CloudSession>,
    retries: bool,
}

call_group!(Contacts);

impl Contacts {
    /// Creates a contact. Never retried, because it is not idempotent. `POST api/v1/users/contacts.json`
    pub fn create(&self) -> WriteContact {
        WriteContact { contacts: self.clone(), id: None, members: Map::new() }
    }

    /// All contacts. `GET api/v1/users/contacts.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; see [`Client`](crate::Client) for errors of all calls.
    pub async fn list(&self) -> Result<Vec<Contact>> {
        self.call(Request::new(Method::GET, Service::User, ALL, &[])).await?.read(read::many)
    }

    /// Changes a contact. Fields that are not set stay unchanged. `PUT api/v1/users/contacts/{id}.json`
    pub fn update(&self, id: impl Into<ContactId>) -> WriteContact {
        WriteContact { contacts: self.clone(), id: Some(id.into()), members: Map::new() }
    }

    /// Deletes a contact. `DELETE api/v1/users/contacts/{id}.json`
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Invalid contact' if the id is blank; `Server` with
    /// status 404 if there is no such contact; see [`Client`](crate::Client) for errors of all calls.
    pub async fn delete(&self, id: impl Into<ContactId>) -> Result<()> {
        self.call(contact_request(Method::DELETE, &id.into())).await.map(drop)
    }

    async fn call(&self, request: Result<Request>) -> Result<Response> {
        let request = request.map(|request| request.retries(self.retries));
        self.session.call(messages::NO_SESSION_ACTIVE, request).await
    }
}

fn contact_request(method: Method, id: &ContactId) -> Result<Request> {
    required(id.is_blank(), messages::INVALID_CONTACT)?;
    Request::new(method, Service::User, ONE, &[id.as_str()])
}

/// Builder for creating or changing a contact; returned by [`Contacts::create`] and [`Contacts::update`]. A blank text
/// clears a field.
#[derive(Clone)]
#[must_use]
pub struct WriteContact {
    contacts: Contacts,
    id: Option<ContactId>,
    members: Map<String, Value>,
}

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $($(#[$doc])*
        pub fn $name(self, text: impl Into<String>) -> Self {
            self.with(stringify!($name), text.into())
        })*
    };
}

impl WriteContact {
    texts! {
        /// The display name.
        display_name;
        /// First name.
        firstname;
        /// Last name.
        lastname;
        /// The e-mail address.
        email;
        /// Country code of the phone number, in digits.
        phone_country_code;
        /// Phone number, in digits.
        phone_number;
        /// Street and number.
        street_address;
        /// Postal code.
        zip_code;
        /// Country.
        country;
        /// A description.
        notes;
    }

    /// Whether the contact is notified by e-mail.
    pub fn email_notification(self, enabled: bool) -> Self {
        self.with("email_notification", enabled)
    }

    /// Whether the contact is notified by text message.
    pub fn sms_notification(self, enabled: bool) -> Self {
        self.with("sms_notification", enabled)
    }

    /// Any JSON that the application stores with the contact.
    pub fn metadata(self, metadata: impl Into<Value>) -> Self {
        self.with("metadata", metadata)
    }

    /// The device models that the contact is notified about.
    pub fn oem_models(self, models: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.with("oem_models", models.into_iter().map(Into::into).collect::<Vec<String>>())
    }

    /// Sends the request. If the response is empty or has an unknown shape, returns the contact as it was sent.
    ///
    /// # Errors
    /// `Precondition` 'No session is active'; `InvalidArgument` 'Invalid contact' if the id of a contact to update is
    /// blank; `Server` with status 404 if there is no such contact, 422 if the cloud rejects a field or there are too
    /// many contacts; see [`Client`](crate::Client) for errors of all calls.
    pub async fn send(&self) -> Result<Contact> {
        let response = self.contacts.call(self.request()).await?;
        Ok(response.read_if_possible(read::one).unwrap_or_else(|| self.as_sent()))
    }

    fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    fn request(&self) -> Result<Request> {
        let request = match &self.id {
            None => Request::new(Method::POST, Service::User, ALL, &[]),
            Some(id) => contact_request(Method::PUT, id),
        }?;
        Ok(request.body(json!({"contact": self.members})))
    }

    fn as_sent(&self) -> Contact {
        Contact { id: self.id.clone().unwrap_or_default(), ..Contact::from_wire(&Fields(&self.members)) }
    }
}

impl fmt::Debug for WriteContact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteContact").field("id", &self.id).finish_non_exhaustive()
    }
}
