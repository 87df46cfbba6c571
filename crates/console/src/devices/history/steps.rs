//! Series of steps. Pure.

use jiff::Timestamp;

/// Maximum number of points of a series.
const MAX_POINTS: usize = 1_000;
/// Number of time spans of a thinned series; each keeps up to four steps.
const PARTS: i64 = 250;

/// A value and the time from which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step<T> {
    pub(super) at: Timestamp,
    pub(super) value: T,
}

/// Reduces a series to its changes since `from`, oldest first: it starts with the value at `from`, keeps the last of
/// several steps at one instant, and merges equal neighbours. Overlong series are thinned: each time span keeps its
/// first, minimum, maximum and last step.
pub(super) fn steps<T: Copy + Ord>(mut observed: Vec<Step<T>>, from: Timestamp) -> Vec<Step<T>> {
    for step in &mut observed {
        step.at = step.at.max(from);
    }
    // Clouds report whole seconds, and an acknowledgement may arrive late.
    observed.sort_by_key(|step| step.at);
    let mut changes: Vec<Step<T>> = Vec::with_capacity(observed.len());
    for step in observed {
        changes.pop_if(|last| last.at == step.at);
        changes.push(step);
    }
    changes.dedup_by_key(|step| step.value);
    if changes.len() > MAX_POINTS {
        changes = thin(&changes);
        changes.dedup_by_key(|step| step.value);
    }
    changes
}

fn thin<T: Copy + Ord>(changes: &[Step<T>]) -> Vec<Step<T>> {
    let [first, .., last] = changes else { return changes.to_vec() };
    let whole = last.at.duration_since(first.at).as_secs() + 1;
    let part = |step: &Step<T>| step.at.duration_since(first.at).as_secs() * PARTS / whole;
    changes.chunk_by(|a, b| part(a) == part(b)).flat_map(extremes).collect()
}

/// The first, minimum, maximum and last of some steps, without duplicates.
fn extremes<T: Copy + Ord>(steps: &[Step<T>]) -> Vec<Step<T>> {
    let indices = || 0..steps.len();
    let mut kept: Vec<usize> = [
        indices().next(),
        indices().min_by_key(|index| steps[*index].value),
        indices().max_by_key(|index| steps[*index].value),
        indices().next_back(),
    ]
    .into_iter()
    .flatten()
    .collect();
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().map(|index| steps[index]).collect()
}

#[cfg(test)]
mod tests {
    use platform::run::random::Random;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    fn observed(observed: &[(i64, i64)]) -> Vec<Step<i64>> {
        observed.iter().map(|(second, value)| Step { at: at(*second), value: *value }).collect()
    }

    #[test]
    fn series_begins_with_the_previous_value_and_lists_only_changes() {
        type Points = &'static [(i64, i64)];
        let table: [(Points, Points); 8] = [
            (&[], &[]),
            (&[(-5, 1)], &[(0, 1)]),
            (&[(-9, 1), (-5, 2), (3, 4)], &[(0, 2), (3, 4)]),
            (&[(-5, 2), (0, 3)], &[(0, 3)]),
            (&[(3, 4), (5, 4), (7, 5), (9, 5)], &[(3, 4), (7, 5)]),
            (&[(3, 4), (3, 5)], &[(3, 5)]),
            // Restored within the same second: no change.
            (&[(1, 5), (3, 4), (3, 5)], &[(1, 5)]),
            // A command that was acknowledged late.
            (&[(7, 5), (3, 4)], &[(3, 4), (7, 5)]),
        ];
        for (given, expected) in table {
            assert_eq!(steps(observed(given), at(0)), observed(expected), "{given:?}");
        }
    }

    #[test]
    fn thinned_series_keeps_its_extremes() {
        let mut long: Vec<(i64, i64)> = (0..5_000).map(|second| (second, second % 2)).collect();
        (long[1234].1, long[4321].1) = (-70, 70);
        let thin = steps(observed(&long), at(0));
        assert!((500..=MAX_POINTS).contains(&thin.len()), "{}", thin.len());
        for kept in [long[0], long[1234], long[4321], long[4999]] {
            assert!(thin.contains(&observed(&[kept])[0]), "{kept:?}");
        }
    }

    #[test]
    fn connection_series_is_thinned_the_same_way() {
        let long = (0..3_000).map(|second| Step { at: at(second), value: second % 2 == 0 }).collect();
        let thin = steps(long, at(0));
        assert!((500..=MAX_POINTS).contains(&thin.len()), "{}", thin.len());
        assert!(thin.windows(2).all(|pair| pair[0].value != pair[1].value));
    }

    #[test]
    fn thinned_series_is_bounded_ordered_and_a_subset_of_its_input() {
        let (random, from) = (Random::seeded(1), at(0));
        let below = |most: u64| i64::try_from(random.below(most)).unwrap();
        for length in [1, 2, 10, 999, 1_001, 3_000] {
            let given: Vec<_> = (0..length).map(|_| (below(4_050) - 50, below(100))).collect();
            let series = steps(observed(&given), from);
            assert!((1..=MAX_POINTS).contains(&series.len()), "{length}");
            assert!(series.windows(2).all(|pair| pair[0].at < pair[1].at && pair[0].value != pair[1].value));
            let was_told =
                |step: &Step<i64>| observed(&given).iter().any(|t| t.at.max(from) == step.at && t.value == step.value);
            assert!(series.iter().all(was_told), "{length}");
        }
    }
}
