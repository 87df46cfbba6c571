//! Many streams of one device.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use tokio::sync::Semaphore;

use crate::browser::Events;
use crate::scene::{self, READERS, Scene};
use crate::{Measured, cpu, now};

/// The device link accepts so many reports at once.
const REPORTS: usize = 80;
const WARM_UP: usize = 10;
/// Maximum number of reports in flight from the device to the last reader, so that no stream drops events.
const WINDOW: usize = 15;

/// Returns the number of events per reader, one of them, and the measurement.
pub(crate) async fn measure(scene: &Scene) -> (usize, String, Measured) {
    let query = format!("dsn={}", scene::dsn(0));
    let mut readers = Vec::with_capacity(READERS);
    for reader in 0..READERS {
        readers.push(Events::open(scene.console.url(), &query, scene.cookie(reader)).await);
    }
    let mut device = scene.connect(0).await;
    let (_, values) = scene::settings(0);
    let mut run = async |readers: Vec<Events>, reports: usize| {
        let room = Arc::new(Semaphore::new(WINDOW));
        let marks: Arc<[AtomicUsize]> = (0..reports).map(|_| AtomicUsize::new(0)).collect();
        let tasks = readers.into_iter().map(|reader| tokio::spawn(read(reader, values, marks.clone(), room.clone())));
        let tasks: Vec<_> = tasks.collect();
        for number in 0..reports {
            room.acquire().await.unwrap().forget();
            device.report(scene::settings(number).0).await.unwrap();
        }
        join_all(tasks).await.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    };
    let readers = run(readers, WARM_UP).await.into_iter().map(|(reader, _)| reader).collect();
    let before = cpu::of(scene.console.id());
    let begin = now();
    let mut done = run(readers, REPORTS).await;
    let measured = Measured { elapsed: begin.elapsed(), cpu: cpu::of(scene.console.id()) - before };
    (REPORTS * values, done.pop().unwrap().1, measured)
}

/// Reads the events of all reports, and returns a permit for each report that all readers have read.
async fn read(mut reader: Events, values: usize, marks: Arc<[AtomicUsize]>, room: Arc<Semaphore>) -> (Events, String) {
    let mut last = String::new();
    for mark in marks.iter() {
        for _ in 0..values {
            let event = reader.until("device").await;
            if last.is_empty() {
                event.clone_into(&mut last);
            }
        }
        if mark.fetch_add(1, Ordering::SeqCst) + 1 == READERS {
            room.add_permits(1);
        }
    }
    (reader, last)
}
