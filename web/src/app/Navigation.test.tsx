import { deviceList, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Permission } from '@/api/schema.gen';

function openAs(address: string, can: Permission[]) {
  fakeApi({ 'GET /api/session': () => ok({ ...session, can }), 'GET /api/devices': () => ok(deviceList([])) });
  return renderApp(address);
}

test.each<[Permission[], string[]]>([
  [[], ['Devices']],
  [['devices.view'], ['Devices', 'Fleet']],
  [
    ['devices.view', 'users.view'],
    ['Devices', 'Fleet', 'Users'],
  ],
  [
    ['devices.view', 'attention.view', 'users.view', 'csps.view', 'audit.view'],
    ['Attention', 'Devices', 'Fleet', 'Users', 'CSPs', 'Audit'],
  ],
])('with the permissions %j a user sees exactly the allowed pages in the navigation', async (can, expected) => {
  openAs('/devices', can);
  const links = within(await screen.findByRole('navigation', { name: 'Main' })).getAllByRole('link');
  expect(links.map((link) => link.textContent)).toEqual(expected);
});

test.each([
  ['Help', '/help', 'Help'],
  ['About', '/about', 'About Sillage'],
])('the menu of a signed-in user links to %s', async (link, path, heading) => {
  const { router } = openAs('/devices', []);
  await userEvent.click(await screen.findByRole('button', { name: 'Account of Dana Hill' }));
  await userEvent.click(await screen.findByRole('link', { name: link, hidden: true }));
  expect(await screen.findByRole('heading', { name: heading, level: 1 })).toBeVisible();
  expect(router.state.location.pathname).toBe(path);
});

test('about shows the version and commit that the server wrote into the page', async () => {
  const meta = document.head.appendChild(document.createElement('meta'));
  meta.name = 'program-version';
  for (const [content, shown] of [
    ['1.2.3 (0a1b2c3d4e5f, modified)', '1.2.3 (0a1b2c3d4e5f, modified)'],
    ['1.2.3', '1.2.3'],
    ['__PROGRAM_VERSION__', 'Not set'],
  ] as const) {
    meta.content = content;
    openAs('/about', []);
    expect(await screen.findAllByText(shown)).not.toHaveLength(0);
  }
  meta.remove();
});
