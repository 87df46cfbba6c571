//! Columns whose values a [`Cipher`](super::cipher::Cipher) has encrypted. [`reencryption`](crate::server::reencryption) encrypts all of them with a
//! new key.

/// A column of encrypted values, some of which may be null.
pub(crate) struct SealedColumn {
    /// What the values belong to, in the plural, for operators.
    pub(crate) name: &'static str,
    /// The context that a value of the row with this key was sealed with.
    pub(crate) context: fn(&str) -> Vec<u8>,
    /// Whether rows that no key decrypts may be deleted on request.
    pub(crate) is_discardable: bool,
    /// Counts the values whose key id is not `$1`.
    pub(crate) count: &'static str,
    /// Selects keys and values of at most `$3` rows whose key id is not `$1`, and whose key follows `$2`, in the order of their keys.
    pub(crate) page: &'static str,
    /// Replaces the value `$2` of the row `$1` by `$3`.
    pub(crate) replace: &'static str,
    /// Deletes the row `$1` with the value `$2`.
    pub(crate) delete: &'static str,
}

/// A [`SealedColumn`] of a table, whose rows the expression `$key` identifies by a text.
macro_rules! sealed_column {
    ($name:literal, $table:literal, $key:literal, $column:literal, $context:expr, is_discardable: $is_discardable:literal) => {
        $crate::secrets::sealed_column::SealedColumn {
            name: $name,
            context: $context,
            is_discardable: $is_discardable,
            // A value begins with the id of its key.
            count: concat!("select count(*) from ", $table, " where substr(", $column, ", 1, 4) <> $1"),
            page: concat!(
                "select ",
                $key,
                ", ",
                $column,
                " from ",
                $table,
                " where substr(",
                $column,
                ", 1, 4) <> $1 AND ",
                $key,
                " > $2 order by 1 limit $3"
            ),
            replace: concat!("update ", $table, " set ", $column, " = $3 where ", $key, " = $1 and ", $column, " = $2"),
            delete: concat!("delete from ", $table, " where ", $key, " = $1 and ", $column, " = $2"),
        }
    };
}

pub(crate) use sealed_column;
