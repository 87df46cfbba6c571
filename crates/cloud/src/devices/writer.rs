//! The one task of a node that keeps what devices say: while a group is committed, the next one gathers.

use platform::bus::Bus;
use platform::clock::Clock;
use platform::db::{Db, Result};
use platform::random::Random;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::group::Group;
use super::said::{Asked, Said};
use crate::reactions::Reactions;

/// How many things wait to be gathered; more devices than that wait for their turn.
const WAITING: usize = 1024;
/// A group is full at so many rows.
const ROWS: usize = 4096;

/// The way to the writer. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    said: mpsc::Sender<Said>,
}

impl Writer {
    /// A writer, and its work: that ends when `stop` is cancelled and everything said before is kept.
    pub(super) fn new(
        db: Db,
        clock: Clock,
        random: Random,
        bus: Bus,
        reactions: Reactions,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()>) {
        let (sender, mut said) = mpsc::channel(WAITING);
        let work = async move {
            let mut held_over = None;
            loop {
                let first = match held_over.take() {
                    Some(first) => Some(first),
                    None => tokio::select! {
                        biased;
                        first = said.recv() => first,
                        () = stop.cancelled(), if !said.is_closed() => {
                            said.close();
                            continue;
                        }
                    },
                };
                let Some(first) = first else { return };
                let mut group = Group::default();
                held_over = group.add(first);
                while held_over.is_none() && group.size() < ROWS {
                    let Ok(next) = said.try_recv() else { break };
                    held_over = group.add(next);
                }
                group.keep(&db, &clock, &random, &bus, &reactions).await;
            }
        };
        (Self { said: sender }, work)
    }

    /// Has it kept, and answers when it is on disk.
    ///
    /// # Errors
    /// What the database says; or that the node has stopped.
    pub(super) async fn keep<W, A>(
        &self,
        device_id: i64,
        what: W,
        said: impl FnOnce(Asked<W, A>) -> Said,
    ) -> Result<A> {
        let (answer, kept) = oneshot::channel();
        let stopped = || platform::db::Error::from(sqlx::Error::PoolClosed);
        self.said.send(said(Asked { device_id, what, answer })).await.map_err(|_| stopped())?;
        kept.await.map_err(|_| stopped())?
    }
}
