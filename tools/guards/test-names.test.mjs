import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasTest } from './test-names.mjs';

const RUST = `
#[test]
#[should_panic(expected = "[1]")]
fn attributed() {}
#[tokio::test(start_paused = true)]
pub(crate) async fn asynchronous() {}
proptest! {
    #[test]
    fn with_random_input(n in 0..9) {}
}
#[test]
#[ignore = "slow"]
fn ignored() {}
/// helper is called by attributed
fn helper() {}
// #[test] fn commented() {}
async fn on_a_database(db: Db) {}
async fn not_listed(db: Db) {}
platform::store_suite!(
    migrate = crate::migrate,
    tests = [
        on_a_database,
        // not_listed,
    ]
);
on_both_databases![on_two,];
on_both_databases!(also_on_two);
on_each_bus!(on_a_bus);
`;

const TYPESCRIPT = `
// the help is only mentioned here
test('plain', () => {});
test(\`\${person ?? 'nobody'} sees the table\`, async () => {});
test.describe('a group', () => {
  test("a reader's page", () => {});
  test.skip('skipped', () => {});
});
test.each(PAGES)('%s is open', () => {});
test.each([
  ['a', 1],
])('the step of %d percent', () => {});
const text = 'a string';
`;

const table = (path, text, expected) => {
  for (const [name, found] of Object.entries(expected)) assert.equal(hasTest(path, text, name), found, name);
};

test('a Rust test is a function with a test attribute, or one that a store suite lists', () => {
  table('a.rs', RUST, {
    attributed: true,
    asynchronous: true,
    with_random_input: true,
    on_two: true,
    also_on_two: true,
    on_a_bus: true,
    on_two: true,
    ignored: false,
    helper: false,
    commented: false,
    not_listed: false,
  });
});

test('a TypeScript test is a title, or the fixed part of a title with placeholders', () => {
  table('a.spec.ts', TYPESCRIPT, {
    plain: true,
    'sees the table': true,
    'a group': true,
    "a reader's page": true,
    'is open': true,
    'the step of': true,
    percent: true,
    'the help is only mentioned here': false,
    skipped: false,
    plai: false,
    'a string': false,
    sees: false,
  });
});
