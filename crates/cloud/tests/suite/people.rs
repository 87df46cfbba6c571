//! What administrators do with users, and what becomes of those at once.

mod custody;
mod input;
mod lists;
mod rights;

use cloud::testing::{APP_ID, APP_SECRET, PASSWORD};
use serde_json::{Value, json};

pub(crate) const ADMIN: &str = "OEM::Partner::Admin";
pub(crate) const TECHNICIAN: &str = "OEM::Partner::Technician";

/// The body of a call that makes a user.
pub(crate) fn new_user(email: &str) -> Value {
    let application = json!({ "app_id": APP_ID, "app_secret": APP_SECRET });
    let user = json!({
        "email": email, "password": PASSWORD, "firstname": "Jo", "lastname": "Moss", "application": application,
    });
    json!({ "user": user, "role": TECHNICIAN, "label": { "partner_id": "A" } })
}
