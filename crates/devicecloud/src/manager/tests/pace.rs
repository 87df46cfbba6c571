//! The pace of the requests of a manager without a stream, at the default interval.

use super::*;

const INTERVAL: Duration = crate::DEFAULT_MANAGER_REQUEST_INTERVAL;
const PROPERTIES: &str = "/properties.json";

fn cloud(dsns: &[String]) -> TestCloud {
    let dsns: Vec<_> = dsns.iter().map(String::as_str).collect();
    TestCloud::build(&dsns, |_| {}, |client| client.manager_request_interval(INTERVAL))
}

impl TestCloud {
    fn times(&self) -> Vec<Instant> {
        self.state().times.clone()
    }

    /// Answers the next request with this part in its URL with 429. Returns when it did so.
    async fn limit(&self, part: &'static str, retry_after: &'static str) -> Instant {
        self.state().limit = Some((part, retry_after));
        loop {
            tokio::time::sleep(INTERVAL / 2).await;
            let state = self.state();
            if state.limit.is_none() {
                return *state.times.last().unwrap();
            }
        }
    }
}

/// The shortest time between two requests.
fn shortest_interval(times: &[Instant]) -> Duration {
    times.windows(2).map(|pair| pair[1] - pair[0]).min().unwrap()
}

#[tokio::test(start_paused = true)]
async fn requests_for_200_devices_keep_the_interval_and_honour_retry_after() {
    let dsns: Vec<_> = (0..200).map(|number| format!("D{number:03}")).collect();
    let cloud = cloud(&dsns);
    // The smallest and the largest number of reads of a device.
    let reads = || {
        let counts = dsns.iter().map(|dsn| cloud.count(&format!("{dsn}{PROPERTIES}")));
        let counts: Vec<_> = counts.collect();
        (*counts.iter().min().unwrap(), *counts.iter().max().unwrap())
    };
    let manager = cloud.ready().await;
    tokio::time::sleep(120 * SECOND).await;
    let times = cloud.times();
    assert!(shortest_interval(&times) >= INTERVAL, "{:?}", shortest_interval(&times));
    let intervals = (times[times.len() - 1] - times[0]).as_millis() / INTERVAL.as_millis();
    assert!(times.len() as u128 > intervals * 98 / 100, "{} requests in {intervals} intervals", times.len());
    let (least, most) = reads();
    assert!(least >= 12 && most - least <= 1, "the devices take turns: {least} to {most} reads");
    assert!((7..=9).contains(&cloud.count(LIST)), "the list is read about every 15 seconds");

    // The answer to one request, of a device or of the list, puts off all of them.
    for (part, text, retry_after) in [(PROPERTIES, "20", 20), (LIST, "45", 45)] {
        let limited_at = cloud.limit(part, text).await;
        let before = reads().0;
        let retry_after = Duration::from_secs(retry_after);
        tokio::time::sleep(retry_after + 30 * SECOND).await;
        let times = cloud.times();
        let wait = *times.iter().find(|time| **time > limited_at).unwrap() - limited_at;
        assert!(wait >= retry_after && wait < retry_after + SECOND, "{part}: the next request came after {wait:?}");
        assert!(shortest_interval(&times) >= INTERVAL);
        assert!(reads().0 > before, "{part}: the devices are read again");
    }
    assert_eq!((manager.state(), manager.devices().len()), (DeviceManagerState::Ready, 200));
}

#[tokio::test(start_paused = true)]
async fn first_requests_are_repeated_after_retry_after_and_in_their_turn() {
    let cloud = cloud(&["A".to_owned(), "B".to_owned()]);
    cloud.state().limit = Some((LIST, "7"));
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    tokio::time::sleep(SECOND).await;
    cloud.state().limit = Some((PROPERTIES, "9"));
    manager.ready().await.unwrap();
    let times = cloud.times();
    let waits: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]).as_millis()).collect();
    assert_eq!(waits, [7000, 50, 9000, 50], "the list twice, then A twice, then B");
    assert!(manager.devices().iter().all(|device| device.init_error().is_none()));
}

#[tokio::test(start_paused = true)]
async fn start_after_a_long_retry_after_waits_for_it() {
    let cloud = cloud(&["A".to_owned()]);
    cloud.state().limit = Some((LIST, "600"));
    let manager = DeviceManager::new(&cloud.client);
    manager.start(true);
    let error = manager.ready().await.unwrap_err();
    assert_eq!(error.status(), Some(429));
    manager.start(true);
    manager.ready().await.unwrap();
    let times = cloud.times();
    assert_eq!((times[1] - times[0]).as_secs(), 600);
}

#[tokio::test(start_paused = true)]
async fn manually_added_devices_refreshes_and_pauses_keep_the_interval() {
    let cloud = cloud(&["A".to_owned()]);
    for dsn in ["H", "I", "J"] {
        cloud.state().unlisted.insert(dsn.into(), (device(dsn), BTreeMap::new()));
    }
    let manager = cloud.ready().await;
    for dsn in ["H", "I", "J"] {
        manager.add(dsn).unwrap();
    }
    manager.ready().await.unwrap();
    manager.refresh();
    tokio::time::sleep(60 * SECOND).await;
    manager.pause();
    manager.resume();
    tokio::time::sleep(60 * SECOND).await;
    assert!(shortest_interval(&cloud.times()) >= INTERVAL);
}
