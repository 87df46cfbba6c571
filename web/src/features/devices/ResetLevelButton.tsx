import { IconDropletUp } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyDeviceDetail, resetFragranceLevel } from '@/api/devices';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Button } from '@/ui/kit';

/** For who has put in a new cartridge. Acts at once: nothing is lost that another reset, or the next cartridge, would not bring. */
export function ResetLevelButton({ dsn }: { dsn: string }) {
  const client = useQueryClient();
  const reset = useMutation({
    mutationFn: () => resetFragranceLevel(dsn),
    onSuccess: (device) => {
      applyDeviceDetail(client, device);
      alertSuccess(t.device.levelReset);
    },
    onError: () => alertFailure(t.device.levelResetFailed),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDropletUp size={18} />}
      loading={reset.isPending}
      onClick={() => reset.mutate()}
    >
      {t.device.resetLevel}
    </Button>
  );
}
