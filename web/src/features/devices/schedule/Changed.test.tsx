// @vitest-environment jsdom
import { ok, problem } from '@test/fake-api';
import {
  ADDRESS,
  closed,
  edit,
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
  submit,
  toggle,
} from '@test/open-schedule';
import { renderApp } from '@test/render-app';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { ScheduleForm } from '@/api/schema.gen';

const TITLE = 'Changed by somebody else in the meantime';
const SEEN = { 1: '1,1,9,20,6,0,11,59', 2: '2,1,7,10,9,0,17,0' };
const THEIRS = { 1: { ...MORNING, intensity: 21 }, 2: { ...SUNDAY, intensity: 11 } };
const changed = {
  1: { value: '1,1,9,21,6,0,11,59', by: 'kim@example.com', at: '2026-11-20T10:00:00Z' },
  2: { value: '2,1,7,11,9,0,17,0', by: null, at: null },
};

/** Enables or disables a schedule without saving. */
async function switchOver(number: number) {
  const dialog = await edit(number);
  await toggle(dialog);
  await submit(dialog);
  await closed();
}

test('a decision about each schedule lets the next save through', async () => {
  let stored = scheduleOf();
  let refused = true;
  const { forms } = openSchedule({
    [PAGE]: () => ok(scheduled({ schedule: stored })),
    [SAVE]: () => (refused ? problem(409, 'changed', { detail: 'Changed.', changed }) : ok(scheduled())),
  });
  await switchOver(1);
  await switchOver(2);
  stored = scheduleOf(THEIRS);
  await saveSchedule();
  const notice = await screen.findByRole('region', { name: TITLE });
  expect(notice).toHaveFocus();
  const values = within(notice).getAllByRole('definition');
  const plain = values.map(({ textContent }) => textContent?.replaceAll('\u202f', ' '));
  expect(plain).toEqual([
    expect.stringMatching(/^Enabled: Weekdays, 6:00 AM – 11:59 AM, intensity 21kim@example\.com, Nov 20, 2026/),
    'Disabled: Weekdays, 6:00 AM – 11:59 AM, intensity 20',
    'Enabled: Sunday, 9:00 AM – 5:00 PM, intensity 11',
    'Disabled: Sunday, 9:00 AM – 5:00 PM, intensity 10',
  ]);

  await userEvent.click(within(notice).getByRole('button', { name: 'Use theirs: Schedule 1' }));
  await waitFor(async () => expect(await row(1)).toEqual(['1', 'Enabled', 'Weekdays', '6:00 AM', '11:59 AM', '21']));
  await userEvent.click(within(notice).getByRole('button', { name: 'Keep mine: Schedule 2' }));
  expect(notice).not.toBeInTheDocument();
  expect((await row(2))[1]).toBe('Disabled Changed');
  refused = false;
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  const disabled = { 1: { ...MORNING, active: false }, 2: { ...SUNDAY, active: false } };
  expect(forms()).toEqual([
    { frames: framesOf(disabled), seen: SEEN },
    { frames: framesOf({ 2: disabled[2] }), seen: { 2: changed[2].value } },
  ] satisfies ScheduleForm[]);
});

test('a restored draft is saved with the schedule from which it began', async () => {
  let stored = scheduleOf();
  const { forms } = openSchedule({ [PAGE]: () => ok(scheduled({ schedule: stored })) });
  await switchOver(2);
  cleanup();
  stored = scheduleOf(THEIRS);
  renderApp(ADDRESS);
  expect(await screen.findByText(/^Schedule 2 was changed on the device after you began\./)).toBeVisible();
  await switchOver(1);
  await saveSchedule();
  await screen.findByText('Successfully updated device schedule');
  expect(forms()[0]?.seen).toEqual({ 1: changed[1].value, 2: SEEN[2] });
});

test('a draft that the device has by now is no change', async () => {
  let stored = scheduleOf();
  openSchedule({ [PAGE]: () => ok(scheduled({ schedule: stored })) });
  await switchOver(2);
  cleanup();
  stored = scheduleOf({ 1: MORNING, 2: { ...SUNDAY, active: false } });
  renderApp(ADDRESS);
  expect((await row(2))[1]).toBe('Disabled');
  expect(screen.queryByText('Your unsaved changes were restored')).not.toBeInTheDocument();
});

test('discarding the changes ends the choice', async () => {
  openSchedule({ [SAVE]: () => problem(409, 'changed', { detail: 'Changed.', changed: { 2: changed[2] } }) });
  await switchOver(2);
  await saveSchedule();
  expect(await screen.findByRole('region', { name: TITLE })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(screen.queryByRole('region', { name: TITLE })).not.toBeInTheDocument();
});
