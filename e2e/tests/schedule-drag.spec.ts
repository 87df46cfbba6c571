import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { finger, type Hand, middleOf, mouse } from '../harness/hands';
import { claim, EVENING, MORNING, openSchedule, setSchedule, stored, WEEK } from '../harness/schedules';
import type { ScheduleScreen } from '../screens/schedule-page';
import { alert } from '../screens/shell';
import { DESK, LANDSCAPE, PHONE } from '../screens/sizes';

test.use({ world: 'schedule-drag' });

interface Input {
  size: typeof DESK;
  hand: (page: Page) => Hand | Promise<Hand>;
  /** Grabs a block to move it. */
  takeBlock: (hand: Hand, block: Locator) => Promise<void>;
  /** Selects a block, which shows its handles. */
  select: (hand: Hand, block: Locator) => Promise<void>;
}

const hold = async (hand: Hand, block: Locator) => {
  await hand.take(block);
  await expect(block).toHaveAttribute('data-held', 'true');
};
const BY_MOUSE = { hand: mouse, takeBlock: (hand: Hand, block: Locator) => hand.take(block), select: async () => {} };
const BY_TOUCH = {
  hand: finger,
  takeBlock: hold,
  select: async (hand: Hand, block: Locator) => {
    await hold(hand, block);
    await hand.drop();
  },
};
const INPUTS: Record<string, Input> = {
  'by mouse': { size: DESK, ...BY_MOUSE },
  'by touch': { size: PHONE, ...BY_TOUCH },
  'by touch on a phone on its side': { size: LANDSCAPE, ...BY_TOUCH },
};

const rowTexts = (reading: Locator) => reading.innerText().then((text) => text.replaceAll(/\s+/g, ' '));

/** Scrolls the chart to the middle of the window, so that all of it can be reached. */
async function showChart(screen: ScheduleScreen): Promise<void> {
  await screen.chart.evaluate((chart) => chart.scrollIntoView({ block: 'center' }));
}

for (const [name, { size, hand: handOf, takeBlock, select }] of Object.entries(INPUTS)) {
  test(`a block is moved and resized ${name}, and a conflict offers the start or end that fits, which is saved`, async ({
    open,
    people,
    fleet,
  }) => {
    const { dsn } = claim(fleet);
    const api = await people.api('admin');
    await setSchedule(api, dsn, WEEK);
    const page = await open('admin', size);
    const screen = await openSchedule(page, dsn);
    const hand = await handOf(page);
    await showChart(screen);

    // Dragging the block on Tuesday moves it on all weekdays, which the page shows during the drag.
    const block = screen.block(1, 2);
    await takeBlock(hand, block);
    await hand.move(await screen.hours(2));
    await expect.poll(() => rowTexts(screen.reading)).toBe('Schedule 1 Weekdays, 8:00 AM – 1:59 PM');
    for (const day of [1, 2, 5]) await expect(screen.block(1, day)).toHaveAttribute('title', /8:00\sAM – 1:59\sPM$/);
    await hand.drop();
    await expect(screen.reading).toBeHidden();

    await hand.take(block.locator('[data-grip="start"]'));
    await hand.move(await screen.hours(1));
    await expect.poll(() => rowTexts(screen.reading)).toBe('Schedule 1 Weekdays, 9:00 AM – 1:59 PM');
    await hand.drop();
    await hand.take(block.locator('[data-grip="stop"]'));
    await hand.move(await screen.hours(-1));
    await expect.poll(() => rowTexts(screen.reading)).toBe('Schedule 1 Weekdays, 9:00 AM – 1:00 PM');
    await hand.drop();

    // Dragged into a conflict in the evening: nothing changes before the user decides.
    await hand.take(block.locator('[data-grip="stop"]'));
    await hand.move(await screen.hours(7));
    await expect
      .poll(() => rowTexts(screen.reading))
      .toBe('Schedule 1 Weekdays, 9:00 AM – 8:00 PM Time Conflicts: Schedule 2, Weekdays, 6:00 PM – 11:59 PM');
    await expect(block).toHaveAttribute('data-conflict', 'true');
    await expect(screen.block(2, 2)).toHaveAttribute('data-conflict', 'true');
    await hand.drop();
    const { conflicts } = screen;
    await expect(conflicts.root).toContainText(/Schedule 1 \(Weekdays, 9:00\sAM – 8:00\sPM\)/);
    await expect(conflicts.others).toHaveText([/^Schedule 2Weekdays, 6:00\sPM – 11:59\sPM$/]);
    await conflicts.cancel.click();
    await expect(conflicts.root).toBeHidden();
    await expect(block).toHaveAttribute('title', /9:00\sAM – 1:00\sPM$/);

    await showChart(screen);
    await select(hand, block);
    await hand.take(block.locator('[data-grip="stop"]'));
    await hand.move(await screen.hours(7));
    await hand.drop();
    await conflicts.fit('End at 5:59 PM').click();
    await expect(conflicts.root).toBeHidden();

    await showChart(screen);
    const evening = screen.block(2, 4);
    await select(hand, evening);
    await hand.take(evening.locator('[data-grip="start"]'));
    await hand.move(await screen.hours(-3));
    await hand.drop();
    await conflicts.fit('Start at 6:00 PM').click();
    await expect(conflicts.root).toBeHidden();

    expect(await stored(api, dsn, 1)).toMatchObject(MORNING);
    await screen.save.click();
    await expect(alert(page, 'Successfully updated device schedule')).toBeVisible();
    expect(await stored(api, dsn, 1)).toMatchObject({ ...MORNING, startHour: 9, stopHour: 17, stopMinute: 59 });
    expect(await stored(api, dsn, 2)).toMatchObject(EVENING);
  });
}

