import { useQuery } from '@tanstack/react-query';
import { deviceQuery } from '@/api/devices';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { useUndoReset } from './useResetLevel';

/** Undoes the newest reset, as long as the server says that this is possible: the device has reported nothing new. */
export function UndoResetButton({ dsn }: { dsn: string }) {
  const { data: device } = useQuery(deviceQuery(dsn));
  const undo = useUndoReset(dsn);
  const reset = device?.undoableReset;
  if (!reset) return null;
  return (
    <Button size="compact-md" variant="default" loading={undo.isPending} onClick={() => undo.mutate(reset)}>
      {t.devicePage.reset.undoReset}
    </Button>
  );
}
