//! A panic of an application's own part (a store, an auth provider, a detail provider) becomes a general error with its text.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::{AuthProvider, Authorization, BoxFuture, SignIn, TokenLock, TokenStore};
use crate::error::{Error, ErrorKind, Result};
use crate::messages;
use crate::secret::SecretText;

/// An application's part, whose panics are errors.
pub(super) struct Caught<P: ?Sized>(pub(super) Arc<P>);

struct CaughtLock(Box<dyn TokenLock>);

impl AuthProvider for Caught<dyn AuthProvider> {
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        caught(move || self.0.sign_in(email, password))
    }

    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        caught(move || self.0.sign_out(authorization))
    }
}

impl TokenStore for Caught<dyn TokenStore> {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        caught(move || self.0.load())
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async move {
            let lock = caught(move || self.0.lock()).await?;
            Ok(Box::new(CaughtLock(lock)) as Box<dyn TokenLock>)
        })
    }
}

impl TokenLock for CaughtLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        caught(move || self.0.load())
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        caught(move || self.0.save(authorization))
    }
}

/// A part may throw before it has a future to give.
fn caught<'a, T: 'a>(call: impl FnOnce() -> BoxFuture<'a, Result<T>> + Send + 'a) -> BoxFuture<'a, Result<T>> {
    Box::pin(async {
        let called = AssertUnwindSafe(async { call().await }).catch_unwind();
        called.await.unwrap_or_else(|thrown| Err(panic_error(thrown)))
    })
}

/// What ended a task of the library's own.
pub(crate) fn task_failed(error: tokio::task::JoinError) -> Error {
    error.try_into_panic().map_or_else(|_| Error::new(ErrorKind::Internal, messages::TASK_FAILED), panic_error)
}

/// The error that carries the message of a panic.
pub(crate) fn panic_error(thrown: Box<dyn Any + Send>) -> Error {
    let text = thrown
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| thrown.downcast::<String>().ok().map(|text| *text));
    Error::new(ErrorKind::General, text.unwrap_or_else(|| messages::TASK_FAILED.to_owned()))
}
