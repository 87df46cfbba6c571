use std::pin::Pin;

/// A boxed future, as returned by the traits of this library.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
