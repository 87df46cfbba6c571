import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/api/session';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { DevicePage } from '@/features/devices/DevicePage';

const route = getRouteApi('/signed-in/devices/$dsn');

/** A device with who changed it: two features on one page. */
export function DeviceRoute() {
  const { dsn } = route.useParams();
  const seesChanges = useCan('audit.view');
  return <DevicePage changes={seesChanges && <ChangesBlock key={dsn} target={dsn} />} />;
}
