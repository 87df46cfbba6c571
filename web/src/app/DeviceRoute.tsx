import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/api/session';
import { DeviceAttention } from '@/features/attention/DeviceAttention';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { DevicePage } from '@/features/devices/DevicePage';

const route = getRouteApi('/signed-in/devices/$dsn');

/** The page of a device with its items of attention and its changes, which belong to other features. */
export function DeviceRoute() {
  const { dsn } = route.useParams();
  const [seesAttention, seesChanges] = [useCan('attention.view'), useCan('audit.view')];
  return (
    <DevicePage
      attention={seesAttention && <DeviceAttention dsn={dsn} />}
      changes={seesChanges && <ChangesBlock key={dsn} target={dsn} />}
    />
  );
}
