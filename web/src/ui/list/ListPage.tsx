import type { ReactNode } from 'react';
import { Group, Stack, Title } from '@/ui/kit';
import { List, type ListProps } from './List';
import { type GenerateReport, ReportButton } from './ReportButton';

interface Props<Row> extends ListProps<Row> {
  /** Has the server write a report of all that matches; missing for who gets none. */
  report?: GenerateReport | undefined;
  /** Buttons beside the title. */
  actions?: ReactNode;
}

/** A page that is a list. */
export function ListPage<Row>({ report, actions, ...list }: Props<Row>) {
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size={26}>
          {list.texts.title}
        </Title>
        <Group gap="sm">
          {report && <ReportButton generate={report} />}
          {actions}
        </Group>
      </Group>
      <List {...list} />
    </Stack>
  );
}
