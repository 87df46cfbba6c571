//! The readers of one device, grouped by what they see of it.

use std::collections::HashMap;
use std::sync::Arc;

use diffuser::Role;
use tokio::sync::broadcast;

use super::{ReaderNotice, View};
use crate::events::notices::DeviceEventKind;
use crate::policy::Actor;
use crate::records::ReadDevice;

pub(super) type Sender = broadcast::Sender<ReaderNotice>;

/// The readers of one device.
#[derive(Default)]
pub(super) struct DeviceReaders {
    groups: HashMap<(View, ReaderClass), Group>,
    /// A read that belongs to the next notice of this kind.
    pub(super) handed_over: Option<(DeviceEventKind, Arc<ReadDevice>)>,
}

/// Readers of one class and view get the same events.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ReaderClass {
    role: Option<Role>,
    pub(super) csp: Option<String>,
}

struct Group {
    /// Any of the readers.
    actor: Actor,
    readers: Vec<Sender>,
}

impl ReaderClass {
    pub(super) fn of(actor: &Actor) -> Self {
        Self { role: actor.role, csp: actor.csp.clone() }
    }
}

impl DeviceReaders {
    pub(super) fn add(&mut self, view: View, class: &ReaderClass, actor: &Actor, reader: Sender) {
        let group = || Group { actor: actor.clone(), readers: Vec::new() };
        self.groups.entry((view, class.clone())).or_insert_with(group).readers.push(reader);
    }

    pub(super) fn remove(&mut self, view: View, class: &ReaderClass, reader: &Sender) {
        let key = (view, class.clone());
        if let Some(group) = self.groups.get_mut(&key) {
            group.readers.retain(|other| !other.same_channel(reader));
            if group.readers.is_empty() {
                self.groups.remove(&key);
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// One actor of each class.
    pub(super) fn actors(&self, view: View) -> impl Iterator<Item = &Actor> {
        self.of_view(view).map(|group| &group.actor)
    }

    pub(super) fn readers(&self, view: View, class: &ReaderClass) -> impl Iterator<Item = &Sender> {
        self.groups.get(&(view, class.clone())).into_iter().flat_map(|group| &group.readers)
    }

    pub(super) fn all_readers(&self, view: View) -> impl Iterator<Item = &Sender> {
        self.of_view(view).flat_map(|group| &group.readers)
    }

    fn of_view(&self, view: View) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(move |((of_group, _), _)| *of_group == view).map(|(_, group)| group)
    }
}
