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

interface Finger extends Hand {
  /** Drags quickly over `target`. The page would take a pause before the first movement for a hold. */
  swipe(target: Locator, offset: Offset): Promise<void>;
}

/** A simulated touch that the browser treats like a real one, so that it scrolls. */
export async function finger(page: Page): Promise<Finger> {
  const browser = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: Offset[]) =>
    browser.send('Input.dispatchTouchEvent', { type, touchPoints });
  let from: Offset;
  const path = ({ x, y }: Offset) =>
    [1, 2, 3, 4, 5, 6].map((step) => ({ x: from.x + (x * step) / 6, y: from.y + (y * step) / 6 }));
  return {
    take: async (target) => {
      from = await middleOf(target);
      await touch('touchStart', from);
    },
    move: async (offset) => {
      for (const point of path(offset)) await touch('touchMove', point);
    },
    drop: async () => {
      await touch('touchEnd');
    },
    swipe: async (target, offset) => {
      from = await middleOf(target);
      const start = touch('touchStart', from);
      const moves = path(offset).map((point) => touch('touchMove', point));
      await Promise.all([start, ...moves, touch('touchEnd')]);
    },
  };
}

export async function middleOf(target: Locator): Promise<Offset> {
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not shown`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
