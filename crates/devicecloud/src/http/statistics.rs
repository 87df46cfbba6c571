use std::sync::atomic::{AtomicU64, Ordering};

/// What a client and its clones have sent and received so far. Returned by
/// [`Client::statistics`](crate::Client::statistics).
///
/// Clients of other sessions over the same connections ([`Client::with_store`](crate::Client::with_store)) count
/// together. File content is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Calls, each with all its attempts. A call that refreshes its tokens first counts as two.
    pub calls: u64,
    /// Calls that returned an error after their last attempt.
    pub failed_calls: u64,
    /// HTTP requests, including those of retries.
    pub requests: u64,
    /// Requests that repeated a failed one.
    pub retries: u64,
    /// Requests without a response in time.
    pub timeouts: u64,
    /// Bytes of request bodies.
    pub bytes_sent: u64,
    /// Bytes of response bodies.
    pub bytes_received: u64,
    /// Streams that were connected.
    pub stream_connects: u64,
    /// Attempts to connect a stream that failed.
    pub failed_stream_connects: u64,
}

macro_rules! counters {
    ($($name:ident),* $(,)?) => {
        #[derive(Default)]
        pub(crate) struct Counters {
            $(pub(crate) $name: Counter,)*
        }

        impl Counters {
            pub(crate) fn snapshot(&self) -> Statistics {
                Statistics { $($name: self.$name.0.load(Ordering::Relaxed),)* }
            }
        }
    };
}

counters! {
    calls, failed_calls, requests, retries, timeouts, bytes_sent, bytes_received, stream_connects,
    failed_stream_connects,
}

#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count.try_into().unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
