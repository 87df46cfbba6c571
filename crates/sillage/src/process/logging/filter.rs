//! The filter of the log.

use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::{Context, Filter};

/// A filter that is asked about every span and event, instead of once for each place in the code.
///
/// A layer with a filter remembers a "no" until the next event of the thread. `sqlx` asks through the crate `log` whether a statement would
/// be logged, without logging it, so that the "no" would apply to the next event, unless that one asks again.
pub(super) struct Uncached(pub(super) EnvFilter);

impl<S> Filter<S> for Uncached
where
    EnvFilter: Filter<S>,
{
    fn enabled(&self, metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool {
        Filter::enabled(&self.0, metadata, context)
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        let interest = Filter::callsite_enabled(&self.0, metadata);
        if interest.is_never() { interest } else { Interest::sometimes() }
    }

    fn event_enabled(&self, event: &Event<'_>, context: &Context<'_, S>) -> bool {
        Filter::event_enabled(&self.0, event, context)
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Filter::max_level_hint(&self.0)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        Filter::on_new_span(&self.0, attributes, id, context);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        Filter::on_record(&self.0, id, values, context);
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        Filter::on_enter(&self.0, id, context);
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        Filter::on_exit(&self.0, id, context);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        Filter::on_close(&self.0, id, context);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};

    use tracing::callsite::Callsite;
    use tracing::dispatcher::get_default;
    use tracing::level_filters::LevelFilter;
    use tracing::metadata::Kind;
    use tracing::{Level, callsite};
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{Layer, fmt};

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn event_after_a_question_about_another_one_is_logged_at_any_level() {
        for filter in ["info", "trace", "other=trace,info", "sqlx::query=debug,info"] {
            let statement = callsite! {
                name: "statement", kind: Kind::EVENT, target: "sqlx::query", level: Level::TRACE, fields:
            };
            let written = Written::default();
            let writer = written.clone();
            let log = fmt::layer().with_writer(move || writer.clone());
            let log = log.with_filter(Uncached(EnvFilter::new(filter)));
            tracing::subscriber::with_default(tracing_subscriber::registry().with(log), || {
                // The first one registers the place.
                for _ in 0..3 {
                    // As sqlx does after a statement.
                    if LevelFilter::current() >= LevelFilter::TRACE {
                        get_default(|subscriber| subscriber.enabled(statement.metadata()));
                    }
                    tracing::info!("logged");
                }
            });
            let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
            assert_eq!(text.matches("logged").count(), 3, "{filter}: {text}");
        }
    }
}
