import { deviceDetail, ok, problem } from '@test/fake-api';
import {
  ADDRESS,
  closed,
  DSN,
  edit,
  enter,
  framesOf,
  MORNING,
  openSchedule,
  PAGE,
  row,
  SAVE,
  SUNDAY,
  saveSchedule,
  scheduled,
  scheduleOf,
  showAll,
  submit,
  toggle,
} from '@test/open-schedule';
import { renderApp } from '@test/render-app';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

const RESTORED = 'Your unsaved changes were restored';
const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));

/** Deactivates the second schedule without saving. */
async function disableSunday() {
  const dialog = await edit(2);
  await toggle(dialog);
  await submit(dialog);
  await closed();
}

/** Enters a schedule that overlaps the first one. */
async function saveOverlapping() {
  const dialog = await edit(3);
  await toggle(dialog);
  await enter(dialog, 'Start Time', '11:58 AM');
  await enter(dialog, 'End Time', '11:59 PM');
  await submit(dialog);
  return { dialog, conflicts: await screen.findByRole('dialog', { name: 'Time Conflicts' }) };
}

const ALL_DAY = { active: true, startHour: 11, startMinute: 58, stopHour: 23, stopMinute: 59 };

test('changes are sent only on save, which leads back to the device', async () => {
  const { api, sent, router } = openSchedule();
  expect(await row(2)).toEqual(['2', 'Enabled', 'Sunday', '9:00 AM', '5:00 PM', '10']);
  await disableSunday();
  expect(await row(2)).toEqual(['2', 'Disabled Changed', 'Sunday', '9:00 AM', '5:00 PM', '10']);
  expect(api.count(SAVE)).toBe(0);
  expect(drafts()).toHaveLength(1);
  await saveSchedule();
  expect(await screen.findByText('Successfully updated device schedule')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe(`/devices/${DSN}`));
  expect(sent()).toEqual(framesOf({ 2: { ...SUNDAY, active: false } }));
  expect(drafts()).toEqual([]);
});

test("saving the schedule returns to the device's week", async () => {
  const { router } = openSchedule({}, `/devices/${DSN}`);
  await userEvent.click(await screen.findByRole('link', { name: 'Edit Schedule' }));
  await disableSunday();
  await saveSchedule();
  expect(await screen.findByRole('link', { name: 'Edit Schedule' })).toBeVisible();
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
  expect(router.history.length).toBe(2);
});

test('only used schedules are listed, all others on request', async () => {
  openSchedule();
  await row(1);
  const buttons = () => screen.getAllByRole('button', { name: /^Edit Schedule / });
  expect(buttons()).toHaveLength(2);
  await showAll();
  expect(buttons()).toHaveLength(21);
  expect(await row(3)).toEqual(['3', 'Disabled', 'All Days', '12:00 AM', '12:00 AM', '1']);
  await userEvent.click(screen.getByRole('button', { name: 'Show used schedules only' }));
  expect(buttons()).toHaveLength(2);
});

