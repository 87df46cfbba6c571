import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { type ListView, nextSort } from '@/domain/list';
import { t } from '@/i18n/en';
import { ActionIcon, Group, Select } from '@/ui/kit';
import classes from './SortControl.module.css';

interface Props {
  view: ListView;
  sorts: readonly { value: string; label: string }[];
  /** The default order. */
  defaults: Pick<ListView, 'order' | 'order_by'>;
  onChange: (part: Partial<ListView>) => void;
}

/** Replaces the table headers where there is no table. */
export function SortControl({ view: { order, order_by }, sorts, defaults, onChange }: Props) {
  const Icon = order === 'asc' ? IconSortAscending : IconSortDescending;
  return (
    <Group className={classes.sort} gap="xs">
      <Select
        className={classes.by}
        aria-label={t.list.sortBy}
        data={sorts}
        value={order_by}
        onChange={(value) => {
          // As a click on a header.
          if (value !== null && value !== order_by) onChange(nextSort({ order, order_by }, value, defaults));
        }}
        allowDeselect={false}
      />
      <ActionIcon
        variant="default"
        size={44}
        aria-label={order === 'asc' ? t.list.ascending : t.list.descending}
        onClick={() => onChange({ order: order === 'asc' ? 'desc' : 'asc' })}
      >
        <Icon size={20} stroke={1.7} />
      </ActionIcon>
    </Group>
  );
}
