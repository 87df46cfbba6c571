import { device, deviceList, ok } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { EmptiedByFilter } from '@/api/schema.gen';

/** A list that is empty as long as it has this filter. */
function openEmpty(address: string, emptiedBy?: EmptiedByFilter) {
  return openDevices(address, ({ url }) =>
    url.searchParams.has(emptiedBy?.filter ?? 'dsn')
      ? ok({ ...deviceList([]), ...(emptiedBy && { emptiedBy }) })
      : ok(deviceList([device()])),
  );
}

test.each([
  ['q', 'q=harbor', 'Search'],
  ['serialnumber', 'serialnumber=PL', 'Serial Number'],
  ['dsn', 'dsn=AC', 'DSN'],
  ['customer', 'customer=Harbor', 'Customer'],
  ['customerid', 'customerid=7', 'Customer ID'],
  ['storenumber', 'storenumber=7', 'Store Number'],
  ['servicearea', 'servicearea=Lobby', 'Service Area'],
  ['csp', 'csp=AirCo', 'CSP'],
  ['model', 'model=AQ290', 'System Configuration'],
  ['fragrance', 'fragrance=Tea', 'Fragrance'],
  ['network', 'network=LAN', 'Network'],
  ['city', 'city=%22Boston%22', 'City'],
  ['stateprovince', 'stateprovince=MA', 'State/Province'],
  ['country', 'country=US', 'Country'],
  ['installedfrom', 'installedfrom=2026-11-20', 'Installed from'],
  ['installedthrough', 'installedthrough=2026-11-20', 'Installed through'],
  ['connectionstatus', 'connectionstatus=Online', 'Status'],
  ['mode', 'mode=Run', 'Mode'],
  ['maxremaining', 'maxremaining=20', 'Remaining at most'],
  ['offlinehours', 'offlinehours=24', 'Offline for more than'],
  ['runsdrydays', 'runsdrydays=7', 'Runs dry in'],
  ['runsdrybefore', 'runsdrybefore=2026-12-24', 'Runs dry before'],
  ['near', 'near=59.91%2C10.75', 'Near me'],
])(
  'an empty list names the filter %s that alone excludes all devices, and removes it',
  async (filter, query, label) => {
    const other = filter === 'city' ? 'country=US' : 'city=Oslo';
    const address = `/devices?${[query, other].join('&')}`;
    const { router } = openEmpty(address, { filter, devices: 1_234 });
    expect(await screen.findByText('No results')).toBeVisible();
    expect(screen.getByText('No device matches the filters.')).toBeVisible();
    expect(screen.getByText(`Without the filter ${label}, 1,234 devices match.`)).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: `Remove filter ${label}` }));
    await waitFor(() => expect(router.state.location.href).toBe(`/devices?${other}`));
    expect(await screen.findByText('PL-20310')).toBeVisible();
  },
);

test('a single device is counted in the singular', async () => {
  openEmpty('/devices?city=Oslo&country=US', { filter: 'city', devices: 1 });
  expect(await screen.findByText('Without the filter City, 1 device matches.')).toBeVisible();
});

test('an empty list that no single filter causes offers none', async () => {
  openEmpty('/devices?dsn=zzz&city=Oslo');
  expect(await screen.findByText('No device matches the filters.')).toBeVisible();
  expect(screen.queryByText(/^Without the filter/)).not.toBeInTheDocument();
});

test('a filter that the page does not know is not offered', async () => {
  openEmpty('/devices?dsn=zzz', { filter: 'radius', devices: 3 });
  await screen.findByText('PL-20310');
  expect(screen.queryByText(/^Without the filter/)).not.toBeInTheDocument();
});
