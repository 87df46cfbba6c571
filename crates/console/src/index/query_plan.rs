//! Chooses how to find a page of filtered rows in a given order with few row reads.
//!
//! A plan either scans the order's database index and checks each row, or collects all matches and sorts them. Scanning
//! is cheap if many rows match, collecting if few do. The number of matches is known from the totals; how they are
//! spread over the order is not. So a scan that may fail is limited to a fraction of the cost of the plan that follows
//! it.

/// How to find a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryPlan {
    /// Check this many rows in list order.
    Scan(u64),
    /// Find all matches and sort them.
    Collect,
}

/// Maximum scan length as a multiple of the length that is needed if matches are spread evenly.
const MAX_SCAN_FACTOR: u64 = 2;
/// A scan of this length is always allowed.
const MIN_SCAN: u64 = 200;

/// How much longer a scan is than the failed one before it.
const GROWTH: u64 = 4;

/// The plans to try in order for a page that ends with match number `need`, if `matching` of `visible` rows match. The
/// last plan always finds the page.
pub(super) fn plans(visible: u64, matching: u64, need: u64) -> impl Iterator<Item = QueryPlan> {
    // In the worst case all other rows come first.
    let longest = visible.saturating_sub(matching).saturating_add(need);
    let certain = if longest <= matching { QueryPlan::Scan(longest) } else { QueryPlan::Collect };
    let cost = Ord::min(longest, matching);
    let likely = need.saturating_mul(visible) / Ord::max(matching, 1);
    let first = Ord::max(likely.saturating_mul(MAX_SCAN_FACTOR), MIN_SCAN);
    // Databases stop when the page is full, so the likely length is the cost of a scan that succeeds.
    let first = (Ord::max(likely, MIN_SCAN) < cost).then_some(first);
    let longest_attempt = cost - cost / 3;
    let longer = move |length: &u64| {
        let next = Ord::min(length.saturating_mul(GROWTH), longest_attempt);
        (next > *length).then_some(next)
    };
    std::iter::successors(first, longer).map(QueryPlan::Scan).chain([certain])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLION: u64 = 1_000_000;

    fn planned(visible: u64, matching: u64, need: u64) -> Vec<QueryPlan> {
        plans(visible, matching, need).collect()
    }

    fn scans(lengths: &[u64], last: QueryPlan) -> Vec<QueryPlan> {
        lengths.iter().copied().map(QueryPlan::Scan).chain([last]).collect()
    }

    #[test]
    fn few_matches_are_collected_and_many_are_scanned() {
        let rows = [
            (1, 1, vec![QueryPlan::Collect]),
            (5_000, 25, vec![QueryPlan::Collect]),
            // One in ten: the first page is near, unless many others come first.
            (100_000, 25, scans(&[500, 2_000, 8_000, 32_000, 66_667], QueryPlan::Collect)),
            (10_000, 50, vec![QueryPlan::Scan(10_000), QueryPlan::Collect]),
            (600_000, 200, scans(&[666, 2_664, 10_656, 42_624, 170_496, 266_800], QueryPlan::Scan(400_200))),
            // Nearly all rows match, so any scan is short.
            (999_900, 50, vec![QueryPlan::Scan(150)]),
            (MILLION, 25, vec![QueryPlan::Scan(25)]),
        ];
        for (matching, need, expected) in rows {
            assert_eq!(planned(MILLION, matching, need), expected, "{matching} {need}");
        }
    }

    #[test]
    fn plans_of_a_page_read_at_most_three_times_the_needed_rows() {
        for matching in (0..=50).map(|step| Ord::max(step * MILLION / 50, 1)) {
            for need in [1, 50, matching / 4, matching / 2, matching].map(|need| Ord::clamp(need, 1, matching)) {
                let rows_read: u64 = plans(MILLION, matching, need)
                    .map(|plan| match plan {
                        QueryPlan::Scan(rows) => rows,
                        QueryPlan::Collect => matching,
                    })
                    .sum();
                let needed = Ord::min(matching, MILLION - matching + need);
                assert!(rows_read <= 3 * needed, "{matching} {need}: {rows_read}");
            }
        }
    }

    #[test]
    fn inconsistent_counts_still_give_a_plan() {
        // The counts were not read in one snapshot.
        assert_eq!(planned(10, 12, 5), [QueryPlan::Scan(5)]);
        assert_eq!(planned(0, 0, 0), [QueryPlan::Scan(0)]);
        assert_eq!(planned(u64::MAX, 1, u64::MAX), [QueryPlan::Collect]);
    }
}
