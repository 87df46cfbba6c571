import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { reportDevices, reportPurchasing } from '@/api/devices';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { wholeList } from '@/domain/list';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { useOtherColumns } from '@/ui/list/column-choice';
import { ListPage } from '@/ui/list/ListPage';
import { BulkEditButton } from '../bulk/BulkEditButton';
import { BulkEditTools } from '../bulk/BulkEditTools';
import { useBulkEdit } from '../bulk/useBulkEdit';
import { AddDeviceLink } from './AddDeviceLink';
import { DeviceLink } from './DeviceLink';
import { devicesList } from './devices-search';
import { useDeviceList } from './useDeviceList';

const route = getRouteApi('/signed-in/devices');

export function DevicesPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canAdd = useCan('devices.add');
  const canReport = useCan('devices.view');
  const [forSupply, setForSupply] = useOtherColumns('devices');
  const { query, listQuery, matches, listProps } = useDeviceList({
    forSupply,
    list: devicesList,
    search,
    onSearch: (search, replace) => void navigate({ search, replace }),
    name: (device) => <DeviceLink device={device} search={search} />,
  });
  const bulk = useBulkEdit(matches);
  const bulkButton = useRef<HTMLButtonElement>(null);
  // If the list cannot be read, the stream still reports when the server is back.
  useDeviceEvents(query.data?.devices.map((device) => device.dsn) ?? (query.isError ? [] : undefined));

  return (
    <ListPage
      {...listProps}
      texts={t.devices}
      report={
        canReport
          ? {
              list: 'devices',
              reasonOf: messageOf,
              hasCustomers: true,
              purchasing: (options, signal) => reportPurchasing({ ...matches, ...options }, signal),
              generate: (options, signal, byCustomer) =>
                reportDevices(
                  { ...wholeList(listQuery), ...options, ...(byCustomer && { groupBy: 'customer' }) },
                  signal,
                ),
            }
          : undefined
      }
      actions={
        <>
          <Button
            variant={forSupply ? 'light' : 'default'}
            aria-pressed={forSupply}
            onClick={() => setForSupply(!forSupply)}
          >
            {t.devices.forSupply}
          </Button>
          <BulkEditButton ref={bulkButton} bulk={bulk} />
          {canAdd && <AddDeviceLink search={search} />}
        </>
      }
      tools={bulk.isOn && <BulkEditTools bulk={bulk} button={bulkButton} />}
      selection={bulk.selection}
    />
  );
}
