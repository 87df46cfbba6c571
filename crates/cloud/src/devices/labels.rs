//! Role labels of devices. The first label of a partner registers a device.

use jiff::SignedDuration;
use platform::bus::Bus;
use platform::db::{Db, Result, Tx};
use platform::run::clock::{Clock, from_micros};

use crate::domain::policy::{self, ClaimError, WantedLabel};
use crate::domain::principal::Principal;
use crate::domain::setup_code::SetupCode;
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store::authors::{self, Ended};
use crate::store::claims::{self, Claims};
use crate::store::labels::{self, LabelRow, NewLabel};
use crate::store::{audience, data, device_edits, setup_codes, users};
use crate::stream::event::{self, Event};

/// The key whose value completes a registration. It is written last, so that the steps before it can be repeated
///
const CUSTOMER: &str = "customer";

/// Period of the limits below.
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Maximum number of devices that a partner's user registers in an hour.
const MAX_REGISTRATIONS: i64 = 100;
/// Maximum number of devices that are not free and that a partner's user tries in an hour.
const MAX_FAILURES: i64 = 30;

/// Changes role labels. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) bus: Bus,
    pub(crate) reactions: Reactions,
}

/// The author of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelAuthor<'a> {
    /// A user with permission to label the device.
    Manufacturer,
    /// A partner who claims the device with their own label.
    Partner {
        /// The code printed on the device, which its template can require.
        setup_code: Option<&'a str>,
    },
}

/// Why a label was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LabelError {
    /// The manufacturer has no such device.
    #[error("there is no such device")]
    NoDevice,
    /// The device has no such label.
    #[error("there is no such label")]
    NoLabel,
    /// The device has a label of this role and key with another value.
    #[error("the device carries another value")]
    OtherValue,
    /// A partner cannot claim the device.
    #[error("the device cannot be claimed")]
    Unclaimable(ClaimError),
    /// The template of the device requires its setup code.
    #[error("the setup code is missing")]
    NoSetupCode,
    /// The setup code is not that of the device.
    #[error("the setup code is wrong")]
    WrongSetupCode,
    /// The partner's user has registered too many devices, or tried too many that were not free.
    #[error("too many registrations or failed tries")]
    TooManyClaims {
        /// Time until the next registration or try is possible.
        retry_after: SignedDuration,
    },
    /// A database error.
    #[error(transparent)]
    Database(#[from] platform::db::Error),
}

impl LabelAuthor<'_> {
    fn is_partner(self) -> bool {
        matches!(self, Self::Partner { .. })
    }
}

impl LabelError {
    /// Whether a partner tried a device that is not free to them.
    fn is_failed_claim(&self) -> bool {
        matches!(self, Self::NoDevice | Self::Unclaimable(_) | Self::NoSetupCode | Self::WrongSetupCode)
    }
}

/// The label of a device after [`Labels::put`].
pub(crate) struct PutLabel {
    pub(crate) id: i64,
    /// Whether the label did not exist before.
    pub(crate) is_new: bool,
}

impl Labels {
    /// Adds a label to a device of the manufacturer. An existing label stays unchanged. When partners claim a device
    /// concurrently, one of them wins: the device row is locked. Claims of partners are limited and recorded.
    ///
    /// # Errors
    /// [`LabelError`].
    pub(crate) async fn put(
        &self,
        caller: &Principal,
        device_id: i64,
        label: &NewLabel<'_>,
        by: LabelAuthor<'_>,
    ) -> std::result::Result<PutLabel, LabelError> {
        let put = async |mut tx: Tx| -> Result<_> {
            if by.is_partner() {
                users::lock_rows(&mut tx, caller.user_id).await?;
                let failures = claims::failures(&mut tx, caller.user_id, self.clock.now() - HOUR).await?;
                if let Err(error) = self.limit(failures, MAX_FAILURES) {
                    return Ok(Err(error));
                }
            }
            let result = match self.put_within(&mut tx, caller, device_id, label, by).await {
                Err(LabelError::Database(error)) => return Err(error),
                result => result,
            };
            match &result {
                Err(error) if by.is_partner() && error.is_failed_claim() => {
                    claims::insert(&mut tx, caller.user_id, None, self.clock.now()).await?;
                }
                Err(_) => return Ok(result),
                Ok(_) => {}
            }
            tx.commit().await?;
            Ok(result)
        };
        let (label, event) = self.db.write(put).await??;
        self.publish(event.as_ref());
        Ok(label)
    }

    /// Fails if a user has made this many claims within the last hour.
    fn limit(&self, claims: Claims, max: i64) -> std::result::Result<(), LabelError> {
        match claims.oldest {
            Some(oldest) if claims.count >= max => {
                let free_at = from_micros(oldest) + HOUR;
                Err(LabelError::TooManyClaims { retry_after: free_at.duration_since(self.clock.now()) })
            }
            _ => Ok(()),
        }
    }

