import type { AttentionItem } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { zoneOf } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { useNow } from '@/ui/hooks/useNow';
import { type Column, DataTable } from '@/ui/list/DataTable';
import { RowCards } from '@/ui/list/RowCards';
import type { Selection } from '@/ui/list/useSelection';
import classes from '../item/Attention.module.css';
import { AttentionSince, AttentionState, AttentionWhat, AttentionWhere } from '../item/AttentionWhat';
import { itemName } from '../item/attention-text';

interface Props {
  items: readonly AttentionItem[];
  /** Undefined for people who may not change items. */
  chosen: Selection | undefined;
  onComments: (item: AttentionItem) => void;
}

const { columns } = t.attention;
const keyOf = (item: AttentionItem) => item.id;
const nothing = () => undefined;

/** Items as a table, or as cards where there is no room for it. */
export function AttentionRows({ items, chosen, onComments }: Props) {
  const now = useNow();
  const selection = chosen && { chosen, nameOf: itemName, chooseMatching: nothing, isChoosing: false };
  const rows = { rows: items, rowKey: keyOf, selection, busy: false };
  const since = (item: AttentionItem) => dateTime(instant(item.since), zoneOf(item.timeZone));
  const state = (item: AttentionItem) => <AttentionState item={item} now={now} onComments={onComments} />;
  const table: Column<AttentionItem>[] = [
    { labels: [{ label: columns.what }], cell: (item) => <AttentionWhat item={item} now={now} /> },
    { labels: [{ label: columns.where }], cell: (item) => <AttentionWhere item={item} /> },
    { labels: [{ label: columns.since }], cell: since },
    { labels: [{ label: columns.state }], cell: state },
  ];
  if (!useIsHandheld()) return <DataTable {...rows} caption={t.attention.title} columns={table} />;
  return (
    <RowCards
      {...rows}
      card={(item) => (
        <div className={classes.card}>
          <AttentionWhat item={item} now={now} />
          <AttentionWhere item={item} />
          <AttentionSince item={item} now={now} />
          {state(item)}
        </div>
      )}
    />
  );
}
