//! Contacts of users.

use jiff::Timestamp;
use platform::db::{Db, Params, Result, Tx, params};
use sqlx::AssertSqlSafe;

/// The fields of a contact.
#[derive(Clone, Default, sqlx_macros::FromRow)]
pub(crate) struct Contact {
    pub(crate) display_name: Option<String>,
    pub(crate) firstname: Option<String>,
    pub(crate) lastname: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) phone_country_code: Option<String>,
    pub(crate) phone_number: Option<String>,
    pub(crate) street_address: Option<String>,
    pub(crate) zip_code: Option<String>,
    pub(crate) country: Option<String>,
    pub(crate) notes: Option<String>,
    /// JSON.
    pub(crate) metadata: Option<String>,
    /// Comma-separated.
    pub(crate) oem_models: Option<String>,
    pub(crate) email_notification: bool,
    pub(crate) sms_notification: bool,
    pub(crate) push_notification: bool,
}

impl Contact {
    /// Whether there is a name, an address or a telephone number.
    pub(crate) fn is_identifiable(&self) -> bool {
        let Self { display_name, firstname, lastname, email, phone_number, .. } = self;
        [display_name, firstname, lastname, email, phone_number].iter().any(|text| text.is_some())
    }
}

#[derive(Clone, sqlx_macros::FromRow)]
pub(crate) struct ContactRow {
    pub(crate) id: i64,
    #[sqlx(flatten)]
    pub(crate) contact: Contact,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

const COLUMNS: &str =
    "display_name, firstname, lastname, email, phone_country_code, phone_number, street_address, zip_code,
    country, notes, metadata, oem_models, email_notification, sms_notification, push_notification";

/// The user's contacts, oldest first.
pub(crate) async fn all(db: &Db, user_id: i64) -> Result<Vec<ContactRow>> {
    let sql = format!("select id, {COLUMNS}, created_at, updated_at from contact where user_id = $1 order by id");
    db.fetch_all(AssertSqlSafe(sql), params![user_id]).await
}

/// The number of contacts of the user.
pub(crate) async fn count(tx: &mut Tx, user_id: i64) -> Result<i64> {
    let (count,) = tx.fetch_one("select count(*) from contact where user_id = $1", params![user_id]).await?;
    Ok(count)
}

/// The user's contact with this id.
pub(crate) async fn find(db: &Db, user_id: i64, id: i64) -> Result<Option<ContactRow>> {
    let sql = format!("select id, {COLUMNS}, created_at, updated_at from contact where user_id = $1 and id = $2");
    db.fetch_optional(AssertSqlSafe(sql), params![user_id, id]).await
}

/// The same, locked until the end of the transaction.
pub(crate) async fn lock_rows(tx: &mut Tx, user_id: i64, id: i64) -> Result<Option<ContactRow>> {
    let hold = tx.for_update();
    let sql = format!("select id, {COLUMNS}, created_at, updated_at from contact where user_id = $1 and id = $2{hold}");
    tx.fetch_optional(AssertSqlSafe(sql), params![user_id, id]).await
}

pub(crate) async fn insert(tx: &mut Tx, user_id: i64, contact: &Contact, now: Timestamp) -> Result<ContactRow> {
    let sql = format!(
        "insert into contact (user_id, {COLUMNS}, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
         returning id, {COLUMNS}, created_at, updated_at"
    );
    tx.fetch_one(AssertSqlSafe(sql), values(params![user_id], contact).with(now)).await
}

/// Updates a [locked](lock_rows) contact.
pub(crate) async fn update(tx: &mut Tx, id: i64, contact: &Contact, now: Timestamp) -> Result<ContactRow> {
    let sql = format!(
        "update contact set ({COLUMNS}) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16), updated_at = $17
         where id = $1 returning id, {COLUMNS}, created_at, updated_at"
    );
    tx.fetch_one(AssertSqlSafe(sql), values(params![id], contact).with(now)).await
}

/// Returns whether there was such a contact.
pub(crate) async fn delete(db: &Db, user_id: i64, id: i64) -> Result<bool> {
    Ok(db.execute("delete from contact where user_id = $1 and id = $2", params![user_id, id]).await? == 1)
}

/// In the order of [`COLUMNS`].
fn values(params: Params, contact: &Contact) -> Params {
    params
        .with(contact.display_name.as_ref())
        .with(contact.firstname.as_ref())
        .with(contact.lastname.as_ref())
        .with(contact.email.as_ref())
        .with(contact.phone_country_code.as_ref())
        .with(contact.phone_number.as_ref())
        .with(contact.street_address.as_ref())
        .with(contact.zip_code.as_ref())
        .with(contact.country.as_ref())
        .with(contact.notes.as_ref())
        .with(contact.metadata.as_ref())
        .with(contact.oem_models.as_ref())
        .with(contact.email_notification)
        .with(contact.sms_notification)
        .with(contact.push_notification)
}