    async fn put_within(
        &self,
        tx: &mut Tx,
        caller: &Principal,
        device_id: i64,
        label: &NewLabel<'_>,
        by: LabelAuthor<'_>,
    ) -> std::result::Result<(PutLabel, Option<Event>), LabelError> {
        let registered = device_edits::lock_rows(tx, caller.oem_id, device_id).await?.ok_or(LabelError::NoDevice)?;
        let present = labels::of_device(tx, device_id).await?;
        let existing = with_same_key(&present, label, None);
        if existing.is_some_and(|existing| existing.label_value != label.value) {
            return Err(match by {
                LabelAuthor::Manufacturer => LabelError::OtherValue,
                LabelAuthor::Partner { .. } => LabelError::Unclaimable(ClaimError::Taken),
            });
        }
        if by.is_partner() && existing.is_none() {
            let partners = present.iter().map(LabelRow::wanted).filter(WantedLabel::is_partner_label);
            let values: Vec<&str> = partners.map(|partner| partner.value).collect();
            let has_customer = data::is_set(tx, device_id, CUSTOMER).await?;
            policy::claim(label.value, registered, &values, has_customer).map_err(LabelError::Unclaimable)?;
        }
        if let LabelAuthor::Partner { setup_code } = by
            && !registered
        {
            let registrations = claims::registrations(tx, caller.user_id, self.clock.now() - HOUR).await?;
            self.limit(registrations, MAX_REGISTRATIONS)?;
            check_setup_code(tx, device_id, setup_code).await?;
        }
        let id = match existing {
            Some(existing) => existing.id,
            None => labels::insert(tx, device_id, label).await?,
        };
        let event = self.register(tx, caller, device_id, label).await?;
        Ok((PutLabel { id, is_new: existing.is_none() }, event))
    }

    /// Changes a label of a device of the manufacturer. Shares, triggers and notifications of users who lose the device end.
    ///
    /// # Errors
    /// [`LabelError`].
    pub(crate) async fn change(
        &self,
        caller: &Principal,
        device_id: i64,
        id: i64,
        label: &NewLabel<'_>,
    ) -> std::result::Result<(), LabelError> {
        let change = async |mut tx: Tx| -> std::result::Result<_, LabelError> {
            device_edits::lock_rows(&mut tx, caller.oem_id, device_id).await?.ok_or(LabelError::NoDevice)?;
            let present = labels::of_device(&mut tx, device_id).await?;
            if !present.iter().any(|label| label.id == id) {
                return Err(LabelError::NoLabel);
            }
            if with_same_key(&present, label, Some(id)).is_some() {
                return Err(LabelError::OtherValue);
            }
            labels::update(&mut tx, id, label).await?;
            let ended = authors::end_on_device(&mut tx, device_id).await?;
            let event = self.register(&mut tx, caller, device_id, label).await?;
            tx.commit().await?;
            Ok((event, ended))
        };
        let (event, ended) = self.db.write(change).await?;
        ended.log(caller.user_id);
        self.publish(event.as_ref());
        Ok(())
    }

    /// Removes a label of a device of the manufacturer. Shares, triggers and notifications of users who lose the device end.
    /// The device stays registered, because a new label may follow.
    ///
    /// # Errors
    /// [`LabelError`].
    pub(crate) async fn remove(
        &self,
        caller: &Principal,
        device_id: i64,
        id: i64,
    ) -> std::result::Result<(), LabelError> {
        let remove = async |mut tx: Tx| -> std::result::Result<Ended, LabelError> {
            device_edits::lock_rows(&mut tx, caller.oem_id, device_id).await?.ok_or(LabelError::NoDevice)?;
            if !labels::delete(&mut tx, id).await? {
                return Err(LabelError::NoLabel);
            }
            let ended = authors::end_on_device(&mut tx, device_id).await?;
            tx.commit().await?;
            Ok(ended)
        };
        let ended = self.db.write(remove).await?;
        ended.log(caller.user_id);
        Ok(())
    }

    /// Registers the device, and records the user, if this label assigns it to a partner and it is not registered yet.
    async fn register(
        &self,
        tx: &mut Tx,
        caller: &Principal,
        device_id: i64,
        label: &NewLabel<'_>,
    ) -> Result<Option<Event>> {
        let now = self.clock.now();
        if !label.wanted().is_partner_label() || !device_edits::register(tx, device_id, now).await? {
            return Ok(None);
        }
        claims::insert(tx, caller.user_id, Some(device_id), now).await?;
        let registered = Occurrence { device_id, kind: OccurrenceKind::Registration { registered: true } };
        self.reactions.react(tx, &[registered], now).await?;
        let origin = audience::origins(tx, &[device_id]).await?.remove(&device_id);
        Ok(origin.map(|origin| event::registration(&origin, true, now)))
    }

    fn publish(&self, event: Option<&Event>) {
        if let Some(event) = event {
            event::publish(&self.bus, std::slice::from_ref(event));
        }
    }
}

/// Checks the setup code of a device whose template requires it. Without a code the device cannot be claimed.
async fn check_setup_code(tx: &mut Tx, device_id: i64, code: Option<&str>) -> std::result::Result<(), LabelError> {
    let Some((dsn, hash)) = setup_codes::required(tx, device_id).await? else { return Ok(()) };
    let code = code.ok_or(LabelError::NoSetupCode)?;
    let is_right = SetupCode::parse(code).zip(hash).is_some_and(|(code, hash)| code.matches(&dsn, &hash));
    if is_right { Ok(()) } else { Err(LabelError::WrongSetupCode) }
}

/// The existing label with this role and key, other than `but`. A device has at most one of each.
fn with_same_key<'a>(present: &'a [LabelRow], label: &NewLabel<'_>, but: Option<i64>) -> Option<&'a LabelRow> {
    present.iter().find(|row| row.role_id == label.role.id && row.label_key == label.key && Some(row.id) != but)
}
