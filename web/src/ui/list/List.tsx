import { type ReactNode, useRef } from 'react';
import { serverTime } from '@/browser/server-clock';
import { dateTime, isComparisonLate, isStale } from '@/browser/time';
import { instant } from '@/domain/instant';
import { nextSort, VIEW_MEMBERS } from '@/domain/list';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button, Stack } from '@/ui/kit';
import { Panel } from '@/ui/layout/Card';
import { EmptyNotice, ErrorNotice, InfoNotice, StaleNotice } from '@/ui/notices/Notice';
import { EmptiedBy, type EmptyingFilter } from './EmptiedBy';
import { FilterBar, type FilterBarProps } from './FilterBar';
import classes from './List.module.css';
import { ListRows, type ListRowsProps, type RowsPage } from './ListRows';
import { ListSkeleton } from './ListSkeleton';
import { useListKeys } from './useListKeys';
import { useReturnFocus } from './useReturnFocus';

export interface ListProps<Row> extends Omit<ListRowsProps<Row>, 'page' | 'onSort' | 'isFiltered' | 'remedy'> {
  filterBar: Omit<FilterBarProps, 'dialogTitle' | 'hint' | 'link' | 'others'>;
  link: FilterBarProps['link'];
  /** The last response; undefined before the first one. */
  page: RowsPage<Row> | undefined;
  /** The filter that leaves an empty list without rows; undefined if no single filter does. */
  emptiedBy?: EmptyingFilter | undefined;
  /** The error of the last read. */
  error: string | undefined;
  /** Set if it failed because this order or filter is not available at the moment. */
  isLimited: boolean;
  onRetry: () => void;
  /** Restores the default list. */
  onReset: () => void;
  texts: ListRowsProps<Row>['texts'] & { failed: string; filterTitle: string };
  /** Actions on the selected rows, shown above the list. */
  tools?: ReactNode;
}

/** A list that the server filters, sorts and pages, in all its states, on desktops and phones. */
export function List<Row>({
  filterBar,
  link,
  defaults,
  page,
  emptiedBy,
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
    <Stack className={classes.parts} gap="md">
      <FilterBar
        {...filterBar}
        dialogTitle={texts.filterTitle}
        hint={t.list.filterHint}
        link={link}
        others={VIEW_MEMBERS}
        searchField={searchField}
      />
      {page?.asOf && (
        <Staleness
          asOf={instant(page.asOf)}
          statesAsOf={instant(page.statesAsOf ?? page.asOf)}
          failed={error !== undefined}
          onRefresh={onRetry}
        />
      )}
      {page?.asOf === null && <InfoNotice text={t.list.filling} />}
      {page?.source === 'cloud' && <InfoNotice text={t.list.fromCloud} />}
      {tools}
      <Panel ref={list}>
        {page ? (
          <ListRows
            {...rows}
            defaults={defaults}
            page={page}
            onSort={(by) => onView(nextSort(view, by, defaults))}
            isFiltered={filterBar.fields.some(({ name }) => filterBar.filters[name])}
            remedy={
              emptiedBy && (
                <EmptiedBy filter={emptiedBy} onRemove={(name) => filterBar.onChange({ [name]: undefined })} />
              )
            }
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

interface StalenessProps {
  asOf: Date;
  statesAsOf: Date;
  failed: boolean;
  onRefresh: () => void;
}

function Staleness({ asOf, statesAsOf, failed, onRefresh }: StalenessProps) {
  const now = serverTime(useNow());
  if (!failed && !isStale(statesAsOf, now) && !isComparisonLate(asOf, now)) return null;
  return <StaleNotice text={t.stale.since(dateTime(asOf))} onRefresh={onRefresh} />;
}
