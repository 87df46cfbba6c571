//! The daily digest: a mail with the open items to each person who wants it, one's own first.

use std::fmt::{self, Write};
use std::time::Duration;

use diffuser::Role;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use platform::db::Result;
use url::Url;

use super::digest_store::{self, DueDigest};
use super::item_list::{self, AssigneeFilter, ItemFilter, ListedItem};
use super::statement::statement;
use crate::attention_rules::Severity;
use crate::index;
use crate::mail::Mail;
use crate::policy::Scope;
use crate::state::CoreState;

/// Interval between looks for digests that are due.
const INTERVAL: Duration = Duration::from_secs(30);
/// The time to wait after a failure.
const FAILURE_PAUSE: Duration = Duration::from_secs(10);
/// Maximum number of digests between two looks at the clock.
const BATCH: i64 = 20;
/// Maximum number of items in a mail.
pub(super) const MAX_ITEMS: i64 = 50;

/// Sends digests, and mails about assigned items. Cheap to clone. It may run on every node: each digest is stored by one of them.
#[derive(Clone)]
pub(crate) struct Digests {
    pub(super) core: CoreState,
    link_url: Url,
}

impl fmt::Debug for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Digests").field("link_url", &self.link_url).finish_non_exhaustive()
    }
}

impl Digests {
    /// `None` if digests cannot be sent: without a mail server, or without a public address, which their links need.
    pub(crate) fn new(core: &CoreState) -> Option<Self> {
        let link_url = core.link_url.clone().filter(|_| core.mailer.has_server())?;
        Some(Self { core: core.clone(), link_url })
    }

    /// Never returns. Cancel-safe: what is cancelled is due again.
    pub(crate) async fn run(&self) {
        loop {
            let sent = async { Ok::<_, platform::db::Error>(self.send_due().await? + self.send_assigned().await?) };
            match sent.await {
                // There may be more.
                Ok(1..) => {}
                Ok(0) => tokio::time::sleep(INTERVAL).await,
                Err(error) => {
                    if !error.is_unavailable() {
                        tracing::warn!(%error, "mails about items of attention were not sent");
                    }
                    tokio::time::sleep(FAILURE_PAUSE).await;
                }
            }
        }
    }

    /// Finishes a batch of digests that are due. Returns how many this node has finished.
    pub(crate) async fn send_due(&self) -> Result<u32> {
        let base = &self.core.base;
        let index_times = index::times(&base.db).await?;
        // An index that is being filled says too little.
        let people_as_of = index::people_as_of(&base.db).await?;
        let Some(people_as_of) = people_as_of.filter(|_| index_times.is_some()) else { return Ok(0) };
        let due = digest_store::due(&base.db, base.clock.now(), BATCH).await?;
        let mut finished = 0;
        for digest in &due {
            if digest.email.is_none() {
                // A person who was removed, or who is too new for the index.
                if people_as_of > digest.next_at() {
                    digest_store::remove(&base.db, &digest.user_id).await?;
                }
                continue;
            }
            let mail = self.mail(digest).await?;
            let next_at = digest.time().next_after(base.clock.now());
            finished += u32::from(digest_store::finish(&base.db, digest, mail.as_ref(), next_at).await?);
        }
        self.core.mailer.wake_delivery();
        Ok(finished)
    }

    /// `None` if nothing is open that the person may see.
    async fn mail(&self, digest: &DueDigest) -> Result<Option<Mail>> {
        let (db, now) = (&self.core.base.db, self.core.base.clock.now());
        let role = digest.role.as_deref().and_then(Role::from_name);
        let Some(email) = &digest.email else { return Ok(None) };
        let scope = Scope::of(role, digest.csp.as_deref());
        // One more shows whether there are further items.
        let limit = MAX_ITEMS + 1;
        let reader = digest.user_id.parse().ok();
        let is_own = |item: &ListedItem| item.assignee.as_ref().is_some_and(|person| Some(person.id) == reader);
        let own = ItemFilter { assignee: reader.map(AssigneeFilter::Person), ..ItemFilter::default() };
        let mut items = item_list::page(db, scope, &own, None, limit, now).await?;
        let others = item_list::page(db, scope, &ItemFilter::default(), None, limit, now).await?;
        items.extend(others.into_iter().filter(|item| !is_own(item)));
        if items.is_empty() {
            return Ok(None);
        }
        let has_more = items.len() as u64 > MAX_ITEMS.unsigned_abs();
        items.truncate(usize::try_from(MAX_ITEMS).unwrap_or(usize::MAX));
        let zone = digest.time().time_zone;
        Ok(self.core.mailer.write(email, &subject(&items, has_more), self.body(&items, is_own, has_more, &zone)))
    }

    fn body(&self, items: &[ListedItem], is_own: impl Fn(&ListedItem) -> bool, has_more: bool, zone: &str) -> String {
        let mut body = String::new();
        let mut last = "";
        for item in items {
            let heading = if is_own(item) { "ASSIGNED TO YOU" } else { heading(item.severity) };
            if heading != last {
                last = heading;
                let _ = writeln!(body, "{heading}\n");
            }
            body.push_str(&self.entry(item, zone));
        }
        if has_more {
            let _ = writeln!(body, "There are further items: {}\n", self.page("attention"));
        }
        let _ = writeln!(body, "You get this mail once a day. Change or end it: {}", self.page("account?tab=digest"));
        body
    }

    /// An item with its link, as a paragraph.
    pub(super) fn entry(&self, item: &ListedItem, zone: &str) -> String {
        format!("{}\n{}\n\n", line(item, zone, self.core.base.clock.now()), self.link(item))
    }

    /// The list of just this item.
    fn link(&self, item: &ListedItem) -> Url {
        let mut url = self.page("attention");
        let place = item.dsn.as_deref().map(|dsn| ("dsn", dsn)).or(item.csp.as_deref().map(|csp| ("csp", csp)));
        url.query_pairs_mut().extend_pairs(place).append_pair("kind", item.kind.name());
        url
    }

    pub(super) fn page(&self, path: &str) -> Url {
        // The public address has no path, so this cannot fail.
        self.link_url.join(path).unwrap_or_else(|_| self.link_url.clone())
    }
}

fn subject(items: &[ListedItem], has_more: bool) -> String {
    let urgent = items.iter().filter(|item| item.severity == Severity::High).count();
    let count = if has_more { format!("more than {MAX_ITEMS}") } else { items.len().to_string() };
    let urgent = if urgent > 0 { format!(", {urgent} urgent") } else { String::new() };
    format!("Needs attention: {count}{urgent}")
}

fn heading(severity: Severity) -> &'static str {
    match severity {
        Severity::High => "URGENT",
        Severity::Medium => "SOON",
        Severity::Low => "WHEN YOU ARE THERE",
    }
}

/// What, where, and since or until which day: of the device's zone, or of the reader's where it has none.
fn line(item: &ListedItem, zone: &str, now: Timestamp) -> String {
    let places = [&item.dsn, &item.customer, &item.service_area, &item.city, &item.csp];
    let place: Vec<&str> = places.into_iter().flatten().map(String::as_str).collect();
    let zones = [item.time_zone.as_deref(), Some(zone)];
    let zone = zones.into_iter().flatten().find_map(|name| TimeZone::get(name).ok()).unwrap_or(TimeZone::UTC);
    let statement = statement(&item.evidence, item.is_provisional, item.since, now, &zone);
    format!("{}: {}, {statement}", item.kind.title(), place.join(", "))
}
