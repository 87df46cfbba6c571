//! The order in which writers get SQLite's only write connection.
//!
//! A queue in order of arrival lets a user with many waiting writes delay everybody. Here, a writer who had no turn lately goes
//! first, so whoever writes rarely waits for about one transaction of others.

use std::cell::Cell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

/// Writers without a turn among the last of this number count as those who had none yet. A busy node has a few hundred a second.
const REMEMBERED_TURNS: u64 = 250;

/// The principal on whose behalf a task writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Writer {
    /// The program itself, which always counts as a writer who had no turn lately. Of these, the first to come goes first.
    #[default]
    Program,
    /// A signed-in user, by id.
    User(i64),
    /// The sender of a request without a session.
    Address(IpAddr),
}

tokio::task_local! {
    static WRITER: Cell<Writer>;
}

impl Writer {
    /// Runs `work`, during which [`assume`](Self::assume) has an effect.
    pub async fn scope<T>(work: impl Future<Output = T>) -> T {
        WRITER.scope(Cell::default(), work).await
    }

    /// The writes of the current [`scope`](Self::scope) are on behalf of this writer from now on. Has no effect outside of one.
    pub fn assume(self) {
        let _ = WRITER.try_with(|writer| writer.set(self));
    }

    /// The writer of the current task.
    #[must_use]
    pub fn current() -> Self {
        WRITER.try_with(Cell::get).unwrap_or_default()
    }
}

/// Gives one writer at a time a turn. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WriteTurns {
    queue: Arc<Mutex<Queue>>,
    max_wait: Duration,
}

#[derive(Debug, Default)]
struct Queue {
    is_taken: bool,
    /// In order of arrival.
    waiting: Vec<Waiting>,
    /// Number of turns so far.
    turns: u64,
    /// The number of the last turn of each writer.
    last_turns: HashMap<Writer, u64>,
}

#[derive(Debug)]
struct Waiting {
    writer: Writer,
    turn: oneshot::Sender<WriteTurn>,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(super) struct WriteTurn {
    turns: WriteTurns,
    writer: Writer,
}

impl WriteTurns {
    pub(super) fn new(max_wait: Duration) -> Self {
        Self { queue: Arc::default(), max_wait }
    }

    /// Waits for a turn of the current writer.
    ///
    /// # Errors
    /// `PoolTimedOut` if others take longer than the maximum.
    pub(super) async fn take(&self) -> sqlx::Result<WriteTurn> {
        timeout(self.max_wait, self.wait()).await.map_err(|_| sqlx::Error::PoolTimedOut)
    }

