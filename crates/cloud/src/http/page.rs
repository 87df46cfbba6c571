//! Pages of a list (docs/wire.md#pages).

use serde::Serialize;

use super::error::Error;
use super::query::Query;

const PER_PAGE: i64 = 10;
const MAX_PER_PAGE: i64 = 100;

/// A page of a list: `page` from 1, `per_page` up to 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    number: i64,
    per_page: i64,
}

/// The numbers of a page in the response.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Numbers {
    total: i64,
    current_page_number: i64,
    start_count_on_page: i64,
    end_count_on_page: i64,
    previous_page: Option<i64>,
    next_page: Option<i64>,
}

impl Page {
    /// The page that the query asks for; `None` without paging.
    ///
    /// # Errors
    /// 422 if a number is invalid or below 1.
    pub(super) fn of(query: &Query) -> Result<Option<Self>, Error> {
        if !query.is_set("paginated") {
            return Ok(None);
        }
        let number = query.number("page")?.unwrap_or(1);
        let per_page = query.number("per_page")?.unwrap_or(PER_PAGE);
        // The bound keeps the offset within the range of the databases.
        if !(1..=i64::from(i32::MAX)).contains(&number) {
            return Err(Error::invalid("page", "is out of range"));
        }
        if per_page < 1 {
            return Err(Error::invalid("per_page", "is out of range"));
        }
        Ok(Some(Self { number, per_page: per_page.min(MAX_PER_PAGE) }))
    }

    /// `limit` and `offset` in SQL.
    pub(super) fn limit_and_offset(self) -> (u64, u64) {
        (self.per_page.unsigned_abs(), ((self.number - 1) * self.per_page).unsigned_abs())
    }

    /// How many items of a list that begins after a key are counted at most: one more than up to the end of this page. So each page
    /// of a long list costs the same.
    pub(super) fn count_limit(self) -> u64 {
        let (limit, offset) = self.limit_and_offset();
        offset + limit + 1
    }

    /// The numbers of this page when it holds `count` of `total` items.
    pub(super) fn numbers(self, total: i64, count: usize) -> Numbers {
        let before = (self.number - 1) * self.per_page;
        let count = i64::try_from(count).unwrap_or(self.per_page);
        Numbers {
            total,
            current_page_number: self.number,
            start_count_on_page: if count == 0 { 0 } else { before + 1 },
            end_count_on_page: if count == 0 { 0 } else { before + count },
            previous_page: (self.number > 1).then(|| self.number - 1),
            next_page: (before + count < total && count > 0).then(|| self.number + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_middle_last_and_empty_pages_are_numbered() {
        let page = |number| Page { number, per_page: 2 };
        let table = [
            (page(1), 5, 2, (1, 2, None, Some(2))),
            (page(2), 5, 2, (3, 4, Some(1), Some(3))),
            (page(3), 5, 1, (5, 5, Some(2), None)),
            (page(4), 5, 0, (0, 0, Some(3), None)),
            (page(1), 0, 0, (0, 0, None, None)),
        ];
        for (page, total, count, expected) in table {
            let numbers = page.numbers(total, count);
            let Numbers { start_count_on_page: start, end_count_on_page: end, previous_page, next_page, .. } = numbers;
            assert_eq!((start, end, previous_page, next_page), expected, "{page:?}");
        }
    }
}
