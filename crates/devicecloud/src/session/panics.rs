//! Turns panics of the application's components (token store, auth provider, detail provider) into general errors with
//! the panic message.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;

use super::{AuthProvider, Authorization, BoxFuture, SignIn, TokenLock, TokenStore};
use crate::error::messages;
use crate::error::{Error, ErrorKind, Result};
use crate::model::secret::SecretText;

/// Wraps a component of the application, turning its panics into errors.
pub(super) struct CatchPanics<P: ?Sized>(pub(super) Arc<P>);

struct CatchPanicsLock(Box<dyn TokenLock>);

impl AuthProvider for CatchPanics<dyn AuthProvider> {
    fn sign_in<'a>(&'a self, email: &'a str, password: &'a SecretText) -> BoxFuture<'a, Result<SignIn>> {
        catch_panics(move || self.0.sign_in(email, password))
    }

    fn sign_out<'a>(&'a self, authorization: &'a Authorization) -> BoxFuture<'a, Result<()>> {
        catch_panics(move || self.0.sign_out(authorization))
    }
}

impl TokenStore for CatchPanics<dyn TokenStore> {
    fn load(&self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        catch_panics(move || self.0.load())
    }

    fn lock(&self) -> BoxFuture<'_, Result<Box<dyn TokenLock>>> {
        Box::pin(async move {
            let lock = catch_panics(move || self.0.lock()).await?;
            Ok(Box::new(CatchPanicsLock(lock)) as Box<dyn TokenLock>)
        })
    }
}

impl TokenLock for CatchPanicsLock {
    fn load(&mut self) -> BoxFuture<'_, Result<Option<Authorization>>> {
        catch_panics(move || self.0.load())
    }

    fn save<'a>(self: Box<Self>, authorization: Option<&'a Authorization>) -> BoxFuture<'a, Result<()>> {
        catch_panics(move || self.0.save(authorization))
    }
}

/// Also catches a panic of the call that creates the future.
fn catch_panics<'a, T: 'a>(call: impl FnOnce() -> BoxFuture<'a, Result<T>> + Send + 'a) -> BoxFuture<'a, Result<T>> {
    Box::pin(async {
        let called = AssertUnwindSafe(async { call().await }).catch_unwind();
        called.await.unwrap_or_else(|panic| Err(panic_error(panic)))
    })
}

/// The error of a failed task of the library.
pub(crate) fn task_failed(error: tokio::task::JoinError) -> Error {
    error.try_into_panic().map_or_else(|_| Error::new(ErrorKind::Internal, messages::TASK_FAILED), panic_error)
}

/// An error with the message of a panic.
pub(crate) fn panic_error(panic: Box<dyn Any + Send>) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast::<String>().ok().map(|text| *text));
    Error::new(ErrorKind::General, text.unwrap_or_else(|| messages::TASK_FAILED.to_owned()))
}
