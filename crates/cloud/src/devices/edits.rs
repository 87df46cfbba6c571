//! Edits of a device: name, address, time zone, location and owner.

use bytes::Bytes;
use jiff::Timestamp;
use platform::bus::Bus;
use platform::db::{Db, Result, Tx};
use platform::run::clock::Clock;

use super::commands::SUBJECT;
use crate::domain::location::NewLocation;
use crate::reactions::{Occurrence, OccurrenceKind, Reactions};
use crate::store;
use crate::store::device_edits::{self, Address};
use crate::stream::event::{self, Event};

/// Devices reset within a transaction; pass them to [`Edits::publish`] after the commit.
#[must_use]
#[derive(Debug)]
pub(crate) struct ResetDevices {
    dsns: Vec<String>,
    events: Vec<Event>,
}

/// Edits devices. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Edits {
    pub(crate) db: Db,
    pub(crate) clock: Clock,
    pub(crate) bus: Bus,
    pub(crate) reactions: Reactions,
}

impl Edits {
    /// # Errors
    /// A database error.
    pub(crate) async fn rename(&self, device_id: i64, product_name: &str) -> Result<()> {
        device_edits::rename(&self.db, device_id, product_name, self.clock.now()).await
    }

    /// # Errors
    /// A database error.
    pub(crate) async fn set_address(&self, device_id: i64, address: Address<'_>) -> Result<()> {
        device_edits::set_address(&self.db, device_id, address, self.clock.now()).await
    }

    /// Sets the time zone and wakes the device link: the device runs its schedule in this zone.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn set_time_zone(&self, device_id: i64, dsn: &str, tz_id: Option<&str>) -> Result<()> {
        device_edits::set_time_zone(&self.db, device_id, tz_id, self.clock.now()).await?;
        self.wake_link(dsn);
        Ok(())
    }

    /// Sets the location and publishes an event. Returns the time of the change.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn set_location(&self, device_id: i64, location: &NewLocation) -> Result<Timestamp> {
        let now = self.clock.now();
        let set_location = async |mut tx: Tx| -> Result<_> {
            device_edits::set_location(&mut tx, device_id, location.lat, location.lng, now).await?;
            let origin = store::audience::origins(&mut tx, &[device_id]).await?.remove(&device_id);
            let moved = Occurrence { device_id, kind: OccurrenceKind::Location(location) };
            self.reactions.react(&mut tx, &[moved], now).await?;
            tx.commit().await?;
            Ok(origin)
        };
        let origin = self.db.write(set_location).await?;
        if let Some(origin) = origin {
            event::publish(&self.bus, &[event::location(&origin, location, now)]);
        }
        Ok(now)
    }

    /// Resets the device to the state of its template. It stays registered; the nodes behind it are unregistered
    ///
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn factory_reset(&self, device_id: i64) -> Result<()> {
        let factory_reset = async |mut tx: Tx| -> Result<_> {
            let nodes = device_edits::registered_nodes(&mut tx, device_id).await?;
            let reset = self.reset(&mut tx, &[device_id], nodes).await?;
            tx.commit().await?;
            Ok(reset)
        };
        let reset = self.db.write(factory_reset).await?;
        self.publish(&reset);
        Ok(())
    }

    /// Returns the device to factory stock.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn unregister(&self, device_id: i64) -> Result<()> {
        let unregister = async |mut tx: Tx| -> Result<_> {
            let reset = self.reset(&mut tx, &[], vec![device_id]).await?;
            tx.commit().await?;
            Ok(reset)
        };
        let reset = self.db.write(unregister).await?;
        self.publish(&reset);
        Ok(())
    }

    /// Returns the devices of a user to factory stock, in the transaction that deletes the user. Call
    /// [`publish`](Self::publish) after the commit.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn unregister_all_of(&self, tx: &mut Tx, user_id: i64) -> Result<ResetDevices> {
        let devices = device_edits::owned(tx, user_id).await?;
        self.reset(tx, &[], devices).await
    }

    /// Returns a device to factory stock, in the transaction that removes it.
    ///
    /// # Errors
    /// A database error.
    pub(crate) async fn unregister_in(&self, tx: &mut Tx, device_id: i64) -> Result<ResetDevices> {
        self.reset(tx, &[], vec![device_id]).await
    }

    /// Resets `registered` devices, which stay registered, and `unregistered` ones, which return to stock.
    async fn reset(&self, tx: &mut Tx, registered: &[i64], unregistered: Vec<i64>) -> Result<ResetDevices> {
        let now = self.clock.now();
        let devices = [registered, &unregistered].concat();
        store::schedules::delete_of_devices(tx, &unregistered).await?;
        device_edits::reset_properties(tx, &devices).await?;
        store::connection_history::reset(tx, &devices, now).await?;
        store::triggers::reset(tx, &devices).await?;
        // Before the change, so that the previous owners receive the event and their rules see it.
        let origins = store::audience::origins(tx, &devices).await?;
        let is_registered = |id: &i64| origins.get(id).is_some_and(|origin| origin.audience.registered);
        let kind = OccurrenceKind::Registration { registered: false };
        let occurrences: Vec<Occurrence<'_>> = unregistered
            .iter()
            .copied()
            .filter(is_registered)
            .map(|device_id| Occurrence { device_id, kind })
            .collect();
        self.reactions.react(tx, &occurrences, now).await?;
        let mut events = Vec::new();
        for id in unregistered {
            if device_edits::return_to_stock(tx, id, now).await? {
                events.extend(origins.get(&id).map(|origin| event::registration(origin, false, now)));
            }
        }
        Ok(ResetDevices { dsns: origins.into_values().map(|origin| origin.dsn).collect(), events })
    }

    /// Wakes the device link and publishes the events.
    pub(crate) fn publish(&self, reset: &ResetDevices) {
        reset.dsns.iter().for_each(|dsn| self.wake_link(dsn));
        event::publish(&self.bus, &reset.events);
    }

    fn wake_link(&self, dsn: &str) {
        self.bus.publish(format!("{SUBJECT}{dsn}"), Bytes::new());
    }
}
