use platform::db::{Db, Param, Params};

/// A condition with its parameters.
pub(super) struct Condition<'a> {
    db: &'a Db,
    pub(super) sql: String,
    pub(super) params: Params,
    bound: usize,
}

impl<'a> Condition<'a> {
    pub(super) fn new(db: &'a Db) -> Self {
        Self { db, sql: String::new(), params: Params::default(), bound: 0 }
    }

    /// Adds a comparison with a value.
    pub(super) fn and(&mut self, comparison: &str, value: impl Param) {
        let place = self.place(value);
        let and = if self.sql.is_empty() { "" } else { " and " };
        self.sql.push_str(&format!("{and}{comparison} {place}"));
    }

    /// Adds that columns come after these values, in the order of the columns.
    pub(super) fn after<const N: usize>(&mut self, columns: &str, places: &[String; N]) {
        self.sql.push_str(&format!(" and ({columns}) > ({})", places.join(", ")));
    }

    /// Adds a parameter.
    pub(super) fn place(&mut self, value: impl Param) -> String {
        self.bound += 1;
        self.params = std::mem::take(&mut self.params).with(value);
        self.db.dialect().placeholder(self.bound)
    }
}
