import { type ReactNode, useRef } from 'react';
import { t } from '@/i18n/en';
import { instant } from '@/lib/instant';
import { type ListView, nextSort } from '@/lib/list';
import { dateTime, isStale } from '@/lib/time';
import { Panel } from '@/ui/Card';
import { Button, Stack } from '@/ui/kit';
import { EmptyNotice, ErrorNotice, InfoNotice, StaleNotice } from '@/ui/Notice';
import { useNow } from '@/ui/useNow';
import { FilterBar, type FilterBarProps } from './FilterBar';
import { ListRows, type ListRowsProps, type RowsPage } from './ListRows';
import { ListSkeleton } from './ListSkeleton';
import { useListKeys } from './useListKeys';
import { useReturnFocus } from './useReturnFocus';

export interface ListProps<Row> extends Omit<ListRowsProps<Row>, 'page' | 'onSort' | 'isFiltered'> {
  filterBar: Omit<FilterBarProps, 'dialogTitle' | 'hint'>;
  /** How the list is sorted at first. */
  defaults: Pick<ListView, 'order' | 'order_by'>;
  /** What was read last; undefined before the first answer. */
  page: RowsPage<Row> | undefined;
  /** Why the last read failed. */
  error: string | undefined;
  /** Set when it failed because the list cannot be sorted or filtered like that at the moment. */
  isLimited: boolean;
  onRetry: () => void;
  /** Back to the list as it is shown at first. */
  onReset: () => void;
  texts: ListRowsProps<Row>['texts'] & { failed: string; filterTitle: string };
  /** What is done with the rows, above them. */
  tools?: ReactNode;
}

/** A list that the server filters, sorts and pages: all its states, at a desk and on a phone. */
export function List<Row>({
  filterBar,
  defaults,
  page,
  error,
  isLimited,
  onRetry,
  onReset,
  tools,
  ...rows
}: ListProps<Row>) {
  const { texts, view, onView } = rows;
  const list = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  useListKeys(list, searchField);
  useReturnFocus(list, page !== undefined);
  return (
    <Stack gap="md">
      <FilterBar {...filterBar} dialogTitle={texts.filterTitle} hint={t.list.filterHint} searchField={searchField} />
      {page?.asOf && <Staleness asOf={instant(page.asOf)} failed={error !== undefined} onRefresh={onRetry} />}
      {page?.asOf === null && <InfoNotice text={t.list.filling} />}
      {page?.source === 'cloud' && <InfoNotice text={t.list.fromCloud} />}
      {tools}
      <Panel ref={list}>
        {page ? (
          <ListRows
            {...rows}
            page={page}
            onSort={(by) => onView(nextSort(view, by, defaults))}
            isFiltered={filterBar.fields.some(({ name }) => filterBar.filters[name])}
          />
        ) : isLimited ? (
          <EmptyNotice
            title={t.list.limited}
            {...(error !== undefined && { text: error })}
            action={
              <Button variant="default" onClick={onReset}>
                {t.list.reset}
              </Button>
            }
          />
        ) : error !== undefined ? (
          <ErrorNotice title={texts.failed} reason={error} onRetry={onRetry} />
        ) : (
          <ListSkeleton rows={view.page_size} />
        )}
      </Panel>
    </Stack>
  );
}

function Staleness({ asOf, failed, onRefresh }: { asOf: Date; failed: boolean; onRefresh: () => void }) {
  const now = useNow();
  if (!failed && !isStale(asOf, now)) return null;
  return <StaleNotice text={t.stale.since(dateTime(asOf))} onRefresh={onRefresh} />;
}
