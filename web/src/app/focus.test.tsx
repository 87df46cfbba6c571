import { device, deviceDetail, deviceList, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';

const heading = (name: string) => screen.getByRole('heading', { level: 1, name });

beforeEach(() => {
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device()])),
    'GET /api/devices/dsns/AC000W510000001': () => ok(deviceDetail()),
  });
});

test('the focus moves to the heading of each page, and back to the row that one came from', async () => {
  const { router } = renderApp('/devices');
  const row = await screen.findByRole('link', { name: /PL-20310/ });
  const navigation = within(screen.getByRole('navigation', { name: 'Main' }));
  for (const name of ['Users', 'CSPs', 'Audit', 'Devices']) {
    await userEvent.click(navigation.getByRole('link', { name }));
    await waitFor(() => expect(heading(name)).toHaveFocus());
  }
  await userEvent.click(row.isConnected ? row : screen.getByRole('link', { name: /PL-20310/ }));
  await waitFor(() => expect(heading('PL-20310')).toHaveFocus());
  router.history.back();
  await waitFor(() => expect(screen.getByRole('link', { name: /PL-20310/ })).toHaveFocus());
});
