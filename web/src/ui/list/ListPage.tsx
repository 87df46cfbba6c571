import type { ReactNode } from 'react';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Group, Stack, Title } from '@/ui/kit';
import { filterTexts } from './filter-field';
import { List, type ListProps } from './List';
import classes from './List.module.css';
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
  const chosen = filterTexts(fields, filters);
  usePageTitle(list.texts.title, chosen);
  return (
    <Stack className={classes.parts} gap="md">
      <Group justify="space-between">
        <Title order={1} size={26}>
          {list.texts.title}
        </Title>
        <Group gap="sm">
          {report && <ReportButton report={report} filter={chosen.at(-1)} />}
          {actions}
        </Group>
      </Group>
      <List {...list} />
    </Stack>
  );
}
