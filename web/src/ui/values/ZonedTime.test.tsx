import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { dateTime } from '@/browser/time';
import { type Zone, zoneOf } from '@/domain/time-zone';
import { UiProvider } from '@/ui/UiProvider';
import { ZonedTime } from './ZonedTime';
import { ZoneNote } from './ZoneNote';
import { ZoneContext } from './zone-context';

const AT = new Date('2026-11-20T12:00:00Z');
const OTHER = 'Asia/Kathmandu';
const OWN = new Intl.DateTimeFormat().resolvedOptions().timeZone;

function show(zone: Zone, element: React.ReactNode) {
  render(
    <UiProvider>
      <ZoneContext value={zone}>{element}</ZoneContext>
    </UiProvider>,
  );
}

test('a time of another zone names it, and shows the own time on focus', async () => {
  show(OTHER, <ZonedTime at={AT} />);
  expect(screen.getByText(/^Nov 20, 2026, 5:45.PM GMT\+5:45$/)).toBeVisible();
  await userEvent.tab();
  expect(await screen.findByRole('tooltip', { hidden: true })).toHaveTextContent(`Your time: ${dateTime(AT)}`);
  expect(screen.getByRole('button')).toHaveAccessibleDescription(/Your time/);
});

test('a text instead of the time has both times as its hint', async () => {
  show(OTHER, <ZonedTime at={AT}>2 hr. ago</ZonedTime>);
  await userEvent.hover(screen.getByRole('button', { name: '2 hr. ago' }));
  const hint = await screen.findByRole('tooltip', { hidden: true });
  expect(hint).toHaveTextContent('GMT+5:45');
  expect(hint).toHaveTextContent('Your time');
});

test.each([undefined, OWN])('a time of the own zone is only that time (%s)', (zone) => {
  show(zone, <ZonedTime at={AT} />);
  expect(screen.getByText(dateTime(AT)).tagName).toBe('TIME');
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});

test('the note names the zone', () => {
  show(OTHER, <ZoneNote />);
  expect(screen.getByText(/time zone of the device, Asia\/Kathmandu/)).toHaveTextContent('GMT+5:45 there and');
});

test.each([undefined, OWN])('the own zone needs no note (%s)', (zone) => {
  show(zone, <ZoneNote />);
  expect(screen.queryByText(/time zone/)).not.toBeInTheDocument();
});

test('a time of a zone that the browser does not know is the own one, and names the zone', () => {
  show(
    zoneOf('Mars/Olympus'),
    <>
      <ZoneNote />
      <ZonedTime at={AT} />
    </>,
  );
  expect(screen.getByText(`${dateTime(AT)} (your time; the device is in Mars/Olympus)`)).toBeVisible();
  expect(
    screen.getByText(
      'This browser does not know the time zone of the device, Mars/Olympus: times are in your time zone.',
    ),
  ).toBeVisible();
});
