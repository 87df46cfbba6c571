//! Limits the unpaged lists that a node sends at the same time, and their load on the database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use platform::run::rate_limit::LimitReached;
use tokio::sync::Semaphore;

/// Maximum number of pages that are read from the database at the same time, on any number of cores. SQLite has four read
/// connections; the others remain for other requests.
const MAX_READS: usize = 2;
/// Maximum number of lists that are sent to a user at the same time.
const LISTS_PER_USER: usize = 8;
/// The same for all users. Each holds one page in memory.
const LISTS: usize = 256;
/// The time after which a refused user can try again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The readers of unpaged lists of a node. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct ListReaders(Arc<Readers>);

#[derive(Debug)]
struct Readers {
    reads: Semaphore,
    open: Mutex<OpenLists>,
}

#[derive(Debug, Default)]
struct OpenLists {
    count: usize,
    /// Only users with open lists.
    by_user: HashMap<i64, usize>,
}

/// A list that is being sent, until it is dropped.
#[derive(Debug)]
pub(crate) struct OpenList {
    readers: ListReaders,
    user_id: i64,
}

impl ListReaders {
    /// Pages that are read at the same time use at most half of the cores.
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self::with_reads((cores / 2).clamp(1, MAX_READS))
    }

    fn with_reads(reads: usize) -> Self {
        Self(Arc::new(Readers { reads: Semaphore::new(reads), open: Mutex::default() }))
    }

    /// Reads a page when it is its turn.
    pub(crate) async fn read<T>(&self, page: impl Future<Output = T>) -> T {
        let _permit = self.0.reads.acquire().await.expect("a semaphore that is never closed");
        page.await
    }

    /// Counts a list that is sent to this user.
    ///
    /// # Errors
    /// [`LimitReached`].
    pub(crate) fn open(&self, user_id: i64) -> Result<OpenList, LimitReached> {
        let mut open = self.0.open.lock().expect("no holder of this lock can panic");
        let of_user = open.by_user.get(&user_id).copied().unwrap_or_default();
        if of_user >= LISTS_PER_USER || open.count >= LISTS {
            return Err(LimitReached { wait: RETRY_AFTER });
        }
        open.by_user.insert(user_id, of_user + 1);
        open.count += 1;
        Ok(OpenList { readers: self.clone(), user_id })
    }
}

impl Drop for OpenList {
    fn drop(&mut self) {
        let mut open = self.readers.0.open.lock().expect("no holder of this lock can panic");
        open.count -= 1;
        if let Some(count) = open.by_user.get_mut(&self.user_id) {
            *count -= 1;
            if *count == 0 {
                open.by_user.remove(&self.user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn user_with_all_their_lists_open_leaves_lists_to_others() {
        let readers = ListReaders::new();
        let mut lists: Vec<_> = (0..LISTS_PER_USER).map(|_| readers.open(1).unwrap()).collect();
        assert_eq!(readers.open(1).unwrap_err().wait, RETRY_AFTER);
        assert!(readers.open(2).is_ok());
        lists.pop();
        assert!(readers.open(1).is_ok());
        drop(lists);
        assert_eq!(readers.0.open.lock().unwrap().by_user, HashMap::new());
    }

    #[test]
    fn lists_of_all_users_are_limited() {
        let readers = ListReaders::new();
        let users = 0..i64::try_from(LISTS).unwrap();
        let lists: Vec<_> = users.map(|user| readers.open(user).unwrap()).collect();
        assert!(readers.open(-1).is_err());
        drop(lists);
        assert!(readers.open(-1).is_ok());
    }

    #[test]
    fn third_page_waits_for_the_first_two() {
        let readers = ListReaders::with_reads(2);
        let never = || Box::pin(readers.read(std::future::pending::<()>()));
        let (mut first, mut second) = (never(), never());
        assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
        let mut third = Box::pin(readers.read(async {}));
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        assert!(third.now_or_never().is_some());
    }
}
