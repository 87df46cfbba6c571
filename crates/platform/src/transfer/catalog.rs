//! The tables of the target, and how their rows are read from the source.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::sqlite::SqliteArguments;
use sqlx::{AssertSqlSafe, PgConnection, Sqlite, SqliteConnection};

use super::{Error, Result, quoted};

/// All tables of the target, each after those to which it refers.
#[derive(Debug)]
pub(super) struct Catalog {
    pub(super) tables: Vec<Table>,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    /// The columns of the target's primary key; empty without one.
    pub(super) primary_key: Vec<String>,
    /// The columns that order the rows in the source: its `rowid`, or the primary key of a table that has none.
    pub(super) source_key: Vec<String>,
    pub(super) has_triggers: bool,
    /// The other tables to which it refers.
    refers_to: BTreeSet<String>,
}

#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) kind: ColumnType,
    /// The target generates its values.
    pub(super) is_identity: bool,
    /// It refers to rows of the same table.
    pub(super) is_self_reference: bool,
}

/// The types that both schemas use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ColumnType {
    BigInt,
    Boolean,
    Bytes,
    Double,
    Text,
}

impl ColumnType {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "int8" => Some(Self::BigInt),
            "bool" => Some(Self::Boolean),
            "bytea" => Some(Self::Bytes),
            "float8" => Some(Self::Double),
            "text" => Some(Self::Text),
            _ => None,
        }
    }
}

#[derive(sqlx_macros::FromRow)]
struct ColumnRow {
    table_name: String,
    name: String,
    type_name: String,
    is_identity: bool,
    is_key: bool,
    has_triggers: bool,
}

#[derive(sqlx_macros::FromRow)]
struct ReferenceRow {
    table_name: String,
    column_name: String,
    refers_to: String,
}

type Select = sqlx::query::Query<'static, Sqlite, SqliteArguments>;

impl Catalog {
    /// Reads the tables, without the columns that the database computes.
    pub(super) async fn read(target: &mut PgConnection) -> Result<Self> {
        let columns: Vec<ColumnRow> = sqlx::query_as(
            "select c.relname::text as table_name, a.attname::text as name, t.typname::text as type_name,
                    a.attidentity <> '' as is_identity,
                    exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any (i.indkey))
                        as is_key,
                    exists (select from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as has_triggers
             from pg_class c
             join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             join pg_type t on t.oid = a.atttypid
             where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
                 and c.relname not in ('_sqlx_migrations', 'store_transfer')
             order by c.relname, a.attnum",
        )
        .fetch_all(&mut *target)
        .await?;
        let references: Vec<ReferenceRow> = sqlx::query_as(
            "select c.relname::text as table_name, a.attname::text as column_name, r.relname::text as refers_to
             from pg_constraint f
             join pg_class c on c.oid = f.conrelid
             join pg_class r on r.oid = f.confrelid
             join pg_attribute a on a.attrelid = c.oid and a.attnum = any (f.conkey)
             where f.contype = 'f' and f.connamespace = current_schema()::regnamespace",
        )
        .fetch_all(target)
        .await?;
        let mut tables: BTreeMap<String, Table> = BTreeMap::new();
        for row in columns {
            let Some(kind) = ColumnType::from_name(&row.type_name) else {
                let column = format!("{}.{} has the type {}", row.table_name, row.name, row.type_name);
                return Err(Error::SchemasDiffer(column));
            };
            let table = tables.entry(row.table_name.clone()).or_insert_with(|| Table {
                name: row.table_name,
                columns: Vec::new(),
                primary_key: Vec::new(),
                source_key: Vec::new(),
                has_triggers: row.has_triggers,
                refers_to: BTreeSet::new(),
            });
            if row.is_key {
                table.primary_key.push(row.name.clone());
            }
            let is_identity = row.is_identity;
            table.columns.push(Column { name: row.name, kind, is_identity, is_self_reference: false });
        }
        for ReferenceRow { table_name, column_name, refers_to } in references {
            let Some(table) = tables.get_mut(&table_name) else { continue };
            if refers_to != table_name {
                table.refers_to.insert(refers_to);
            } else if let Some(column) = table.columns.iter_mut().find(|column| column.name == column_name) {
                column.is_self_reference = true;
            }
        }
        Ok(Self { tables: in_order(tables)? })
    }

