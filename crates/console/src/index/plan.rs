//! How to come to a page of filtered rows in a given order without looking at more rows than it takes.
//!
//! Either one walks the index of the order and looks at each row whether it matches, or one collects the matches and sorts
//! them. The first is good when many rows match, the second when few do. How many match is known, because the list tells
//! it; not known is whether they lie close together somewhere in the order. So a walk that may be in vain is short against
//! what follows it.

/// A way to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Look at the first so many rows in the order of the list.
    Walk(u64),
    /// Find all matches, and sort them.
    Collect,
}

/// A walk may be so many times as long as it would be if the matches were spread evenly …
const PATIENCE: u64 = 2;
/// … and so long in any case.
const SHORT: u64 = 200;

/// What to try, one after the other, for a page that ends with the `need`th match, when `matching` of `visible` rows match.
/// The last one finds the page for certain.
pub(super) fn plans(visible: u64, matching: u64, need: u64) -> impl Iterator<Item = Plan> {
    // All that do not match may come first.
    let longest = visible.saturating_sub(matching).saturating_add(need);
    let certain = if longest <= matching { Plan::Walk(longest) } else { Plan::Collect };
    let likely = need.saturating_mul(visible) / Ord::max(matching, 1);
    let allowed = Ord::max(likely.saturating_mul(PATIENCE), SHORT);
    // The databases stop when the page is full: it is the likely length that counts, unless it is in vain.
    let attempt = (Ord::max(likely, SHORT) < Ord::min(longest, matching)).then_some(Plan::Walk(allowed));
    attempt.into_iter().chain([certain])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: u64 = 1_000_000;

    fn tried(visible: u64, matching: u64, need: u64) -> Vec<Plan> {
        plans(visible, matching, need).collect()
    }

    #[test]
    fn few_matches_are_collected_and_many_are_walked_to() {
        let rows = [
            (1, 1, vec![Plan::Collect]),
            (5_000, 25, vec![Plan::Collect]),
            // One in ten: the first page is near, unless they all come last.
            (100_000, 25, vec![Plan::Walk(500), Plan::Collect]),
            (10_000, 50, vec![Plan::Walk(10_000), Plan::Collect]),
            (600_000, 200, vec![Plan::Walk(666), Plan::Walk(400_200)]),
            // Nearly all: whatever comes first, it is soon over.
            (999_900, 50, vec![Plan::Walk(150)]),
            (MILLION, 25, vec![Plan::Walk(25)]),
        ];
        for (matching, need, expected) in rows {
            assert_eq!(tried(MILLION, matching, need), expected, "{matching} {need}");
        }
    }

    #[test]
    fn all_plans_of_a_page_together_look_at_three_times_the_rows_that_it_takes_at_most() {
        for matching in (0..=50).map(|step| Ord::max(step * MILLION / 50, 1)) {
            for need in [1, 50, matching / 4, matching / 2, matching].map(|need| Ord::clamp(need, 1, matching)) {
                let looked_at: u64 = plans(MILLION, matching, need)
                    .map(|plan| match plan {
                        Plan::Walk(rows) => rows,
                        Plan::Collect => matching,
                    })
                    .sum();
                let takes = Ord::min(matching, MILLION - matching + need);
                assert!(looked_at <= 3 * takes, "{matching} {need}: {looked_at}");
            }
        }
    }

    #[test]
    fn counts_that_do_not_fit_together_do_no_harm() {
        // They were read one after the other.
        assert_eq!(tried(10, 12, 5), [Plan::Walk(5)]);
        assert_eq!(tried(0, 0, 0), [Plan::Walk(0)]);
        assert_eq!(tried(u64::MAX, 1, u64::MAX), [Plan::Collect]);
    }
}
