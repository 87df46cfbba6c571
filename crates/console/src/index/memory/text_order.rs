//! The order of the devices by a text that most of them have to themselves.

use std::cmp::Ordering;

/// The place of a device that has none yet.
const NONE: u32 = u32::MAX;

/// The order of all devices, kept while devices come and go: a change costs a search for its place and one pass over the numbers.
#[derive(Debug, Default)]
pub(super) struct TextOrder {
    /// The devices in order.
    sorted: Vec<u32>,
    /// By device: its place.
    places: Vec<u32>,
    /// The devices whose text has changed, that are new, or gone.
    changed: Vec<u32>,
}

impl TextOrder {
    pub(super) fn reserve(&mut self, devices: usize) {
        self.sorted.reserve_exact(devices);
        self.places.reserve_exact(devices);
        self.changed.reserve_exact(devices);
    }

    /// Records that the device is new, gone, or has another text.
    pub(super) fn change(&mut self, device: u32) {
        if self.places.len() <= device as usize {
            self.places.resize(device as usize + 1, NONE);
        }
        self.changed.push(device);
    }

    pub(super) fn place(&self, device: u32) -> u32 {
        self.places[device as usize]
    }

    /// Bytes of memory.
    #[cfg(any(test, feature = "testing"))]
    pub(super) fn bytes_used(&self) -> usize {
        4 * (self.sorted.capacity() + self.places.capacity() + self.changed.capacity())
    }

    /// Brings the places up to date. `compare` never says that two devices are equal.
    pub(super) fn order(&mut self, is_there: impl Fn(u32) -> bool, compare: impl Fn(u32, u32) -> Ordering) {
        if self.changed.is_empty() {
            return;
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.sort_unstable();
        changed.dedup();
        let mut emptied: Vec<u32> = changed.iter().map(|device| self.place(*device)).filter(|it| *it != NONE).collect();
        emptied.sort_unstable();
        let mut rest = without(&self.sorted, &emptied);
        changed.iter().for_each(|device| self.places[*device as usize] = NONE);
        changed.retain(|device| is_there(*device));
        if changed.len() > rest.len() / 8 {
            rest.extend(&changed);
            // Stable, because it is fast where most are in order already.
            rest.sort_by(|one, other| compare(*one, *other));
            self.sorted = rest;
        } else {
            changed.sort_unstable_by(|one, other| compare(*one, *other));
            self.sorted = merged(&rest, &changed, compare);
        }
        for (place, device) in (0..).zip(&self.sorted) {
            self.places[*device as usize] = place;
        }
    }
}

/// The devices without those at these places.
fn without(sorted: &[u32], places: &[u32]) -> Vec<u32> {
    let mut rest = Vec::with_capacity(sorted.len());
    let mut from = 0;
    for place in places {
        let place = *place as usize;
        rest.extend_from_slice(&sorted[from..place]);
        from = place + 1;
    }
    rest.extend_from_slice(&sorted[from..]);
    rest
}

/// Both in order; each is in order itself.
fn merged(many: &[u32], few: &[u32], compare: impl Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut all = Vec::with_capacity(many.len() + few.len());
    let mut rest = many;
    for device in few {
        let (before, after) = rest.split_at(rest.partition_point(|other| compare(*other, *device).is_lt()));
        all.extend_from_slice(before);
        all.push(*device);
        rest = after;
    }
    all.extend_from_slice(rest);
    all
}

#[cfg(test)]
mod tests {
    use platform::run::random::Random;

    use super::*;

    #[test]
    fn places_follow_every_change() {
        for seed in 0..20 {
            let random = Random::seeded(seed);
            let below = |n: u64| u32::try_from(random.below(n)).unwrap();
            let mut texts: Vec<Option<u32>> = Vec::new();
            let mut order = TextOrder::default();
            for round in 0..30 {
                for _ in 0..=random.below(if round == 0 { 200 } else { 12 }) {
                    let device = below(texts.len() as u64 + 3);
                    texts.resize(texts.len().max(device as usize + 1), None);
                    texts[device as usize] = (below(4) > 0).then(|| below(100));
                    order.change(device);
                }
                let key = |device: u32| (texts[device as usize], device);
                order.order(|device| key(device).0.is_some(), |one, other| key(one).cmp(&key(other)));
                let mut expected: Vec<u32> =
                    (0..).zip(&texts).filter(|(_, text)| text.is_some()).map(|(at, _)| at).collect();
                expected.sort_by_key(|device| key(*device));
                assert_eq!(order.sorted, expected);
                assert!((0..).zip(&expected).all(|(place, device)| order.place(*device) == place));
            }
        }
    }
}