    /// Checks that the source has the same tables and columns, and finds out how its rows are ordered. A full-text index is a
    /// table in SQLite only; it and its own tables have other types.
    pub(super) async fn compare(&mut self, source: &mut SqliteConnection) -> Result<()> {
        let rows: Vec<(String, bool, String, i64)> = sqlx::query_as(
            "select t.name, t.wr, c.name, c.pk from pragma_table_list t join pragma_table_info(t.name) c
             where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\'
                 and t.name <> '_sqlx_migrations'
             order by c.pk",
        )
        .fetch_all(source)
        .await?;
        let described = |table: &str, column: &str| format!("{table}.{column}");
        let there: BTreeSet<String> = rows.iter().map(|(table, _, column, _)| described(table, column)).collect();
        let columns = |table: &Table| table.columns.iter().map(|column| described(&table.name, &column.name)).collect();
        let here: BTreeSet<String> = self.tables.iter().flat_map(|table| -> Vec<String> { columns(table) }).collect();
        if here != there {
            let differing: Vec<&str> = here.symmetric_difference(&there).map(String::as_str).collect();
            return Err(Error::SchemasDiffer(differing.join(", ")));
        }
        for table in &mut self.tables {
            let own = rows.iter().filter(|(name, ..)| *name == table.name);
            table.source_key =
                own.filter(|(_, without_rowid, _, pk)| *without_rowid && *pk > 0).map(|row| row.2.clone()).collect();
            if table.source_key.is_empty() {
                table.source_key.push("rowid".to_owned());
            }
        }
        Ok(())
    }
}

impl Table {
    /// The rows after a key: the key, then the columns.
    pub(super) fn select_after(&self, key: Option<&[String]>) -> Select {
        let order = self.source_key.join(", ");
        let condition = match key {
            Some(_) => format!(" where ({order}) > ({})", self.key_values().join(", ")),
            None => String::new(),
        };
        let sql = format!("{}{condition} order by {order}", self.select(&self.columns.iter().collect::<Vec<_>>()));
        key.into_iter().flatten().fold(sqlx::query(AssertSqlSafe(sql)), |query, value| query.bind(value.clone()))
    }

    /// All rows: the key, then the columns.
    pub(super) fn select_all(&self) -> Select {
        sqlx::query(AssertSqlSafe(self.select(&self.columns.iter().collect::<Vec<_>>())))
    }

    /// The rows that refer to rows of the same table: the key, then the [columns](Self::self_references).
    pub(super) fn select_self_references(&self) -> Select {
        let columns: Vec<&Column> = self.self_references().collect();
        let references = self.columns.iter().filter(|column| column.is_self_reference);
        let some: Vec<String> = references.map(|column| format!("{} is not null", quoted(&column.name))).collect();
        sqlx::query(AssertSqlSafe(format!("{} where {}", self.select(&columns), some.join(" or "))))
    }

    fn select(&self, columns: &[&Column]) -> String {
        let columns: Vec<String> = columns.iter().map(|column| quoted(&column.name)).collect();
        format!("select {}, {} from {}", self.source_key.join(", "), columns.join(", "), quoted(&self.name))
    }

    /// Keys are stored as text.
    fn key_values(&self) -> Vec<&'static str> {
        let is_text = |name: &String| self.columns.iter().any(|it| it.name == *name && it.kind == ColumnType::Text);
        self.source_key.iter().map(|name| if is_text(name) { "?" } else { "cast(? as integer)" }).collect()
    }

    /// The columns, for a statement.
    pub(super) fn columns(&self) -> String {
        self.columns.iter().map(|column| quoted(&column.name)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn has_self_references(&self) -> bool {
        self.columns.iter().any(|column| column.is_self_reference)
    }

    /// The primary key, then the columns that refer to rows of the same table.
    pub(super) fn self_references(&self) -> impl Iterator<Item = &Column> {
        let keys = self.columns.iter().filter(|column| self.primary_key.contains(&column.name));
        keys.chain(self.columns.iter().filter(|column| column.is_self_reference))
    }

    /// The names of these columns, for a statement.
    pub(super) fn self_reference_columns(&self) -> Vec<String> {
        self.self_references().map(|column| quoted(&column.name)).collect()
    }
}

/// Each table after those to which it refers.
fn in_order(mut waiting: BTreeMap<String, Table>) -> Result<Vec<Table>> {
    let mut tables: Vec<Table> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let free = waiting.iter().find(|(_, table)| table.refers_to.iter().all(|other| !waiting.contains_key(other)));
        let Some(name) = free.map(|(name, _)| name.clone()) else {
            let names: Vec<String> = waiting.into_keys().collect();
            return Err(Error::SchemasDiffer(format!("{} refer to each other", names.join(", "))));
        };
        tables.extend(waiting.remove(&name));
    }
    Ok(tables)
}
