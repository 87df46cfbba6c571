import { expect, type Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

const WCAG_22_AA: RunOptions['runOnly'] = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules of WCAG 2.2 A and AA that look at colours; all others give the same result in each scheme. */
const COLOR_RULES: RunOptions['runOnly'] = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/** Returns rule, element and reason of each violation on the page; of WCAG 2.2 A or AA unless other rules are named. */
export async function findViolations(page: Page, rules = WCAG_22_AA): Promise<string[]> {
  // The console has no frames, so axe runs in the page itself and is kept until the page is reloaded.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (runOnly) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const results = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    return results.violations;
  }, rules);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

export async function expectAccessible(page: Page, name: string, rules = WCAG_22_AA): Promise<void> {
  expect.soft(await findViolations(page, rules), name).toEqual([]);
}

/** Checks the current page in light, then its colours in dark. */
export async function expectAccessibleInBothSchemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    // Some labels fade to their new colour.
    await page.evaluate(() => {
      const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
      return Promise.allSettled(fading.map(({ finished }) => finished));
    });
    await expectAccessible(page, `${name}, ${colorScheme}`, colorScheme === 'dark' ? COLOR_RULES : WCAG_22_AA);
  }
}
