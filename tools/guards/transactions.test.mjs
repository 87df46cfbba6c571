import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committed } from './fixture.mjs';
import { transactionFaults } from './transactions.mjs';

const HANDLER = 'crates/cloud/src/http/shares/mod.rs';
const faultsOf = (t, text, path = HANDLER) => transactionFaults(committed(t, { [path]: text }));

test('a handler that opens a transaction is reported with its line', (t) => {
  const handler = 'async fn delete(app: App) {\n    let held = app.db.begin().await?;\n}\n';
  for (const [opening, line] of [
    ['app.db.begin()', 2],
    ['app.db\n        .begin()', 3],
    ['Db::begin(&app.db)', 2],
    ['app.db.write(delete)', 2],
  ])
    assert.deepEqual(faultsOf(t, handler.replace('app.db.begin()', opening)), [
      `${HANDLER}:${line}: opens a transaction; move it into a service`,
    ]);
});

test('a handler that receives a transaction or writes in it is reported', (t) => {
  assert.deepEqual(faultsOf(t, 'use platform::db::{Db, Tx};\n'), [
    `${HANDLER}:1: uses the type of a transaction; move it into a service`,
  ]);
  assert.deepEqual(faultsOf(t, 'fn f() {\n    store::shares::insert(&mut tx, &share).await?;\n}\n'), [
    `${HANDLER}:2: writes in a transaction; move it into a service`,
  ]);
});

test('the module of the handlers itself is checked', (t) => {
  assert.equal(faultsOf(t, 'use platform::db::Tx;\n', 'crates/cloud/src/http.rs').length, 1);
});

test('services, comments and calls of services are accepted', (t) => {
  assert.deepEqual(faultsOf(t, 'let mut tx = self.db.begin().await?;\n', 'crates/cloud/src/people/sharing/mod.rs'), []);
  const handler =
    '/// The service opens a Tx with `db.begin()`.\nlet text = line.begins_with("tx");\napp.sharing().delete(id).await?;\n';
  assert.deepEqual(faultsOf(t, handler), []);
});
