import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { DeviceFormScreen } from '../screens/device-form';
import { SignInScreen } from '../screens/sign-in';
import { DESK } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';

/** Checks that removing the classes of our own style sheets from `styled` changes the look of `part`. */
async function expectOwnStyle(part: Locator, name: string, styled = part): Promise<void> {
  const before = await part.screenshot({ animations: 'disabled' });
  await styled.evaluate((root) => {
    for (const element of [root, ...root.querySelectorAll('*')]) {
      for (const own of [...element.classList].filter((one) => one.startsWith('_'))) element.classList.remove(own);
    }
  });
  const after = await part.screenshot({ animations: 'disabled' });
  expect(after.equals(before), name).toBe(false);
}

test('forms, the sign-in page, its link and the cells of a schedule have styles of their own', async ({
  open,
  fleet,
}) => {
  const signIn = await open(null);
  await signIn.goto('/signin');
  await expect(new SignInScreen(signIn).heading).toBeVisible();
  const main = signIn.getByRole('main');
  await expectOwnStyle(signIn.getByRole('link', { name: /password/i }), 'link to a new password', main);
  await signIn.reload();
  await expectOwnStyle(main, 'sign-in page');

  const page = await open('admin');
  const form = (page: Page) => page.locator('form');
  await page.goto('/devices/add');
  await expect(new DeviceFormScreen(page).save).toBeVisible();
  await expectOwnStyle(form(page), 'device form');
  await page.goto('/users/invite');
  await expect(new UserFormScreen(page).invite).toBeVisible();
  await expectOwnStyle(form(page), 'user form');
  await page.goto(`/devices/${fleet.find(({ mode }) => mode === 4).dsn}/edit/schedule`);
  await expectOwnStyle(page.locator('[data-day] [data-intensity]').first(), 'cell of a schedule');
});

test('while the session is loading, the landing page has the brand and a style of its own', async ({
  open,
  frontProxy,
}) => {
  const page = await open('admin', { through: frontProxy });
  frontProxy.hold(/^GET \/api\/session/);
  await page.goto('/');
  const landing = page.getByRole('main');
  await expect(landing).toHaveAttribute('aria-busy', 'true');
  await expect(landing).toContainText('Sillage');
  await expectOwnStyle(landing, 'landing page');
});

test('the mark of a level fills one bar for each step', async ({ open, fleet }) => {
  const page = await open('admin');
  await page.goto(`/devices/${fleet.find(({ mode }) => mode === 3).dsn}`);
  const mark = page.locator('[data-step]').first();
  await expect(mark).toBeVisible();
  for (const step of [1, 2, 3, 4, 5]) {
    const colours = await mark.evaluate((mark, step) => {
      mark.setAttribute('data-bars', String(step));
      const bars = Array.from({ length: 6 }, () => mark.appendChild(document.createElement('i')));
      for (const bar of [...mark.children].filter((child) => !bars.includes(child as HTMLElement))) bar.remove();
      return bars.map((bar) => getComputedStyle(bar).backgroundColor);
    }, step);
    const empty = colours.at(-1);
    expect(colours.filter((colour) => colour !== empty)).toHaveLength(step);
  }
});

/** The contrast of two colors, as WCAG defines it. */
async function contrast(page: Page, colors: readonly [string, string]): Promise<number> {
  return page.evaluate(([one, other]) => {
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }, colors);
}

const colorOf = (part: Locator, property: 'color' | 'backgroundColor') =>
  part.evaluate((element, property) => getComputedStyle(element)[property], property);