    async fn wait(&self) -> WriteTurn {
        let writer = Writer::current();
        let turn = {
            let mut queue = self.queue();
            if !queue.is_taken {
                queue.is_taken = true;
                return WriteTurn { turns: self.clone(), writer };
            }
            let (sender, turn) = oneshot::channel();
            queue.waiting.push(Waiting { writer, turn: sender });
            turn
        };
        turn.await.expect("a turn that ends gives the next one")
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("no holder of this lock can panic")
    }
}

impl Queue {
    /// Ends the turn of this writer. Returns who has the next one.
    fn next(&mut self, writer: Writer) -> Option<Waiting> {
        self.turns += 1;
        if writer != Writer::Program {
            self.last_turns.insert(writer, self.turns);
        }
        let forgotten = self.turns.saturating_sub(REMEMBERED_TURNS);
        self.last_turns.retain(|_, turn| *turn > forgotten);
        // Callers that gave up.
        self.waiting.retain(|waiting| !waiting.turn.is_closed());
        let last_turn = |waiting: &Waiting| self.last_turns.get(&waiting.writer).copied().unwrap_or_default();
        let next = self.waiting.iter().enumerate().min_by_key(|(_, waiting)| last_turn(waiting));
        let next = next.map(|(index, _)| index).map(|index| self.waiting.remove(index));
        self.is_taken = next.is_some();
        next
    }
}

impl Drop for WriteTurn {
    fn drop(&mut self) {
        let next = self.turns.queue().next(self.writer);
        if let Some(Waiting { writer, turn }) = next {
            // If the caller gives up at this moment, the turn is dropped and passes to another one.
            let _ = turn.send(WriteTurn { turns: self.turns.clone(), writer });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures::FutureExt;

    use super::*;

    type Taking = Pin<Box<dyn Future<Output = WriteTurn>>>;

    /// Begins to wait for a turn.
    fn wait(turns: &WriteTurns, writer: Writer) -> Taking {
        let turns = turns.clone();
        let mut taking: Taking = Box::pin(Writer::scope(async move {
            writer.assume();
            turns.wait().await
        }));
        assert!((&mut taking).now_or_never().is_none(), "another writer has the turn");
        taking
    }

    /// The order in which the waiting writers get their turns, by index.
    fn order(first: WriteTurn, waiting: Vec<Taking>) -> Vec<usize> {
        let mut waiting: Vec<_> = waiting.into_iter().enumerate().collect();
        let (mut turn, mut order) = (Some(first), Vec::new());
        while !waiting.is_empty() {
            drop(turn.take());
            let mut granted: Vec<usize> = Vec::new();
            for (at, (_, taking)) in waiting.iter_mut().enumerate() {
                if let Some(taken) = taking.now_or_never() {
                    granted.push(at);
                    turn = Some(taken);
                }
            }
            let [at] = granted[..] else { panic!("{granted:?} have a turn at the same time") };
            order.push(waiting.remove(at).0);
        }
        order
    }

    #[tokio::test]
    async fn users_take_turns_however_many_writes_each_has_waiting() {
        let turns = WriteTurns::new(Duration::from_secs(1));
        let first = turns.wait().await;
        let waiting = [1, 1, 1, 2, 2, 3].map(|user| wait(&turns, Writer::User(user)));
        assert_eq!(order(first, waiting.into()), [0, 3, 5, 1, 4, 2]);
    }

    #[tokio::test]
    async fn writer_without_a_recent_turn_goes_first() {
        let turns = WriteTurns::new(Duration::from_secs(1));
        let address = Writer::Address("192.0.2.1".parse().unwrap());
        let first = turns.wait().await;
        order(first, vec![wait(&turns, address), wait(&turns, Writer::User(1))]);
        let first = turns.wait().await;
        let waiting = [Writer::User(1), address, Writer::User(1), Writer::User(2), Writer::Program, Writer::Program];
        assert_eq!(order(first, waiting.map(|writer| wait(&turns, writer)).into()), [3, 4, 5, 1, 0, 2]);
    }

    #[tokio::test]
    async fn writer_without_a_turn_for_long_goes_before_later_writes_of_the_program() {
        let turns = WriteTurns::new(Duration::from_secs(1));
        let user = Writer::User(1);
        for (turns_of_program, expected) in [(0, [1, 0]), (REMEMBERED_TURNS, [0, 1])] {
            let first = turns.wait().await;
            order(first, vec![wait(&turns, user)]);
            for _ in 0..turns_of_program {
                turns.wait().await;
            }
            let first = turns.wait().await;
            assert_eq!(order(first, [user, Writer::Program].map(|writer| wait(&turns, writer)).into()), expected);
        }
    }

    #[tokio::test]
    async fn caller_that_gives_up_loses_its_turn_to_the_next() {
        let turns = WriteTurns::new(Duration::from_secs(1));
        let first = turns.wait().await;
        let [one, two, three] = [1, 2, 3].map(|user| wait(&turns, Writer::User(user)));
        drop(one);
        drop(first);
        // The second has the turn already, but has not noticed yet.
        drop(two);
        assert!(three.now_or_never().is_some());
        assert!(turns.wait().now_or_never().is_some());
    }

    #[tokio::test]
    async fn writers_are_forgotten() {
        let turns = WriteTurns::new(Duration::from_secs(1));
        for user in 0..i64::try_from(REMEMBERED_TURNS * 3).unwrap() {
            Writer::scope(async {
                Writer::User(user).assume();
                turns.wait().await
            })
            .await;
        }
        assert!(turns.queue().last_turns.len() <= usize::try_from(REMEMBERED_TURNS).unwrap());
    }
}
