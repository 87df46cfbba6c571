import type { Page } from '@playwright/test';
import type { Diffuser } from '../harness/diffuser';
import { EVENTS, type FaultProxy } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import type { People } from '../harness/people';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK } from '../screens/sizes';

interface World {
  open: (person: 'admin', options: { through: FaultProxy }) => Promise<Page>;
  diffuser: Diffuser;
  frontProxy: FaultProxy;
  people: People;
}

const BAD_GATEWAY = 502;
const READS = /^GET \/api\/(?!events)/;
const STEP_MS = 500;
/** Within half a minute the page says which of the two. */
const NOT_LIVE = /^(Reconnecting|Updated every 30 s)$/;

/** The page of a device and a list with it, which are live and whose clocks stand still. */
async function openLive({ open, diffuser, frontProxy, people }: World) {
  const { dsn } = diffuser.device;
  const api = await people.api('admin');
  const addresses = [`/devices/${dsn}`, `/devices?dsn=${dsn}`];
  const pages = await Promise.all(
    addresses.map(async (address) => {
      const page = await open('admin', { through: frontProxy, ...DESK });
      await page.clock.install();
      await page.goto(address);
      await expect(new Shell(page).live).toHaveText('Live');
      return page;
    }),
  );
  const [device, list] = pages as [Page, Page];
  const connections = [new DeviceScreen(device).product('Connection'), new DeviceListScreen(list).row(dsn)];
  for (const connection of connections) await expect(connection).toContainText('Offline');
  const stop = async () => {
    for (const page of pages) await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 500);
  };
  await stop();
  return {
    stop,
    /** Changes the device elsewhere. */
    plugIn: async () => {
      diffuser.plugIn();
      await expect.poll(async () => isOnline(await readDevice(api, dsn))).toBe(true);
    },
    /** Lets time pass on the clocks of the pages, which includes no wait for responses. */
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        for (const page of pages) await page.clock.runFor(STEP_MS);
        await expect.poll(() => frontProxy.countOpen(READS)).toBe(0);
      }
    },
    resume: async () => {
      for (const page of pages) await page.clock.resume();
    },
    expectShown: async (state: string) => {
      for (const connection of connections) await expect(connection).toContainText(state);
    },
    expectBadge: async (text: string | RegExp) => {
      for (const page of pages) await expect(new Shell(page).live).toHaveText(text);
    },
    /** Numbers of times that the page and the list were read. */
    reads: () =>
      addresses.map((_, place) =>
        frontProxy.count(place === 0 ? new RegExp(`^GET /api/devices/dsns/${dsn}$`) : /^GET \/api\/devices\?/),
      ),
  };
}

type Live = Awaited<ReturnType<typeof openLive>>;

/** Each makes the stream fail, and lets the pages notice it. Returns how many milliseconds have passed. */
const FAULTS: Record<string, (live: Live, proxy: FaultProxy) => Promise<number>> = {
  'is muted': async ({ pass }, proxy) => {
    proxy.mute(EVENTS);
    await pass(8_000);
    return 8_000;
  },
  'is reset': async (_, proxy) => {
    proxy.cut(EVENTS);
    return 0;
  },
  'is refused': async (_, proxy) => {
    proxy.cut(EVENTS);
    proxy.heal();
    proxy.fail({ match: EVENTS, status: BAD_GATEWAY });
    return 0;
  },
};

for (const [fault, begin] of Object.entries(FAULTS)) {
  test(`pages whose stream ${fault} are at most 30 s old and say so, until it is back`, async ({
    open,
    diffuser,
    frontProxy,
    people,
    guard,
  }) => {
    guard.expect('broken', /^\/api\/events$/);
    guard.expect(BAD_GATEWAY, /^\/api\/events$/);
    const live = await openLive({ open, diffuser, frontProxy, people });
    const passed = await begin(live, frontProxy);
    await live.expectBadge(NOT_LIVE);
    await live.plugIn();
    await live.expectShown('Offline');
    const before = live.reads();
    // Less than 30 s since the last event; the clocks of the pages stand still while they read.
    await live.pass(28_500 - passed);
    await live.expectBadge('Updated every 30 s');
    await expect.poll(() => live.reads().every((count, place) => count > (before[place] ?? 0))).toBe(true);
    await live.resume();
    await live.expectShown('Online');

    await diffuser.pullOut();
    frontProxy.heal();
    await live.expectBadge('Live');
    await live.expectShown('Offline');
  });
}

test('pages whose stream is delayed show what it says when it comes, or read it again', async ({
  open,
  diffuser,
  frontProxy,
  people,
}) => {
  const live = await openLive({ open, diffuser, frontProxy, people });
  const before = live.reads();
  const release = frontProxy.mute(EVENTS);
  await live.plugIn();
  await live.expectShown('Offline');
  await live.expectBadge('Live');
  release();
  await live.resume();
  await live.expectShown('Online');
  expect(live.reads()[0]).toBe(before[0]);
  await live.stop();

  const releaseLate = frontProxy.mute(EVENTS);
  await live.pass(8_000);
  await live.expectBadge(NOT_LIVE);
  await diffuser.pullOut();
  const opened = frontProxy.count(EVENTS);
  // The next stream opens, but its first message is late.
  await live.pass(7_000);
  await expect.poll(() => frontProxy.count(EVENTS)).toBeGreaterThan(opened);
  await live.expectBadge('Updated every 30 s');
  releaseLate();
  await live.expectBadge('Live');
  await live.resume();
  await live.expectShown('Offline');
});