for (const colorScheme of ['light', 'dark'] as const) {
  test(`bars, tracks and links can be seen, ${colorScheme}`, async ({ open, fleet }) => {
    const page = await open('admin', { ...DESK, colorScheme });
    await page.goto(`/devices/${fleet.find(({ mode }) => mode === 3).dsn}`);
    const bars = page.locator('[data-bars]');
    await expect(bars.first()).toBeVisible();
    const surface = await colorOf(page.getByRole('region', { name: 'Product' }), 'backgroundColor');
    for (const mark of await bars.all()) {
      const filled = await colorOf(mark.locator('i').first(), 'backgroundColor');
      expect(await contrast(page, [filled, surface])).toBeGreaterThan(3);
    }

    await page.goto('/fleet');
    const period = page.getByRole('radiogroup', { name: 'Period' });
    await expect(period).toBeVisible();
    const track = await colorOf(period, 'backgroundColor');
    expect(track).not.toBe(await colorOf(page.locator('body'), 'backgroundColor'));
    expect(track).not.toBe(await colorOf(period.locator('.mantine-SegmentedControl-indicator'), 'backgroundColor'));

    // Without a class, as those of the set-up of a second step.
    const [link, accent] = await page.evaluate(() => {
      const probe = document.createElement('a');
      probe.href = '/';
      document.querySelector('main')?.append(probe);
      const link = getComputedStyle(probe).color;
      probe.style.color = 'var(--accent)';
      return [link, getComputedStyle(probe).color];
    });
    expect(link).toBe(accent);
  });
}

test('nothing of a filter shows through the buttons below it', async ({ open }) => {
  const page = await open('admin', { viewport: { width: 1440, height: 900 } });
  await page.goto('/devices?runsdrydays=14&country=Norway&city=Oslo');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const apply = page.getByRole('dialog').getByRole('button', { name: 'Apply' });
  await expect(apply).toBeVisible();
  const covering = await apply.evaluate((button) => {
    const bar = button.parentElement as HTMLElement;
    const found: string[] = [];
    const scroller = [...document.querySelectorAll<HTMLElement>('[role="dialog"], [role="dialog"] *')].find(
      (element) => element.scrollHeight > element.clientHeight + 1,
    );
    for (let top = 0; top <= (scroller?.scrollHeight ?? 0); top += 12) {
      scroller?.scrollTo({ top, behavior: 'instant' });
      const { left, right, top: y, bottom } = bar.getBoundingClientRect();
      for (let x = left + 4; x < right - 4; x += 12) {
        const hit = document.elementFromPoint(x, (y + bottom) / 2);
        if (hit && !bar.contains(hit)) found.push(hit.outerHTML.slice(0, 80));
      }
    }
    return found;
  });
  expect(covering).toEqual([]);
});

test('a text that replaces a form is read but has no ring', async ({ open }) => {
  const page = await open(null);
  await page.goto('/password/reset');
  await page.getByLabel('Email').fill('nobody@sillage.example');
  await page.keyboard.press('Enter');
  const text = page.getByRole('status').filter({ hasText: 'A reset token was sent' });
  await expect(text).toBeFocused();
  expect(await text.evaluate((text) => getComputedStyle(text).outlineStyle)).toBe('none');
});

test('the page can be put on the home screen, and the bar of the browser follows the scheme', async ({ open }) => {
  const page = await open('admin', { ...DESK, colorScheme: 'dark' });
  await page.goto('/devices');
  const manifest = await page.evaluate(async () => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="manifest"]');
    const answer = await fetch(link?.href ?? '');
    return { type: answer.headers.get('content-type'), body: await answer.json() };
  });
  expect(manifest.type).toBe('application/manifest+json');
  expect(manifest.body).toMatchObject({ name: 'Sillage', display: 'standalone', start_url: '/' });
  for (const icon of manifest.body.icons) expect((await page.request.get(icon.src)).ok()).toBe(true);
  const bar = () =>
    page.evaluate(
      () =>
        [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')].find(
          ({ media }) => matchMedia(media).matches,
        )?.content,
    );
  expect(await bar()).toBe('#1a2026');
  await page.getByRole('button', { name: /light/i }).click();
  await expect.poll(bar).toBe('#ffffff');
});
