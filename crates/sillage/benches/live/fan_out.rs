//! Many streams of the same devices.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use tokio::sync::Semaphore;

use crate::browser::Events;
use crate::scene::{self, READERS, Scene};
use crate::{Measured, cpu, now};

const DEVICES: usize = 25;
/// Reports of each device: fewer than the device link accepts at once, and than the intensities that are reported in turn, so
/// that an event shows which report it follows.
const REPORTS: usize = 40;
const WARM_UP: usize = 5;
/// Maximum number of reports in flight from the devices to the last reader, so that no stream drops events.
const WINDOW: usize = 2 * DEVICES;

/// Returns the number of events of all readers, one of them, and the measurement.
pub(crate) async fn measure(scene: &Scene) -> (usize, String, Measured) {
    let dsns: Vec<String> = (0..DEVICES).map(|device| format!("dsn={}", scene::dsn(device))).collect();
    let query = dsns.join("&");
    let (mut readers, mut devices) = (Vec::with_capacity(READERS), Vec::with_capacity(DEVICES));
    for reader in 0..READERS {
        readers.push(Events::open(scene.console.url(), &query, scene.cookie(reader)).await);
    }
    for device in 0..DEVICES {
        devices.push(scene.connect(device).await);
    }
    let mut run = async |readers: Vec<Events>, reports: Range<usize>| {
        let room = Arc::new(Semaphore::new(WINDOW));
        let marks: Arc<[AtomicUsize]> = (0..reports.len() * DEVICES).map(|_| AtomicUsize::new(0)).collect();
        let read = |reader| tokio::spawn(read(reader, reports.clone(), marks.clone(), room.clone()));
        let tasks: Vec<_> = readers.into_iter().map(read).collect();
        for number in reports.clone() {
            for device in &mut devices {
                room.acquire().await.unwrap().forget();
                device.report(scene::settings(number)).await.unwrap();
            }
        }
        join_all(tasks).await.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    };
    let readers = run(readers, 0..WARM_UP).await.into_iter().map(|(reader, ..)| reader).collect();
    let before = cpu::of(scene.console.id());
    let begin = now();
    let mut done = run(readers, WARM_UP..REPORTS).await;
    let measured = Measured { elapsed: begin.elapsed(), cpu: cpu::of(scene.console.id()) - before };
    let events = done.iter().map(|(_, events, _)| events).sum();
    (events, done.pop().unwrap().2, measured)
}

/// Reads until events have shown the last report of each device. The values of a report are one event or several, and an event
/// may be about several reports. Returns a permit for each report that all readers have seen; the number of events; and the
/// last one.
async fn read(
    mut reader: Events,
    reports: Range<usize>,
    marks: Arc<[AtomicUsize]>,
    room: Arc<Semaphore>,
) -> (Events, usize, String) {
    let (mut unseen, mut incomplete, mut events) = (vec![reports.clone(); DEVICES], DEVICES, 0);
    loop {
        let event = reader.until("device").await;
        events += 1;
        let device = scene::device(event);
        let Some(shown) = unseen[device].clone().find(|number| event.contains(&scene::shown(*number))) else {
            continue;
        };
        for number in unseen[device].start..=shown {
            let mark = &marks[(number - reports.start) * DEVICES + device];
            if mark.fetch_add(1, Ordering::SeqCst) + 1 == READERS {
                room.add_permits(1);
            }
        }
        unseen[device].start = shown + 1;
        incomplete -= usize::from(unseen[device].is_empty());
        if incomplete == 0 {
            let last = event.to_owned();
            return (reader, events, last);
        }
    }
}
