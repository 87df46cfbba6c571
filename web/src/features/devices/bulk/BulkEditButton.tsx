import { IconListCheck } from '@tabler/icons-react';
import type { Ref } from 'react';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import type { BulkEdit } from './useBulkEdit';

interface Props {
  ref: Ref<HTMLButtonElement>;
  bulk: BulkEdit;
}

/** Starts and ends Bulk Edit, for users with the permission. */
export function BulkEditButton({ ref, bulk: { isOn, enter, leave, job } }: Props) {
  if (!useCan('devices.bulk_edit')) return null;
  return (
    <Button
      ref={ref}
      variant="default"
      leftSection={<IconListCheck size={18} aria-hidden="true" />}
      aria-expanded={isOn}
      disabled={job.isRunning}
      onClick={isOn ? leave : enter}
    >
      {t.bulk.title}
    </Button>
  );
}
