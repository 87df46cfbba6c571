//! A list that somebody requests while many others are open.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::header::{COOKIE, ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::browser::Events;
use crate::now;
use crate::scene::{self, READERS, Scene};

const ALONE: Duration = Duration::from_secs(5);
/// Long enough for each list to be read again.
const BESIDE: Duration = Duration::from_secs(20);
/// Somebody requests a list so often.
const REQUESTS: Duration = Duration::from_millis(20);
/// Devices whose levels change, and how often one of them does.
const CHANGING: usize = 100;
const CHANGES: Duration = Duration::from_millis(10);

/// The orders of the open lists.
const LISTS: [&str; 4] = [
    "pageSize=25",
    "pageSize=25&orderBy=fragranceremaining&order=asc",
    "pageSize=25&connectionstatus=Offline",
    "pageSize=25&orderBy=customer&order=asc&page=3",
];

pub(crate) struct Times {
    /// Sorted times of the requested list without and with other lists.
    pub(crate) alone: Vec<Duration>,
    pub(crate) beside: Vec<Duration>,
    pub(crate) rereads: usize,
    /// Those that were answered without a body.
    pub(crate) unchanged: usize,
}

#[derive(Default)]
struct Rereads {
    all: AtomicUsize,
    unchanged: AtomicUsize,
}

pub(crate) async fn measure(scene: &Scene) -> Times {
    let alone = request(scene, ALONE).await;
    let (http, rereads) = (Client::new(), Arc::new(Rereads::default()));
    let mut open = Vec::with_capacity(READERS);
    for reader in 0..READERS {
        let (url, cookie) = (scene.console.url().to_owned(), scene.cookie(reader).to_owned());
        let events = Events::open(&url, "", &cookie).await;
        let page = Page { http: http.clone(), url, cookie, list: LISTS[reader % LISTS.len()] };
        open.push(tokio::spawn(page.follow(events, rereads.clone())));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let mut devices = Vec::with_capacity(CHANGING);
    for device in 0..CHANGING {
        devices.push(scene.connect(device).await);
    }
    let changes = tokio::spawn({
        let stop = stop.clone();
        async move {
            let mut ticks = interval(CHANGES);
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            for number in 0.. {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                ticks.tick().await;
                devices[number % CHANGING].report(scene::level(number / CHANGING + number)).await.unwrap();
            }
        }
    });
    let beside = request(scene, BESIDE).await;
    stop.store(true, Ordering::SeqCst);
    changes.await.unwrap();
    for list in open {
        list.abort();
    }
    let count = |count: &AtomicUsize| count.load(Ordering::SeqCst);
    Times { alone, beside, rereads: count(&rereads.all), unchanged: count(&rereads.unchanged) }
}

/// Requests a list again and again on a thread of its own, which other browsers do not delay. Returns the sorted times.
async fn request(scene: &Scene, duration: Duration) -> Vec<Duration> {
    let page = Page {
        http: Client::new(),
        url: scene.console.url().to_owned(),
        cookie: scene.cookie(0).to_owned(),
        list: LISTS[0],
    };
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (end, mut ticks, mut times) = (Instant::now() + duration, interval(REQUESTS), Vec::new());
            ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
            while Instant::now() < end {
                ticks.tick().await;
                let begin = now();
                page.read("/api/devices", page.list, None).await;
                times.push(begin.elapsed());
            }
            times.sort();
            times
        })
    });
    tokio::task::spawn_blocking(|| thread.join().unwrap()).await.unwrap()
}

/// A page with a list.
struct Page {
    http: Client,
    url: String,
    cookie: String,
    list: &'static str,
}

impl Page {
    /// Reads list and counts again whenever a list event arrives.
    async fn follow(self, mut events: Events, rereads: Arc<Rereads>) {
        let mut tags = [None, None];
        loop {
            events.until("list").await;
            let filter = if self.list.contains("Offline") { "connectionstatus=Offline" } else { "" };
            for (tag, (path, query)) in
                tags.iter_mut().zip([("/api/devices", self.list), ("/api/devices/counts", filter)])
            {
                let (status, new) = self.read(path, query, tag.as_deref()).await;
                rereads.all.fetch_add(1, Ordering::SeqCst);
                rereads.unchanged.fetch_add(usize::from(status == StatusCode::NOT_MODIFIED), Ordering::SeqCst);
                *tag = new;
            }
        }
    }

    async fn read(&self, path: &str, query: &str, tag: Option<&str>) -> (StatusCode, Option<String>) {
        let mut request = self.http.get(format!("{}{path}?{query}", self.url)).header(COOKIE, &self.cookie);
        if let Some(tag) = tag {
            request = request.header(IF_NONE_MATCH, tag);
        }
        let answer = request.send().await.unwrap().error_for_status().unwrap();
        let (status, tag) = (answer.status(), answer.headers().get(ETAG).map(|tag| tag.to_str().unwrap().to_owned()));
        answer.bytes().await.unwrap();
        (status, tag)
    }
}