test('Escape ends a drag without a change, and a click opens the dialog of the block', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin', DESK);
  const screen = await openSchedule(page, dsn);
  const hand = mouse(page);
  const block = screen.block(3, 7);
  await hand.take(block);
  await hand.move(await screen.hours(3));
  await expect(screen.reading).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(screen.reading).toBeHidden();
  await hand.drop();
  await expect(block).toHaveAttribute('title', /9:00\sAM – 5:00\sPM$/);
  await expect(screen.table.getByText('Changed')).toHaveCount(0);

  await block.click();
  await expect(screen.dialog.root).toBeVisible();
  await expect(screen.dialog.days).toHaveValue('Sunday');
});

test('a drag is undone by Discard', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin', DESK);
  const screen = await openSchedule(page, dsn);
  const hand = mouse(page);
  await hand.take(screen.block(3, 7));
  await hand.move(await screen.hours(-4));
  await hand.drop();
  await expect.poll(() => screen.row(3)).toEqual(['3', 'Enabled Changed', 'Sunday', '5:00 AM', '1:00 PM', '10']);
  await screen.discard.click();
  await expect.poll(() => screen.row(3)).toEqual(['3', 'Enabled', 'Sunday', '9:00 AM', '5:00 PM', '10']);
});

test('a block is dropped where it was released, even if its last movement was not drawn', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin', DESK);
  const screen = await openSchedule(page, dsn);
  const hand = mouse(page);
  const block = screen.block(3, 7);
  const [from, offset] = [await middleOf(block), await screen.hours(-4)];
  const at = { clientX: from.x + offset.x, clientY: from.y + offset.y };
  await hand.take(block);
  await hand.move(await screen.hours(-1));
  await screen.chart.evaluate((chart, at) => {
    const mouse = { bubbles: true, isPrimary: true, pointerId: 1, pointerType: 'mouse' };
    for (const type of ['pointermove', 'pointerup']) chart.dispatchEvent(new PointerEvent(type, { ...mouse, ...at }));
  }, at);
  await expect.poll(() => screen.row(3)).toEqual(['3', 'Enabled Changed', 'Sunday', '5:00 AM', '1:00 PM', '10']);
  await hand.drop();
});

test('a swipe over a block scrolls the page and changes nothing, a tap opens its dialog', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const page = await open('admin', PHONE);
  const screen = await openSchedule(page, dsn);
  const hand = await finger(page);
  const block = screen.block(3, 7);
  const before = await page.evaluate(() => window.scrollY);
  // A tap before that would stop the scrolling instead of reaching the block.
  const scrolled = page.evaluate(
    () => new Promise<void>((resolve) => document.addEventListener('scrollend', () => resolve(), { once: true })),
  );
  await hand.swipe(block, { x: 0, y: -200 });
  await scrolled;
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(before + 100);
  await expect(block).toHaveAttribute('data-held', 'false');
  await expect(screen.restored).toBeHidden();
  await expect(screen.discard).toBeHidden();

  await block.tap();
  await expect(screen.dialog.root).toBeVisible();
  await expect(screen.dialog.days).toHaveValue('Sunday');
});

test('with text of 200 % a dragged and changed schedule is no wider than a phone', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  for (const size of [PHONE, LANDSCAPE]) {
    const page = await open('admin', size);
    const browser = await page.context().newCDPSession(page);
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    const screen = await openSchedule(page, dsn);
    const hand = await finger(page);
    const widths = () => page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
    const expected = [size.viewport.width, size.viewport.width];
    await showChart(screen);
    await hold(hand, screen.block(1, 2));
    await hand.move(await screen.hours(1));
    await expect(screen.reading).toBeVisible();
    expect(await widths()).toEqual(expected);
    await hand.drop();
    await expect(screen.discard).toBeVisible();
    expect(await widths()).toEqual(expected);
    await screen.discard.tap();
  }
});

test('users without edit permission have a chart that does not move', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  await setSchedule(await people.api('admin'), dsn, WEEK);
  const screen = await openSchedule(await open('cspObserver', DESK), dsn);
  expect(await screen.bars(7)).toEqual(['3']);
  await expect(screen.block(3, 7)).toHaveCount(0);
});
