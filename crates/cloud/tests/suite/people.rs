//! Administration of users, and its immediate effects on them.

mod custody;
mod input;
mod lists;
mod rights;

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD};
use serde_json::{Value, json};

pub(crate) const ADMIN: &str = "OEM::Partner::Admin";
pub(crate) const TECHNICIAN: &str = "OEM::Partner::Technician";

/// The body of a call that creates a user.
pub(crate) fn new_user(email: &str) -> Value {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({
        "email": email, "password": PASSWORD, "firstname": "Jo", "lastname": "Moss", "application": application,
    });
    json!({ "user": user, "role": TECHNICIAN, "label": { "partner_id": "A" } })
}
