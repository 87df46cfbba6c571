use crate::error::Error;
use crate::events::{Events, LossyEvent};
use crate::live::state_machine::LiveStreamState;

/// An event of a live stream manager.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LiveStreamEvent {
    /// The state changed.
    State(LiveStreamState),
    /// Creating a subscription or connecting its stream failed for this reason; the manager tries again.
    ConnectFailed(Error),
    /// The manager has given up for this reason. It tries again only if it is resumed or a device is added.
    GaveUp(Error),
    /// Events were missed: read the current state of the manager.
    Lagged,
}

impl LossyEvent for LiveStreamEvent {
    fn gap(&self) -> Self {
        Self::Lagged
    }
}

/// A receiver of the events of a live stream manager; returned by
/// [`LiveStreamManager::events`](crate::live::LiveStreamManager::events). It ends once the manager has stopped. A
/// receiver that falls more than 64 events behind gets [`LiveStreamEvent::Lagged`] in place of the lost events.
pub type LiveStreamEvents = Events<LiveStreamEvent>;

pub(super) const QUEUE: usize = 64;
