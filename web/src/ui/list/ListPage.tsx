import type { ReactNode } from 'react';
import { Group, Stack, Title } from '@/ui/kit';
import { mainFilter } from './filter-field';
import { List, type ListProps } from './List';
import { type ListReport, ReportButton } from './ReportButton';

interface Props<Row> extends ListProps<Row> {
  /** A report of all matching rows; missing for users without the permission. */
  report?: ListReport | undefined;
  /** Buttons beside the title. */
  actions?: ReactNode;
}

/** A list page. */
export function ListPage<Row>({ report, actions, ...list }: Props<Row>) {
  const { fields, filters } = list.filterBar;
  return (
    <Stack gap="md" data-wide>
      <Group justify="space-between">
        <Title order={1} size={26}>
          {list.texts.title}
        </Title>
        <Group gap="sm">
          {report && <ReportButton report={report} filter={mainFilter(fields, filters)} />}
          {actions}
        </Group>
      </Group>
      <List {...list} />
    </Stack>
  );
}