test('a new time uses the next unused schedule at free hours', async () => {
  const { sent } = openSchedule();
  await userEvent.click(await screen.findByRole('button', { name: 'Add a time' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit Schedule 3' });
  expect(within(dialog).queryByRole('button', { name: 'Remove' })).not.toBeInTheDocument();
  await submit(dialog);
  await closed();
  expect(await row(3)).toEqual(['3', 'Enabled Changed', 'Weekdays', '12:00 PM', '6:00 PM', '48']);
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  const added = { active: true, dayOfTheWeek: 9, intensity: 48, startHour: 12, stopHour: 18 };
  expect(sent()).toEqual(framesOf({ 3: added }));
});

test('cancelling a new time leaves its schedule unused', async () => {
  openSchedule();
  await userEvent.click(await screen.findByRole('button', { name: 'Add a time' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit Schedule 3' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  await closed();
  expect(screen.queryByRole('button', { name: 'Edit Schedule 3' })).not.toBeInTheDocument();
  expect(drafts()).toEqual([]);
});

test('the page reports that all schedules are used until one is removed', async () => {
  const all = Object.fromEntries(Array.from({ length: 21 }, (_, place) => [place + 1, { intensity: place + 2 }]));
  const { sent } = openSchedule({ [PAGE]: () => ok(scheduled({ schedule: scheduleOf(all) })) });
  const add = await screen.findByRole('button', { name: 'Add a time' });
  expect(add).toBeDisabled();
  expect(screen.getByText('All 21 schedules are used. Remove one to add a time.')).toBeVisible();
  const dialog = await edit(7);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
  await closed();
  expect(await row(7)).toEqual(['7', 'Removed Changed', '–', '–', '–', '–']);
  expect(add).toBeEnabled();
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  expect(sent()).toEqual(framesOf({ 7: {} }));
});

test('a device without a schedule shows a notice and offers to add one', async () => {
  openSchedule({ [PAGE]: () => ok(deviceDetail()) });
  expect(await screen.findByText('This device has no schedule yet.')).toBeVisible();
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Add a time' }));
  expect(await screen.findByRole('dialog', { name: 'Edit Schedule 1' })).toBeVisible();
});

test('changes are discarded by one button', async () => {
  openSchedule();
  await row(2);
  expect(screen.queryByRole('button', { name: 'Discard' })).not.toBeInTheDocument();
  await disableSunday();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect((await row(2))[1]).toBe('Enabled');
  expect(drafts()).toEqual([]);
});

test.each([
  [
    'start',
    ['4:30 PM', '8:00 PM'],
    'Schedule 2Sunday, 9:00 AM – 5:00 PM',
    'Shorten Schedule 2',
    'Start at 5:01 PM',
    { startHour: 17, startMinute: 1, stopHour: 20 },
  ],
  [
    'end',
    ['5:00 AM', '6:01 AM'],
    'Schedule 1Weekdays, 6:00 AM – 11:59 AM',
    'Shorten Schedule 1',
    'End at 5:59 AM',
    { startHour: 5, stopHour: 5, stopMinute: 59 },
  ],
])(
  'a conflict names both times and offers the %s that fits',
  async (_, [start = '', stop = ''], other, cut, choice, times) => {
    const { sent } = openSchedule();
    const dialog = await edit(3);
    await toggle(dialog);
    await enter(dialog, 'Start Time', start);
    await enter(dialog, 'End Time', stop);
    await submit(dialog);
    const conflicts = await screen.findByRole('dialog', { name: 'Time Conflicts' });
    const plain = (text: string | null) => text?.replaceAll('\u202f', ' ');
    expect(plain(conflicts.textContent)).toContain(
      `Schedule 3 (All Days, ${start} – ${stop}) would run at the same time as`,
    );
    expect(plain(within(conflicts).getByRole('listitem').textContent)).toBe(other);
    const buttons = within(conflicts)
      .getAllByRole('button')
      .map(({ textContent }) => plain(textContent));
    expect(buttons).toEqual(['', cut, choice, 'Disable conflicting schedules', 'Save as disabled', 'Cancel']);
    await userEvent.click(within(conflicts).getByRole('button', { name: new RegExp(choice.replaceAll(' ', '\\s')) }));
    await closed();
    await saveSchedule();
    await screen.findByText('Successfully updated device schedule');
    expect(sent()).toEqual(framesOf({ 3: { active: true, ...times } }));
  },
);

test.each([
  ['Disable conflicting schedules', { 1: { ...MORNING, active: false }, 2: { ...SUNDAY, active: false }, 3: ALL_DAY }],
  ['Save as disabled', { 3: { ...ALL_DAY, active: false } }],
])('on a conflict: %s', async (choice, parts) => {
  const { sent } = openSchedule();
  const { conflicts } = await saveOverlapping();
  const others = within(conflicts).getAllByRole('listitem');
  expect(others.map(({ textContent }) => textContent.slice(0, 10))).toEqual(['Schedule 1', 'Schedule 2']);
  await userEvent.click(within(conflicts).getByRole('button', { name: choice }));
  await closed();
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  expect(sent()).toEqual(framesOf(parts));
});

test.each([
  ['Cancel', (conflicts: HTMLElement) => userEvent.click(within(conflicts).getByRole('button', { name: 'Cancel' }))],
  ['Escape', () => userEvent.keyboard('{Escape}')],
])('on a conflict %s keeps the entered values and changes nothing', async (_, leave) => {
  openSchedule();
  const { dialog, conflicts } = await saveOverlapping();
  await leave(conflicts);
  await waitFor(() => expect(conflicts).not.toBeInTheDocument());
  for (const [field, text] of [
    ['Start Time', '11:58'],
    ['End Time', '11:59'],
  ] as const) {
    const input = within(dialog).getByRole('textbox', { name: field });
    expect(input).toHaveValue(text);
    expect(input).toHaveAccessibleDescription('Time Conflicts');
  }
  expect(within(dialog).getByRole('switch')).toBeChecked();
  await userEvent.keyboard('{Escape}');
  await userEvent.click(await screen.findByRole('button', { name: 'Leave' }));
  await closed();
  expect(screen.queryByText('Changed')).not.toBeInTheDocument();
});

test('errors are shown at their fields until a change', async () => {
  openSchedule();
  const dialog = await edit(1);
  const [start, stop] = ['Start Time', 'End Time'].map((name) => within(dialog).getByRole('textbox', { name }));
  await enter(dialog, 'End Time', '25:00');
  await submit(dialog);
  expect(start).toHaveAccessibleDescription('');
  expect(stop).toHaveAccessibleDescription('Invalid Time');
  expect(stop).toHaveFocus();
  await enter(dialog, 'End Time', '5:59 AM');
  expect(stop).toHaveAccessibleDescription('');
  await submit(dialog);
  for (const field of [start, stop]) expect(field).toHaveAccessibleDescription('Start Time must preceed End Time');
  expect(start).toHaveFocus();
});

test('invalid stored schedules are reported at their rows', async () => {
  const backwards = { ...MORNING, dayOfTheWeek: 8, startHour: 22, active: false };
  openSchedule({ [PAGE]: () => ok(scheduled({ schedule: scheduleOf({ 1: MORNING, 2: MORNING, 3: backwards }) })) });
  expect((await row(1))[1]).toBe('Enabled Time Conflicts');
  expect((await row(2))[1]).toBe('Enabled Time Conflicts');
  expect((await row(3))[1]).toBe('Disabled Start Time must preceed End Time');
  await showAll();
  expect((await row(4))[1]).toBe('Disabled');
});

test('server errors are shown at their rows until a change', async () => {
  const errors = { '2.start': ['Odd'], '2.stop': ['Odd'], '2.intensity': ['Too strong'], schedule: ['Not these'] };
  const { router } = openSchedule({
    [SAVE]: () => problem(422, 'invalid', { detail: 'Some values are not valid.', errors }),
  });
  await saveSchedule();
  expect(await screen.findByText('Failed to update device. Some values are not valid.')).toBeVisible();
  expect((await row(2))[1]).toBe('Enabled Odd. Too strong');
  expect(screen.getByRole('button', { name: 'Edit Schedule 2' })).toHaveFocus();
  expect((await row(1))[1]).toBe('Enabled');
  expect(router.state.location.pathname).toBe(ADDRESS);
  await disableSunday();
  expect((await row(2))[1]).toBe('Disabled Changed');
});

test('a draft survives a reload and can be discarded', async () => {
  openSchedule();
  await disableSunday();
  cleanup();
  renderApp(ADDRESS);
  expect(await screen.findByText(RESTORED)).toBeVisible();
  expect((await row(2))[1]).toBe('Disabled Changed');
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect((await row(2))[1]).toBe('Enabled');
  expect(screen.queryByText(RESTORED)).not.toBeInTheDocument();
  expect(drafts()).toEqual([]);
});

test('a draft is kept when another user changes the schedule, and other frames are updated', async () => {
  let schedule = scheduleOf();
  openSchedule({ [PAGE]: () => ok(scheduled({ schedule })) });
  await disableSunday();
  cleanup();
  schedule = scheduleOf({ 1: { ...MORNING, intensity: 11 }, 2: SUNDAY });
  renderApp(ADDRESS);
  expect(await row(2)).toEqual(['2', 'Disabled Changed', 'Sunday', '9:00 AM', '5:00 PM', '10']);
  expect((await row(1))[5]).toBe('11');
  expect(screen.getByText(RESTORED)).toBeVisible();
});

test('leaving with unsaved changes asks first', async () => {
  const { router } = openSchedule();
  await disableSunday();
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  const leave = await screen.findByRole('dialog', { name: 'Leave without saving?' });
  await userEvent.click(within(leave).getByRole('button', { name: 'Stay' }));
  expect(router.state.location.pathname).toBe(ADDRESS);
});

test('events update unedited frames, and edited ones show a notice', async () => {
  let intensity = 10;
  const parts = () => ({ 1: { ...MORNING, intensity: intensity + 20 }, 2: { ...SUNDAY, intensity } });
  const { queryClient } = openSchedule({ [PAGE]: () => ok(scheduled({ schedule: scheduleOf(parts()) })) });
  const receiveIntensity = async (now: number) => {
    intensity = now;
    await queryClient.refetchQueries({ queryKey: ['devices', 'detail', DSN] });
  };
  await row(2);
  await receiveIntensity(11);
  expect((await row(2))[5]).toBe('11');
  await disableSunday();
  await receiveIntensity(12);
  expect(await screen.findByText(/^Schedule 2 was changed on the device after you began\./)).toBeVisible();
  expect((await row(2))[5]).toBe('11');
  expect((await row(1))[5]).toBe('32');
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(await row(2)).toEqual(['2', 'Enabled', 'Sunday', '9:00 AM', '5:00 PM', '12']);
});

test('saving lowers intensities above the maximum, which the page announces before', async () => {
  const high = { ...SUNDAY, intensity: 50 };
  const device = scheduled({ cycle: 2, schedule: scheduleOf({ 1: MORNING, 2: high, 9: { intensity: 46 } }) });
  const { sent } = openSchedule({ [PAGE]: () => ok(device) });
  expect(await screen.findByText(/at most 45\. Saving lowers Schedule 2 and Schedule 9 to it\.$/)).toBeVisible();
  const dialog = await edit(1);
  expect(within(dialog).getByRole('slider', { name: 'Intensity' })).toHaveAttribute('aria-valuemax', '45');
  await userEvent.keyboard('{Escape}');
  await closed();
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  expect(sent()).toEqual(framesOf({ 2: { ...SUNDAY, intensity: 45 }, 9: { intensity: 45 } }));
});

test('users who may not edit see the schedule but cannot change it', async () => {
  const device = scheduled({
    can: { edit: false, copy: false, resetLevel: false },
    schedule: scheduleOf({ 1: { intensity: 50 } }),
  });
  openSchedule({ [PAGE]: () => ok(device) });
  expect(await screen.findByText('You can view this device but not change it.')).toBeVisible();
  expect((await row(1))[5]).toBe('50');
  expect(screen.getByRole('button', { name: 'Add a time' })).toBeDisabled();
  await showAll();
  const buttons = screen.getAllByRole('button', { name: /^Edit Schedule / });
  expect(buttons).toHaveLength(21);
  for (const button of [...buttons, screen.getByRole('button', { name: 'Save Schedule' })])
    expect(button).toBeDisabled();
  expect(screen.queryByText(/Saving lowers/)).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByRole('region', { name: 'Schedule Overview' })).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Edit Schedule' })).not.toBeInTheDocument();
});

test('a week without an active schedule shows a notice', async () => {
  openSchedule({ [PAGE]: () => ok(deviceDetail()) });
  expect(await screen.findByText('No schedule is active.')).toBeVisible();
  expect(screen.queryByRole('img', { name: /^Week chart/ })).not.toBeInTheDocument();
});

test('on a phone each card is a button named after its frame', async () => {
  const { matchMedia } = window;
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({ ...matchMedia(query), matches: true }));
  openSchedule();
  const card = await screen.findByRole('button', { name: 'Edit Schedule 2' });
  expect(card).toHaveAccessibleDescription(/^Sunday, 9:00\sAM – 5:00\sPM ?Enabled ?Intensity 10$/);
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  expect(await edit(2)).toBeVisible();
});

test('a device that does not exist shows a notice, and a failed read can be retried', async () => {
  let answer = () => problem(404, 'not_found');
  openSchedule({ [PAGE]: () => answer() });
  expect(await screen.findByRole('heading', { name: 'Device not found' })).toBeVisible();
  cleanup();
  answer = () => problem(500, 'internal', { detail: 'Out of order' });
  renderApp(ADDRESS);
  expect(await screen.findByText('Out of order')).toBeVisible();
  answer = () => ok(scheduled());
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('heading', { name: 'Edit schedule of PL-20310' })).toBeVisible();
  expect(document.title).toBe('Sillage - Edit schedule of PL-20310');
});

test('a schedule saved in a mode that ignores it offers to switch to Run', async () => {
  let mode = 3;
  const settings = `PUT /api/devices/dsns/${DSN}/settings`;
  const { api } = openSchedule({
    [PAGE]: () => ok(scheduled({ mode })),
    [SAVE]: () => ok(scheduled({ mode })),
    [settings]: () => {
      mode = 4;
      return ok(scheduled({ mode }));
    },
  });
  await disableSunday();
  await saveSchedule();
  const saved = /^The saved schedule is not in effect/;
  const notice = (await screen.findByText(saved)).parentElement as HTMLElement;
  await userEvent.click(within(notice).getByRole('button', { name: 'Switch to Run' }));
  expect(await screen.findByText('Successfully updated device settings')).toBeVisible();
  expect(api.calls.findLast(({ method }) => method === 'PUT')?.body).toEqual({ mode: 4 });
  expect(screen.queryByText(saved)).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Switch to Run' })).not.toBeInTheDocument();
});

const OPEN_HOURS = { active: true, dayOfTheWeek: 9, intensity: 20, startHour: 8, startMinute: 30, stopHour: 18 };
const UNTIL_NOON = { ...OPEN_HOURS, stopHour: 12 };
const LUNCH = { active: true, startHour: 12, stopHour: 14 };

/** Opens the dialog of an unused schedule beside these, and enables it. */
async function add(number: number, stored: NonNullable<Parameters<typeof scheduleOf>[0]>) {
  const { sent } = openSchedule({ [PAGE]: () => ok(scheduled({ schedule: scheduleOf(stored) })) });
  const dialog = await edit(number);
  await toggle(dialog);
  const sentAfterSave = async () => {
    await closed();
    await saveSchedule();
    await screen.findByText('Successfully updated device schedule');
    return sent();
  };
  return { dialog, sentAfterSave };
}

const half = (dialog: HTMLElement, field: string, name: string) =>
  within(within(dialog).getByRole('radiogroup', { name: `${field}, AM or PM` })).getByRole('radio', { name });

test.each(['12', '12:00', '1200'])('%s is noon, which only shortens the block until noon by a minute', async (noon) => {
  const { dialog, sentAfterSave } = await add(2, { 1: UNTIL_NOON });
  const start = within(dialog).getByRole('textbox', { name: 'Start Time' });
  await userEvent.clear(start);
  await userEvent.type(start, noon);
  expect(half(dialog, 'Start Time', 'PM')).toBeChecked();
  await enter(dialog, 'End Time', '2:00 PM');
  expect(start).toHaveValue('12:00');
  await submit(dialog);
  expect(await sentAfterSave()).toEqual(framesOf({ 1: { ...UNTIL_NOON, stopHour: 11, stopMinute: 59 }, 2: LUNCH }));
});

test('12 is midnight if AM is chosen after it, and other times stay in their half', async () => {
  const { dialog, sentAfterSave } = await add(2, {});
  const start = within(dialog).getByRole('textbox', { name: 'Start Time' });
  await userEvent.clear(start);
  await userEvent.type(start, '12');
  await userEvent.type(start, '{Backspace}0:30');
  expect(half(dialog, 'Start Time', 'AM')).toBeChecked();
  await enter(dialog, 'Start Time', '12:15 AM');
  await enter(dialog, 'End Time', '6:00 AM');
  await submit(dialog);
  expect(await sentAfterSave()).toEqual(framesOf({ 2: { active: true, startMinute: 15, stopHour: 6 } }));
});

async function enterLunch(dialog: HTMLElement) {
  await enter(dialog, 'Start Time', '12:00 PM');
  await enter(dialog, 'End Time', '2:00 PM');
  await submit(dialog);
  return screen.findByRole('dialog', { name: 'Time Conflicts' });
}

test('on a conflict the surrounding schedule is first offered to be split, on the days of both', async () => {
  const { dialog, sentAfterSave } = await add(2, { 1: { ...OPEN_HOURS, dayOfTheWeek: 0 } });
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Saturday' }));
  await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Sunday' }));
  const conflicts = await enterLunch(dialog);
  const [, first] = within(conflicts).getAllByRole('button');
  expect(first).toHaveTextContent('Split Schedule 1 around it');
  await userEvent.click(first as HTMLElement);
  expect(await sentAfterSave()).toEqual(
    framesOf({
      1: { ...OPEN_HOURS, stopHour: 11, stopMinute: 59 },
      2: { ...LUNCH, dayOfTheWeek: 9 },
      3: { ...OPEN_HOURS, startHour: 14, startMinute: 1 },
      4: { ...OPEN_HOURS, dayOfTheWeek: 8 },
    }),
  );
});

test('without an unused schedule for it no split is offered', async () => {
  const others = Array.from({ length: 19 }, (_, place) => [place + 3, { intensity: place + 2 }]);
  const { dialog } = await add(2, { 1: OPEN_HOURS, ...Object.fromEntries(others) });
  const conflicts = await enterLunch(dialog);
  expect(within(conflicts).queryByRole('button', { name: /^Split/ })).not.toBeInTheDocument();
  expect(within(conflicts).getByRole('button', { name: 'Disable conflicting schedules' })).toBeVisible();
});

test('times past midnight are split by one button beside the error', async () => {
  const { dialog, sentAfterSave } = await add(1, {});
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'Days' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Weekend Days', hidden: true }));
  await enter(dialog, 'Start Time', '10:00 PM');
  await enter(dialog, 'End Time', '2:00 AM');
  expect(within(dialog).queryByRole('button', { name: 'Split at midnight' })).not.toBeInTheDocument();
  await submit(dialog);
  for (const name of ['Start Time', 'End Time']) {
    const field = within(dialog).getByRole('textbox', { name });
    expect(field).toHaveAccessibleDescription('Start Time must preceed End Time');
  }
  await userEvent.click(within(dialog).getByRole('button', { name: 'Split at midnight' }));
  const night = { active: true, stopHour: 2 };
  expect(await sentAfterSave()).toEqual(
    framesOf({
      1: { active: true, dayOfTheWeek: 8, startHour: 22, stopHour: 23, stopMinute: 59 },
      2: { ...night, dayOfTheWeek: 1 },
      3: { ...night, dayOfTheWeek: 7 },
    }),
  );
});

test('an end at midnight is the last minute of the day', async () => {
  const { dialog, sentAfterSave } = await add(1, {});
  await enter(dialog, 'Start Time', '6:00 PM');
  await enter(dialog, 'End Time', '12:00 AM');
  await submit(dialog);
  await userEvent.click(within(dialog).getByRole('button', { name: /^End at 11:59\sPM$/ }));
  expect(await sentAfterSave()).toEqual(framesOf({ 1: { active: true, startHour: 18, stopHour: 23, stopMinute: 59 } }));
});

test('several days are one entry, which takes the schedules that it needs', async () => {
  const { dialog, sentAfterSave } = await add(2, { 1: { ...OPEN_HOURS, dayOfTheWeek: 7 } });
  const days = within(dialog).getByRole('combobox', { name: 'Days' });
  const day = (name: string) => within(dialog).getByRole('checkbox', { name });
  expect(days).toHaveValue('All Days');
  for (const name of ['Saturday', 'Sunday']) await userEvent.click(day(name));
  expect(days).toHaveValue('Weekdays');
  for (const name of ['Tuesday', 'Thursday']) await userEvent.click(day(name));
  expect(days).toHaveAttribute('placeholder', 'Mon, Wed, Fri');
  await enter(dialog, 'Start Time', '12:00 PM');
  await enter(dialog, 'End Time', '2:00 PM');
  for (const name of ['Monday', 'Wednesday', 'Friday']) await userEvent.click(day(name));
  await submit(dialog);
  expect(days).toHaveAccessibleDescription('Choose at least one day');
  for (const name of ['Monday', 'Wednesday', 'Friday']) await userEvent.click(day(name));
  await submit(dialog);
  const frames = { 2: 1, 3: 3, 4: 5 };
  const lunch = Object.entries(frames).map(([number, dayOfTheWeek]) => [number, { ...LUNCH, dayOfTheWeek }]);
  expect(await sentAfterSave()).toEqual(framesOf(Object.fromEntries(lunch)));
});

test('days that need more schedules than are unused are refused', async () => {
  const others = Array.from({ length: 19 }, (_, place) => [place + 3, { intensity: place + 2 }]);
  const { dialog } = await add(1, Object.fromEntries(others));
  for (const name of ['Tuesday', 'Thursday', 'Saturday', 'Sunday'])
    await userEvent.click(within(dialog).getByRole('checkbox', { name }));
  await submit(dialog);
  expect(within(dialog).getByRole('combobox', { name: 'Days' })).toHaveAccessibleDescription(
    'These days need 3 schedules, and only 2 can be used.',
  );
});
