import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { useCan } from '@/api/session';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { DevicePage } from '@/features/devices/DevicePage';
import { Stack } from '@/ui/kit';

const route = getRouteApi('/signed-in/devices/$dsn');

/** A device, and below it who changed it: two features on one page. */
export function DeviceRoute() {
  const { dsn } = route.useParams();
  const isShown = useQuery(deviceQuery(dsn)).data !== undefined;
  const seesChanges = useCan('audit.view');
  return (
    <Stack gap="md">
      <DevicePage />
      {isShown && seesChanges && <ChangesBlock key={dsn} target={dsn} />}
    </Stack>
  );
}
