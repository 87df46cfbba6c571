//! The task of a node that stores the messages of devices. While one batch is committed, the next one fills.

use std::sync::Arc;

use platform::bus::Bus;
use platform::db::{Db, Error, Result};
use platform::run::clock::Clock;
use platform::run::random::Random;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::batch::Batch;
use super::message::{DeviceMessage, Queued};
use super::persist::{LoggedFault, Persisted, persist};
use crate::reactions::Reactions;
use crate::stream::event;

/// Capacity of the queue. When it is full, senders wait.
const QUEUE_CAPACITY: usize = 1024;
/// A batch is full at this many rows.
const MAX_BATCH_ROWS: usize = 4096;

/// Sends messages to the writer task. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct GroupWriter {
    queue: mpsc::Sender<DeviceMessage>,
}

impl GroupWriter {
    /// A writer and its task, which ends when `stop` is cancelled and every queued message is stored.
    pub(super) fn new(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()>) {
        let (sender, mut queue) = mpsc::channel(QUEUE_CAPACITY);
        let task = async move {
            let mut held_over = None;
            loop {
                let first = match held_over.take() {
                    Some(first) => Some(first),
                    None => tokio::select! {
                        biased;
                        first = queue.recv() => first,
                        () = stop.cancelled(), if !queue.is_closed() => {
                            queue.close();
                            continue;
                        }
                    },
                };
                let Some(first) = first else { return };
                let mut batch = Batch::default();
                held_over = batch.add(first);
                while held_over.is_none() && batch.size() < MAX_BATCH_ROWS {
                    let Ok(next) = queue.try_recv() else { break };
                    held_over = batch.add(next);
                }
                store(batch, &db, &clock, &random, &bus, &reactions).await;
            }
        };
        (Self { queue: sender }, task)
    }

    /// Queues a message and waits until it is on disk.
    ///
    /// # Errors
    /// A database error, or that the node has stopped.
    pub(super) async fn store<T, R>(
        &self,
        device_id: i64,
        payload: T,
        message: impl FnOnce(Queued<T, R>) -> DeviceMessage,
    ) -> Result<R> {
        let (reply, stored) = oneshot::channel();
        let stopped = || platform::db::Error::from(sqlx::Error::PoolClosed);
        self.queue.send(message(Queued { device_id, payload, reply })).await.map_err(|_| stopped())?;
        stored.await.map_err(|_| stopped())?
    }
}

/// Stores a batch, publishes its events and then replies to every sender.
async fn store(batch: Batch, db: &Db, clock: &Clock, random: &Random, bus: &Bus, reactions: &Reactions) {
    match persist(db, &batch, clock.now(), random, reactions).await {
        Ok(Persisted { connected, replaced, reported, acked, events, taken_over, faults }) => {
            event::publish(bus, &events);
            taken_over.iter().for_each(|newer| newer.publish(bus));
            for LoggedFault { dsn, subject, kind, reason } in faults {
                let kind = kind.as_str();
                tracing::warn!(%dsn, property = subject, kind, reason, "a device does not follow the protocol");
            }
            batch.connected.into_iter().zip(connected).for_each(|(queued, result)| queued.reply(Ok(result)));
            batch.acks.into_iter().zip(acked).for_each(|(queued, result)| queued.reply(Ok(result)));
            batch.disconnected.into_iter().for_each(|queued| queued.reply(Ok(())));
            batch.replaced.into_iter().zip(replaced).for_each(|(queued, result)| queued.reply(Ok(result)));
            batch.silences.into_iter().for_each(|queued| queued.reply(Ok(())));
            batch.refusals.into_iter().for_each(|queued| queued.reply(Ok(())));
            batch.reports.into_iter().zip(reported).for_each(|(queued, result)| queued.reply(Ok(result)));
        }
        Err(error) => {
            // Logged once for the batch: each device only learns that its message is not stored. The database itself logs
            // that it is unavailable.
            if !error.is_unavailable() {
                tracing::error!(%error, "messages of devices were not stored");
            }
            let error = Arc::new(error);
            let failed = || Error::Shared(Arc::clone(&error));
            batch.connected.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.acks.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.disconnected.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.replaced.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.silences.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.refusals.into_iter().for_each(|queued| queued.reply(Err(failed())));
            batch.reports.into_iter().for_each(|queued| queued.reply(Err(failed())));
        }
    }
}
