import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/api/session';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { DevicePage } from '@/features/devices/DevicePage';

const route = getRouteApi('/signed-in/devices/$dsn');

/** The page of a device with its changes, which belong to another feature. */
export function DeviceRoute() {
  const { dsn } = route.useParams();
  const seesChanges = useCan('audit.view');
  return <DevicePage changes={seesChanges && <ChangesBlock key={dsn} target={dsn} />} />;
}
