//! The number of files, including sockets, that the process may open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit to the maximum that the system allows the process. Returns the limit, `u64::MAX` if there is none.
#[must_use]
pub fn raise() -> u64 {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    // A system that refuses leaves the limit as it is.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    current()
}

/// The limit, `u64::MAX` if there is none.
#[must_use]
pub fn current() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raised_limit_is_the_maximum() {
        let limit = raise();
        assert_eq!(Some(limit).filter(|limit| *limit != u64::MAX), getrlimit(Resource::Nofile).maximum);
        assert_eq!(current(), limit);
    }
}
