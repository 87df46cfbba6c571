// The table-driven tests that prove many rows of quality/requirements.tsv, and the cases of each.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTable } from './table.mjs';
import { withoutComments } from './test-names.mjs';

const WIRE = 'crates/devicecloud/tests/wire';
const SCHEDULES = 'crates/devicecloud/src/api/schedules/tests.rs';

/** For each proof, a function that returns the names of its cases, given the repository's root. */
export const CASES = {
  'crates/devicecloud/tests/wire.rs::requests_are_emitted_and_responses_are_read': clientCalls,
  'crates/devicecloud/tests/wire.rs::every_error_format_is_read': (root) => goldenFiles(root, 'message'),
  'crates/devicecloud/tests/wire.rs::missing_arguments_and_sessions_are_rejected_before_sending': messages,
  [`${SCHEDULES}::incomplete_schedules_are_rejected_before_sending`]: messages,
  [`${SCHEDULES}::incomplete_actions_are_rejected_in_the_specified_order`]: messages,
  'crates/cloud/tests/suite/golden.rs::every_request_gets_an_answer_of_the_golden_shape': (root) => goldenFiles(root, 'request'),
  'crates/cloud/tests/suite/golden.rs::every_event_has_the_golden_shape': (root) => goldenFiles(root, 'event'),
  'crates/cloud/tests/suite/golden.rs::every_golden_frame_is_accepted': (root) => goldenFiles(root, 'frame'),
  'crates/cloud/tests/suite/authorisation.rs::every_call_enforces_the_permissions': cloudPermissions,
  'crates/console/tests/http/authorisation.rs::every_role_is_allowed_exactly_the_operations_of_the_table': consolePermissions,
  'crates/console/tests/http/copy.rs::each_option_copies_its_values_and_no_others': (root, path) =>
    strings(root, path, /const OPTIONS: .* = \[(.*?)\];/),
  'crates/console/src/devices/bulk/copy/plan/tests.rs::each_copy_option_writes_only_its_values': copyOptions,
  'crates/diffuser/src/schedule/conflicts.rs::conflicts_match_the_vectors': conflicts,
  'web/src/domain/schedule.test.ts::frames are in conflict exactly where the vectors say so': conflicts,
  'e2e/tests/roles.spec.ts::sees what quality/permissions.tsv says': screenPermissions,
  'e2e/tests/session.spec.ts::to /signout, once and without alerts': routes,
  'e2e/tests/lists.spec.ts::contains its view': lists,
  'e2e/tests/lists.spec.ts::remembers its filters separately from other lists': lists,
  'e2e/tests/lists.spec.ts::shows that it is loading, then rows or an empty list': lists,
  'e2e/tests/lists.spec.ts::that cannot be read shows the reason and can be retried': lists,
  'e2e/tests/lists.spec.ts::starts with its page size and offers three': lists,
  'e2e/tests/users-list.spec.ts::the list has the people, columns and buttons of its reader': (root, path) =>
    strings(root, path, /for \(const person of \[(.*?)\] as const\) \{\s*test\(`the list has the people/s),
  'e2e/tests/users.spec.ts::the server refuses to invite and to change': (root, path) =>
    strings(root, path, /const REQUIRED = \[(.*?)\]/s),
  'e2e/tests/device-form.spec.ts::shows the reason of each failure, then fills both fields with six decimals': (root, path) =>
    strings(root, path, /const FAILURES = \[(.*?)\] as const/s),
};

function read(root, path) {
  return readFileSync(join(root, path), 'utf8');
}

/** The string literals in the first match of the pattern. */
function strings(root, path, pattern) {
  const [, found = ''] = pattern.exec(withoutComments(read(root, path))) ?? [];
  return [...found.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => single ?? double);
}

/** Names of the calls that the client library's test makes, for example `roles/assign_label`. */
function clientCalls(root) {
  const folder = 'crates/devicecloud/tests/cases';
  const texts = readdirSync(join(root, folder)).map((file) => withoutComments(read(root, `${folder}/${file}`)));
  return texts.flatMap((text) => [...text.matchAll(/^ +"([a-z_]+\/[a-z_.0-9]+)": \|/gm)].map(([, name]) => name));
}

/** Names of the golden files that have this member. */
function goldenFiles(root, member) {
  const files = readdirSync(join(root, WIRE), { recursive: true }).filter((file) => file.endsWith('.json'));
  return files
    .filter((file) => JSON.parse(read(root, `${WIRE}/${file}`))[member] !== undefined)
    .map((file) => file.slice(0, -'.json'.length));
}

/** The messages that a Rust test expects: its string literals, and the values of the constants that it uses. */
function messages(root, path, test) {
  const text = withoutComments(read(root, path));
  const [, body = ''] = new RegExp(`fn ${test}\\(\\) \\{\\n(.*?)\\n\\}\\n`, 's').exec(text) ?? [];
  const constants = [...text.matchAll(/^const ([A-Z_]+): &str =\s*"((?:\\.|[^"\\])*)";/gms)];
  return [
    ...[...body.matchAll(/"([^"\n]*)"/g)].map(([, message]) => message),
    ...constants.filter(([, name]) => body.includes(name)).map(([, , value]) => value.replace(/\\\n\s*/g, '')),
  ];
}

function permissions(root, kinds) {
  const { rows } = readTable(root, 'quality/permissions.tsv');
  return rows.map(({ cells }) => cells).filter(([kind]) => kinds.includes(kind));
}

const lineOf = ([kind, operation]) => `${kind} ${operation}`;

/** The lines that routes of the cloud refer to. Other lines have separate tests. */
function cloudPermissions(root) {
  const routeTable = withoutComments(read(root, 'crates/cloud/src/http/routes.rs'));
  return permissions(root, ['cloud-api'])
    .filter(([, line]) => routeTable.includes(`"${line}"`))
    .map(lineOf);
}

/** The matrix skips lines about a part of an operation (`PUT /api/x: part`). */
function consolePermissions(root) {
  return permissions(root, ['app-api'])
    .filter(([, line]) => !/: /.test(line))
    .map(lineOf);
}

function screenPermissions(root, path) {
  const elsewhere = strings(root, path, /const ELSEWHERE = \[(.*?)\];/s);
  return permissions(root, ['screen', 'navigation', 'button'])
    .filter(([, line]) => !elsewhere.includes(line))
    .map(lineOf);
}

function copyOptions(root, path) {
  return [
    ...read(root, path).matchAll(/\(DeviceSnapshot \{ (\w+): all\.\1, \.\.none\(\) \}|^ +DeviceSnapshot \{ (\w+): all\.\2/gm),
  ].map(([, one, other]) => one ?? other);
}

/** `inactive`, `days 9 5` for the same hours, or `10:00-11:00 11:00-12:00`. */
function conflicts(root) {
  return JSON.parse(read(root, 'crates/diffuser/vectors/schedule-conflict.json')).map(({ a, b }) => {
    if (!a.active || !b.active) return 'inactive';
    if (hours(a) === hours(b)) return `days ${a.dayOfTheWeek} ${b.dayOfTheWeek}`;
    return `${hours(a)} ${hours(b)}`;
  });
}

function hours({ startHour, startMinute, stopHour, stopMinute }) {
  const [a, b, c, d] = [startHour, startMinute, stopHour, stopMinute].map((part) => String(part).padStart(2, '0'));
  return `${a}:${b}-${c}:${d}`;
}

function routes(root) {
  const text = read(root, 'web/src/app/paths.ts');
  return [...text.matchAll(/path: '([^']+)', access: 'signed-in'/g)].map(([, path]) => path);
}

function lists(root, path) {
  return [...read(root, path).matchAll(/^ {4}path: '([^']+)'/gm)].map(([, list]) => list);
}
