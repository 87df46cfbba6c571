//! What devices said between two commits: kept by one transaction.

use std::collections::HashMap;
use std::mem::{Discriminant, discriminant};
use std::sync::Arc;

use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, Error};
use platform::random::Random;

use super::keep::{Kept, keep};
use super::link::{AckOutcome, Generation};
use super::said::{Ack, Asked, Report, Said};
use crate::reactions::Reactions;
use crate::stream::event;

/// Things that devices said, by kind. It is kept whole or not at all.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) hellos: Vec<Asked<i64, Option<Generation>>>,
    pub(super) goodbyes: Vec<Asked<Generation, ()>>,
    pub(super) reports: Vec<Asked<Report, ()>>,
    pub(super) acks: Vec<Asked<Ack, AckOutcome>>,
    /// What each device said. One kind of thing each: kinds are kept one after the other, in an order of their own.
    kinds: HashMap<i64, Discriminant<Said>>,
}

impl Group {
    /// Adds a thing; gives it back when it has to wait for the next group.
    pub(super) fn add(&mut self, said: Said) -> Option<Said> {
        let kind = discriminant(&said);
        if *self.kinds.entry(said.device_id()).or_insert(kind) != kind {
            return Some(said);
        }
        match said {
            Said::Hello(asked) => self.hellos.push(asked),
            Said::Goodbye(asked) => self.goodbyes.push(asked),
            Said::Report(asked) => self.reports.push(asked),
            Said::Ack(asked) => self.acks.push(asked),
        }
        None
    }

    /// How much it is, about in rows.
    pub(super) fn size(&self) -> usize {
        let values: usize = self.reports.iter().map(|asked| asked.what.values.len()).sum();
        values + self.kinds.len()
    }

    /// Keeps it, tells the stream, and then everybody who asked.
    pub(super) async fn keep(self, db: &Db, clock: &Clock, random: &Random, bus: &Bus, reactions: &Reactions) {
        match keep(db, &self, clock.now(), random, reactions).await {
            Ok(Kept { generations, outcomes, events }) => {
                event::publish(bus, &events);
                self.hellos.into_iter().zip(generations).for_each(|(asked, answer)| asked.answer(Ok(answer)));
                self.acks.into_iter().zip(outcomes).for_each(|(asked, answer)| asked.answer(Ok(answer)));
                self.goodbyes.into_iter().for_each(|asked| asked.answer(Ok(())));
                self.reports.into_iter().for_each(|asked| asked.answer(Ok(())));
            }
            Err(error) => {
                // Once for the group: each of its devices only learns that it is not stored. That the database is not available
                // is logged by the database.
                if !error.is_unavailable() {
                    tracing::error!(%error, "what devices sent was not stored");
                }
                let error = Arc::new(error);
                let failed = || Error::Shared(Arc::clone(&error));
                self.hellos.into_iter().for_each(|asked| asked.answer(Err(failed())));
                self.acks.into_iter().for_each(|asked| asked.answer(Err(failed())));
                self.goodbyes.into_iter().for_each(|asked| asked.answer(Err(failed())));
                self.reports.into_iter().for_each(|asked| asked.answer(Err(failed())));
            }
        }
    }
}
