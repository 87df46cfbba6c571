import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

const WCAG_22_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Returns rule, element and reason of each violation of WCAG 2.2 A or AA on the page. */
export async function findViolations(page: Page): Promise<string[]> {
  // The console has no frames, so axe runs in the page itself and is kept until the page is reloaded.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (tags) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const results = await axe.run(document, { runOnly: tags, resultTypes: ['violations'] });
    return results.violations;
  }, WCAG_22_AA);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

export async function expectAccessible(page: Page, name: string): Promise<void> {
  expect.soft(await findViolations(page), name).toEqual([]);
}

/** Checks the current page in light, then in dark. */
export async function expectAccessibleInBothSchemes(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    // Some labels fade to their new colour.
    await page.evaluate(() => {
      const fading = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
      return Promise.allSettled(fading.map(({ finished }) => finished));
    });
    await expectAccessible(page, `${name}, ${colorScheme}`);
  }
}
