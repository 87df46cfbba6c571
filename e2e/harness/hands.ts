import type { Locator, Page } from '@playwright/test';

interface Offset {
  x: number;
  y: number;
}

/** Drags `target` from its centre by `offset`. */
export interface Hand {
  take(target: Locator): Promise<void>;
  move(offset: Offset): Promise<void>;
  drop(): Promise<void>;
}

export function mouse(page: Page): Hand {
  let from: Offset;
  return {
    take: async (target) => {
      from = await middleOf(target);
      await page.mouse.move(from.x, from.y);
      await page.mouse.down();
    },
    move: ({ x, y }) => page.mouse.move(from.x + x, from.y + y, { steps: 6 }),
    drop: () => page.mouse.up(),
  };
}

/** A simulated touch that the browser treats like a real one, so that it scrolls. */
export async function finger(page: Page): Promise<Hand> {
  const browser = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Offset[]) =>
    browser.send('Input.dispatchTouchEvent', { type, touchPoints });
  let from: Offset;
  return {
    take: async (target) => {
      from = await middleOf(target);
      await touch('touchStart', from);
    },
    move: async ({ x, y }) => {
      for (let step = 1; step <= 6; step += 1)
        await touch('touchMove', { x: from.x + (x * step) / 6, y: from.y + (y * step) / 6 });
    },
    drop: async () => {
      await touch('touchEnd');
    },
  };
}

async function middleOf(target: Locator): Promise<Offset> {
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not shown`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
