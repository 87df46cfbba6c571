import { getRouteApi } from '@tanstack/react-router';
import { useCan } from '@/api/session';
import { DeviceAttention } from '@/features/attention/DeviceAttention';
import { ChangesBlock } from '@/features/audit/ChangesBlock';
import { DevicePage } from '@/features/devices/page/DevicePage';
import { UndoResetButton } from '@/features/devices/page/UndoResetButton';

const route = getRouteApi('/signed-in/devices/$dsn');

/** The page of a device with its items of attention and its changes, which belong to other features. */
export function DeviceRoute() {
  const { dsn } = route.useParams();
  const [seesAttention, seesChanges] = [useCan('attention.view'), useCan('audit.view')];
  const undo = { operation: 'reset_fragrance_level', button: <UndoResetButton dsn={dsn} /> } as const;
  return (
    <DevicePage
      attention={seesAttention && <DeviceAttention dsn={dsn} />}
      changes={seesChanges && <ChangesBlock key={dsn} target={dsn} undo={undo} />}
    />
  );
}
