//! What statements of an earlier version need of a PostgreSQL schema.

use std::collections::{BTreeMap, BTreeSet};

use platform::db::{Db, Migrations, params};

/// Applies the migrations up to a version.
pub(crate) async fn migrate_up_to(db: &Db, migrations: &Migrations, newest: usize) {
    db.migrate(&Migrations { all: &migrations.all[..newest], ..*migrations }).await.unwrap();
}

/// The tables of a schema.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Columns by table and name.
    columns: BTreeMap<(String, String), Column>,
    rules: BTreeSet<Rule>,
}

#[derive(Debug, PartialEq, Eq)]
struct Column {
    data_type: String,
    /// Whether an insert may omit it.
    is_optional: bool,
}

/// A constraint or a unique index.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, sqlx_macros::FromRow)]
struct Rule {
    table_name: String,
    is_unique: bool,
    definition: String,
    /// Their names, separated by commas.
    columns: String,
}

impl Schema {
    pub(crate) async fn read(db: &Db) -> Self {
        let sql = "select c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod),
                       not a.attnotnull or a.atthasdef or a.attidentity <> ''
                   from pg_attribute a join pg_class c on c.oid = a.attrelid
                   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
                     and not c.relispartition and c.relname not like '\\_sqlx%' and a.attnum > 0 and not a.attisdropped";
        let columns: Vec<(String, String, String, bool)> = db.fetch_all(sql, params![]).await.unwrap();
        let columns = columns
            .into_iter()
            .map(|(table, name, data_type, is_optional)| ((table, name), Column { data_type, is_optional }));
        let sql = "with rule as (
                       select conrelid as relid, contype in ('p', 'u') as is_unique, pg_get_constraintdef(oid) as definition,
                           conkey as numbers
                       from pg_constraint where contype in ('c', 'f', 'p', 'u', 'x')
                       union all
                       select i.indrelid, true, replace(pg_get_indexdef(i.indexrelid), c.relname, ''), i.indkey::int2[]
                       from pg_index i join pg_class c on c.oid = i.indexrelid
                       where i.indisunique and not exists (select from pg_constraint where conindid = i.indexrelid)
                   )
                   select c.relname::text as table_name, is_unique, definition, array_to_string(array(
                           select attname from pg_attribute where attrelid = c.oid and attnum = any(numbers) order by 1
                       ), ',') as columns
                   from rule join pg_class c on c.oid = relid
                   where c.relnamespace = current_schema()::regnamespace and not c.relispartition
                     and c.relname not like '\\_sqlx%'";
        let rules: Vec<Rule> = db.fetch_all(sql, params![]).await.unwrap();
        Self { columns: columns.collect(), rules: rules.into_iter().collect() }
    }

    /// What a program for `self` cannot do on the schema `newer`.
    pub(crate) fn faults_of(&self, newer: &Self) -> Vec<String> {
        let mut faults = Vec::new();
        for ((table, name), column) in &self.columns {
            match newer.columns.get(&(table.clone(), name.clone())) {
                None => faults.push(format!("{table}.{name} is gone")),
                Some(now) if now.data_type != column.data_type => {
                    faults.push(format!("{table}.{name} has another type"));
                }
                Some(now) if column.is_optional && !now.is_optional => {
                    faults.push(format!("{table}.{name} is required"));
                }
                Some(_) => {}
            }
        }
        let has_table = |table: &str| self.columns.keys().any(|(known, _)| known == table);
        let has_column = |table: &str, name: &str| self.columns.contains_key(&(table.to_owned(), name.to_owned()));
        for ((table, name), column) in &newer.columns {
            if has_table(table) && !has_column(table, name) && !column.is_optional {
                faults.push(format!("the new {table}.{name} is required"));
            }
        }
        // `on conflict` needs the unique index that it names.
        for gone in self.rules.difference(&newer.rules).filter(|rule| rule.is_unique) {
            faults.push(format!("{} is no longer unique: {}", gone.table_name, gone.definition));
        }
        for added in newer.rules.difference(&self.rules).filter(|rule| has_table(&rule.table_name)) {
            if added.columns.split(',').all(|name| has_column(&added.table_name, name)) {
                faults.push(format!("{} refuses more rows: {}", added.table_name, added.definition));
            }
        }
        faults
    }
}
