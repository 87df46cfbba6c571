import { useEffect, useState } from 'react';
import type { DeviceFilterQuery } from '@/api/devices';
import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { type FollowedJob, useFollowedJob } from '@/form/job/useFollowedJob';
import { t } from '@/i18n/en';
import type { RowSelection } from '@/ui/list/row-selection';
import { type Selection, useSelection } from '@/ui/list/useSelection';
import { useMatchingDevices } from './useMatchingDevices';

export interface BulkEdit {
  isOn: boolean;
  chosen: Selection;
  /** The filter to send instead of the DSNs, if exactly the matching devices are selected. */
  filter: string | undefined;
  job: FollowedJob;
  enter: () => void;
  leave: () => void;
  /** The list's selection during Bulk Edit. */
  selection: RowSelection<DeviceView> | undefined;
}

/** Selects devices of a list for a CSP. The selection is cleared with the mode and by a change of filters. */
export function useBulkEdit(filters: DeviceFilterQuery): BulkEdit {
  const may = useCan('devices.bulk_edit');
  const chosen = useSelection();
  const job = useFollowedJob('bulk-edit');
  const [wanted, setWanted] = useState(job.id !== undefined);
  const [isDropped, setDropped] = useState(false);
  const { replace } = chosen;
  const isEmpty = chosen.keys.length === 0;
  const { filterOf, ...matching } = useMatchingDevices(filters, replace);
  const key = JSON.stringify(filters);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other filters are the reason
  useEffect(() => {
    setDropped(!isEmpty);
    replace([]);
  }, [key, replace]);
  const isOn = may && wanted;
  return {
    isOn,
    chosen,
    filter: filterOf(chosen),
    job,
    enter: () => setWanted(true),
    leave: () => {
      setWanted(false);
      replace([]);
      setDropped(false);
      job.unfollow();
    },
    selection: isOn
      ? {
          chosen,
          nameOf: ({ serialNumber, dsn }) => serialNumber || dsn,
          isFixed: job.isRunning,
          ...matching,
          note: isDropped && isEmpty ? t.bulk.dropped : undefined,
        }
      : undefined,
  };
}
