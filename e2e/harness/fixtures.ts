import { existsSync } from 'node:fs';
import { type BrowserContextOptions, test as base, expect, type Page } from '@playwright/test';
import { Contexts } from './contexts';
import { Diffuser } from './diffuser';
import { FaultProxy } from './fault-proxy';
import { Fleet, isOnline, readDevices } from './fleet';
import { Guard } from './guard';
import { Guests } from './guests';
import { Mailbox } from './mailbox';
import { People, type Person } from './people';
import { Sillage } from './sillage';

const DEVICES = 60;
/** Diffusers that the demo does not simulate, for tests that plug them in and pull them out. */
const UNPLUGGED = ['50', '51', '53', '56', '57', '58', '59'].map((number) => `AC000W0001000${number}`);

/** Number of diffusers to wait for; a few of the demo's diffusers are never plugged in. */
const MIN_ONLINE = 45;

interface OpenOptions extends BrowserContextOptions {
  /** Reach the console through this proxy. */
  through?: FaultProxy;
  /** A separate session for tests that sign out; other tests share one session per person. */
  ownSession?: boolean;
}

interface WorkerFixtures {
  /** Tests that name another world get their own system, for example because they add devices. */
  world: string;
  system: Sillage;
  people: People;
  fleet: Fleet;
  contexts: Contexts;
  /** The proxy that `frontProxy` hands to one test after another. */
  sharedFrontProxy: FaultProxy;
}

interface TestFixtures {
  guard: Guard;
  /** An empty page in a browser context of its own, signed in as this person or signed out. */
  open: (person: Person | null, options?: OpenOptions) => Promise<Page>;
  /** A fault proxy between browsers and console, for `open`. */
  frontProxy: FaultProxy;
  /** Invites people for a test. */
  guests: Guests;
  /** The messages to people. */
  mailbox: Mailbox;
  /** A diffuser that no other test uses, not plugged in. */
  diffuser: Diffuser;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  world: ['shared', { scope: 'worker', option: true }],

  system: [
    async ({ world: _ }, use) => {
      const system = await Sillage.start({ devices: DEVICES, seed: 7, unplugged: UNPLUGGED });
      await use(system);
      await system.stop();
    },
    { scope: 'worker' },
  ],

  people: [
    async ({ system, playwright }, use) => {
      const people = new People(playwright.request, system.console, system.accounts);
      await use(people);
      await people.end();
    },
    { scope: 'worker' },
  ],

  fleet: [
    async ({ people }, use) => {
      const api = await people.api('admin');
      await expect
        .poll(async () => (await readDevices(api)).filter(isOnline).length)
        .toBeGreaterThanOrEqual(MIN_ONLINE);
      await use(await Fleet.read(api, UNPLUGGED));
    },
    { scope: 'worker' },
  ],

  baseURL: ({ system }, use) => use(system.console),

  guard: [
    async ({ system }, use, testInfo) => {
      const guard = new Guard();
      await use(guard);
      system.cloudProxy.heal();
      if (testInfo.status !== testInfo.expectedStatus && existsSync(system.log)) {
        await testInfo.attach('sillage.log', { path: system.log });
      }
      expect(guard.offences, 'CSP violations, uncaught errors, console errors, foreign requests').toEqual([]);
    },
    { auto: true },
  ],

  contexts: [async ({ browser }, use) => use(new Contexts(browser)), { scope: 'worker' }],

  sharedFrontProxy: [
    async ({ system }, use) => {
      const proxy = await FaultProxy.start(system.console);
      await use(proxy);
      await proxy.stop();
    },
    { scope: 'worker' },
  ],

  open: async ({ contexts, guard, people, system, frontProxy, serviceWorkers }, use, testInfo) => {
    const open: TestFixtures['open'] = async (person, { through, ownSession, ...options } = {}) => {
      const session = person && (await (ownSession ? people.signIn(person) : people.api(person)));
      const cookies = (await session?.storageState())?.cookies ?? [];
      if (ownSession) await session?.dispose();
      return contexts.open({ baseURL: through?.url ?? system.console, serviceWorkers, ...options }, cookies, guard);
    };
    await use(open);
    frontProxy.heal();
    system.cloudProxy.heal();
    // A service worker outlasts its page, and a proxy that a test started is gone.
    const isReusable = testInfo.status === testInfo.expectedStatus && serviceWorkers === 'block';
    await contexts.release((baseURL) => isReusable && [system.console, frontProxy.url].includes(baseURL));
  },

  frontProxy: async ({ sharedFrontProxy }, use) => {
    await use(sharedFrontProxy);
    sharedFrontProxy.reset();
  },

  guests: ({ people }, use) => use(new Guests(people)),

  mailbox: ({ system, request }, use) => use(new Mailbox(request, system.mailbox)),

  diffuser: async ({ system, fleet }, use) => {
    const device = fleet.claimUnplugged();
    const diffuser = new Diffuser(system, device);
    await use(diffuser);
    await diffuser.pullOut();
    if (!diffuser.hasAnotherKey) fleet.release(device);
  },
});

export { expect };
