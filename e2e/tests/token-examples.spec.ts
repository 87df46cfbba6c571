import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { expect, test } from '../harness/fixtures';
import { afterLimit } from '../harness/people';
import { inRepository } from '../harness/repository';

const run = promisify(execFile);

test('the examples of docs/access-tokens.md run', async ({ people, fleet, system }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  const { password } = people.account('cspAdmin');
  const api = await people.signIn('cspAdmin');
  const form = { name: 'Examples', rights: ['devices_write'], expiresInDays: 1, password };
  const { token } = await (await afterLimit(() => api.post('/api/account/tokens', { data: form }))).json();
  const env = { ...process.env, CONSOLE_URL: system.console, CONSOLE_TOKEN: token };
  const example = (name: string) => inRepository(`docs/examples/${name}`);
  // This Node.js does not run TypeScript.
  const module = join(mkdtempSync(join(tmpdir(), 'sillage-example-')), 'example.mjs');
  const options = { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } };
  writeFileSync(module, ts.transpileModule(readFileSync(example('access-token.ts'), 'utf8'), options).outputText);

  const low = (await (await api.get('/api/devices?maxremaining=20&pageSize=50')).json()).devices;
  expect(low.length).toBeGreaterThan(0);
  for (const [command, file] of [
    ['sh', example('access-token.sh')],
    ['python3', example('access_token.py')],
    [process.execPath, module],
  ] as const) {
    const { stdout } = await run(command, [file, dsn], { env });
    for (const device of low) expect(stdout, file).toContain(device.dsn);
    const failed = await run(command, [file, dsn], { env: { ...env, CONSOLE_TOKEN: `${token}0` } }).catch(
      (error) => error,
    );
    expect(failed.code, file).not.toBe(0);
    expect(`${failed.stdout}${failed.stderr}`, file).toContain('The access token is not valid.');
    expect(`${failed.stdout}${failed.stderr}`, file).not.toContain(token);
  }
  await api.dispose();
});
