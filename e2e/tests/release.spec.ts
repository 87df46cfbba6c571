import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIRequestContext, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { readDevices } from '../harness/fleet';
import { endRelease, release } from '../harness/release';
import { inRepository } from '../harness/repository';
import {
  expectReloadOpens,
  expectRetryOpens,
  failToLoad,
  PASSKEY_PARTS,
  PLACES,
  releaseBelow,
} from '../screens/late-parts';
import { Shell } from '../screens/shell';
import { DESK } from '../screens/sizes';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A device with a forecast, which the console makes after its start. */
async function predicted(api: APIRequestContext): Promise<string> {
  const find = async () => (await readDevices(api)).find(({ mode, runsDryAt }) => mode === 4 && runsDryAt !== null);
  await expect.poll(async () => (await find())?.dsn).toBeDefined();
  return (await find())?.dsn ?? '';
}

/** Browsers that know the calendar need no code for it. */
function withoutTemporal(page: Page): Promise<unknown> {
  return page.addInitScript(() => Reflect.deleteProperty(globalThis, 'Temporal'));
}

/** Until then the fleet has nothing to draw. */
async function historiesAreRead(api: APIRequestContext): Promise<void> {
  await expect.poll(async () => (await (await api.get('/api/fleet/history')).json()).histories).toBeNull();
}

test('every part whose code is loaded late is opened here, or by the tests of passkeys', () => {
  const folder = inRepository('web/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  );
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/(?<!function )\blazyPart[(<]/g)]);
  const names = texts.flatMap((text) => [...text.matchAll(/const (\w+) = lazyPart[(<]/g)].map(([, name]) => name));
  expect(names).toHaveLength(calls.length);
  const opened = [...PLACES.flatMap(({ parts }) => Object.keys(parts)), ...Object.keys(PASSKEY_PARTS)];
  expect(opened.sort()).toEqual(names.sort());
});

test('every part whose code could not be loaded opens after Retry', async ({ open, people, guard }) => {
  guard.expect('broken', /^\/assets\//);
  const api = await people.api('admin');
  const dsn = await predicted(api);
  await historiesAreRead(api);
  const page = await open('admin', DESK);
  await withoutTemporal(page);
  for (const { address, parts, ...place } of PLACES) {
    for (const [name, part] of Object.entries(parts)) {
      await test.step(name, async () => {
        await failToLoad(page, part);
        await page.goto(address.replace('DSN', dsn));
        await expectRetryOpens(page, part, place);
      });
    }
  }
});

test('after a release below an open tab, every part opens after Reload, and the page says why', async ({
  open,
  people,
  guard,
}) => {
  guard.expect(404, /^\/assets\//);
  const api = await people.api('admin');
  const dsn = await predicted(api);
  await historiesAreRead(api);
  const page = await open('admin', DESK);
  await withoutTemporal(page);
  for (const { address, data, parts, ...place } of PLACES) {
    await test.step(Object.keys(parts).join(), async () => {
      await releaseBelow(page, { address: address.replace('DSN', dsn), ...(data && { data }) });
      await expectReloadOpens(page, Object.values(parts), place);
      await endRelease(page);
    });
  }
});

test('after a release, the next navigation loads the new application, unless changes are not saved', async ({
  open,
  fleet,
  guard,
}) => {
  // The browser prepares the page of a link below the pointer, whose code has gone.
  guard.expect(404, /^\/assets\//);
  const page = await open('admin');
  await page.goto(`/devices/${fleet.claim().dsn}/edit`);
  await page.getByRole('combobox', { name: 'Customer', exact: true }).fill('Hotel');
  await release(page);
  // The next response of the server names its release.
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(page.getByRole('status').filter({ hasText: 'Sillage was updated.' })).toBeVisible();
  await new Shell(page).navigation.getByRole('link', { name: 'Users' }).click();
  await button(page, 'Stay').click();
  await expect(page.getByRole('combobox', { name: 'Customer', exact: true })).toHaveValue('Hotel');

  const loaded = page.waitForEvent('domcontentloaded');
  await new Shell(page).navigation.getByRole('link', { name: 'Users' }).click();
  await button(page, 'Leave').click();
  await loaded;
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await expect(page.getByText('Sillage was updated.')).toHaveCount(0);
  await endRelease(page);
});
