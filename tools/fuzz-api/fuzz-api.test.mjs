// Requests that Schemathesis generates from api/openapi.json, sent to the real binary as each of six principals.
// SILLAGE_FUZZ_SECONDS is the time for each principal.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BINARY = process.env.SILLAGE_BINARY ?? join(ROOT, 'target/debug/sillage');
const SCHEMATHESIS = join(ROOT, 'target/python/fuzz-api/bin/schemathesis');
const SECONDS = Number(process.env.SILLAGE_FUZZ_SECONDS ?? 15);
const START_MS = 60_000;

const CHECKS = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'];
/** An event stream does not end; the others end the session of the run, or lock its account after wrong passwords. */
const EXCLUDED = ['stream_events', 'delete_session', 'delete_account_session', 'update_account_password'];
/** The administrators come last, because they change what the others see. */
const PRINCIPALS = [null, 'CspTech', 'CspObserver', 'CspAdmin', 'OEM::Observer', 'OEM::Admin'];

let folder;
let demo;
let ready;
let log = '';

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sillage-fuzz-'));
  const readyFile = join(folder, 'ready.json');
  const listen = ['--listen', '--cloud-listen', '--mqtt-listen'].flatMap((option) => [option, '127.0.0.1:0']);
  const options = ['--data', join(folder, 'data'), '--devices', '40', '--ready-file', readyFile, ...listen];
  demo = spawn(BINARY, ['demo', ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  demo.stderr.on('data', (data) => {
    log += data;
  });
  const end = Date.now() + START_MS;
  while (!existsSync(readyFile)) {
    assert.ok(demo.exitCode === null && Date.now() < end, `the demo did not start:\n${log}`);
    await delay(50);
  }
  ready = JSON.parse(readFileSync(readyFile, 'utf8'));
});

after(async () => {
  if (demo?.exitCode === null) {
    demo.kill('SIGINT');
    await once(demo, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

for (const principal of PRINCIPALS) {
  test(`${principal ?? 'a stranger'} finds no server error and no answer outside the schema`, async (t) => {
    const session = principal && (await signIn(principal));
    const output = await schemathesis(session, await values(session));
    assert.equal(output.status, 0, `${output.text}\n\nThe log of the demo ends:\n${log.slice(-4000)}`);
    assert.equal(demo.exitCode, null, `the demo ended:\n${log.slice(-4000)}`);
    if (session) assert.ok(await (await call(session, 'GET', '/api/session')).json(), 'the session ended too early');
    t.diagnostic(output.text.match(/Tested: \d+|\d+ generated/g).join(', '));
  });
}

async function schemathesis(session, known) {
  const options = [
    ...['--url', ready.console],
    ...['--checks', CHECKS.join()],
    ...['--phases', 'examples,coverage,fuzzing'],
    ...['--max-time', String(SECONDS)],
    ...['--request-timeout', '15'],
    ...['--generation-database', 'none'],
    ...['--warnings', 'off', '--no-color', '--continue-on-failure'],
    ...(process.env.CI ? ['--seed', '1'] : []),
    ...EXCLUDED.flatMap((id) => ['--exclude-operation-id', id]),
    ...(session ? ['--header', `Cookie: ${session}`] : []),
  ];
  const child = spawn(SCHEMATHESIS, ['run', join(ROOT, 'api/openapi.json'), ...options], {
    cwd: folder,
    env: {
      ...process.env,
      PYTHONPATH: fileURLToPath(new URL('.', import.meta.url)),
      PYTHONDONTWRITEBYTECODE: '1',
      SCHEMATHESIS_HOOKS: 'hooks',
      SILLAGE_FUZZ_VALUES: JSON.stringify(known),
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      text += data;
    });
  const [status] = await once(child, 'close');
  return { status, text };
}

function call(session, method, path, body) {
  return fetch(`${ready.console}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(session && { cookie: session }) },
    body: body && JSON.stringify(body),
  });
}

async function signIn(role) {
  const { email, password } = ready.accounts.find((account) => account.role?.endsWith(role));
  const response = await call(undefined, 'POST', '/api/session', { email, password });
  assert.equal(response.status, 200, await response.text());
  return response.headers.getSetCookie()[0].split(';')[0];
}

/** What exists for this principal. Of the users only those that nobody needs any more, because some will be removed. */
async function values(session) {
  if (!session) return { dsns: { dsn: ready.stock } };
  const read = async (path) => {
    const response = await call(session, 'GET', path);
    return response.ok ? response.json() : {};
  };
  const { devices = [] } = await read('/api/devices?pageSize=25');
  const { csps = [] } = await read('/api/csps');
  const { users = [] } = await read('/api/users');
  const { jobs = [] } = await read('/api/jobs');
  const needless = users.filter(({ role }) => role === null || role === 'EndUser');
  return {
    '/dsns/': { dsn: devices.map(({ dsn }) => dsn) },
    '/base/': { dsn: ready.stock },
    '/csps/': { id: csps.map(({ id }) => id) },
    '/users/': { id: needless.map(({ id }) => id) },
    '/jobs/': { id: jobs.map(({ id }) => id) },
  };
}
