import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { devicesQuery } from '@/api/devices';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live';
import type { DeviceList } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { lastPage, listFooter } from '@/lib/list-footer';
import { filtersIn, PAGE_SIZES } from '@/lib/search-state';
import { dateTime, isStale } from '@/lib/time';
import { Panel } from '@/ui/Card';
import { Stack, Title } from '@/ui/kit';
import { Pager } from '@/ui/list/Pager';
import { useListKeys, useReturnFocus } from '@/ui/list/useListKeys';
import { EmptyNotice, ErrorNotice, StaleNotice } from '@/ui/Notice';
import { useIsPhone } from '@/ui/useIsPhone';
import { useNow } from '@/ui/useNow';
import { usePageTitle } from '@/ui/usePageTitle';
import { DeviceCards } from './DeviceCards';
import { DevicesFilter } from './DevicesFilter';
import { DevicesSkeleton } from './DevicesSkeleton';
import { DevicesTable } from './DevicesTable';
import { type DevicesSearch, toDeviceListQuery } from './devices-search';
import { useDeviceFilters } from './useDeviceFilters';

const route = getRouteApi('/signed-in/devices');

export function DevicesPage() {
  usePageTitle(t.devices.title);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(devicesQuery(toDeviceListQuery(search)));
  // Without a list the stream still tells when the server is back.
  useDeviceEvents(query.data?.devices.map((device) => device.dsn) ?? (query.isError ? [] : undefined));

  const list = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  useListKeys(list, searchField);
  useReturnFocus(list, usePreviousPath(), query.data !== undefined);

  /** Anything but another page begins again on the first one. */
  const change = (part: Partial<DevicesSearch>, replace = false) =>
    void navigate({ search: { ...search, page: 1, ...part }, replace });

  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {t.devices.title}
      </Title>
      <DevicesFilter search={search} onChange={change} searchField={searchField} />
      {query.data && <Staleness list={query.data} failed={query.isError} onRefresh={() => void query.refetch()} />}
      <Panel ref={list}>
        {query.data ? (
          <Found list={query.data} search={search} onChange={change} busy={query.isPlaceholderData} />
        ) : query.isError ? (
          <ErrorNotice title={t.devices.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
        ) : (
          <DevicesSkeleton rows={search.page_size} />
        )}
      </Panel>
    </Stack>
  );
}

/** The path of the page that was shown before this one. */
function usePreviousPath(): string | undefined {
  const router = useRouter();
  const [path] = useState(() => router.state.resolvedLocation?.pathname);
  return path;
}

function Staleness({ list, failed, onRefresh }: { list: DeviceList; failed: boolean; onRefresh: () => void }) {
  const now = useNow();
  const asOf = new Date(list.asOf);
  if (!failed && !isStale(asOf, now)) return null;
  return <StaleNotice text={t.stale.since(dateTime(asOf))} onRefresh={onRefresh} />;
}

interface FoundProps {
  list: DeviceList;
  search: DevicesSearch;
  onChange: (part: Partial<DevicesSearch>) => void;
  /** The rows are still those of the page before. */
  busy: boolean;
}

function Found({ list: { devices, total, currentPageNumber }, search, onChange, busy }: FoundProps) {
  const Rows = useIsPhone() ? DeviceCards : DevicesTable;
  const isFiltered = filtersIn(search, useDeviceFilters()).length > 0;
  return (
    <>
      {devices.length > 0 ? (
        <Rows devices={devices} search={search} onChange={onChange} busy={busy} />
      ) : (
        <EmptyNotice title={t.list.empty} text={isFiltered ? t.devices.emptyHint : t.devices.emptyFleet} />
      )}
      <Pager
        footer={listFooter(t.devices.title, currentPageNumber, search.page_size, devices.length, total)}
        page={currentPageNumber}
        last={lastPage(total, search.page_size)}
        onPage={(page) => onChange({ page })}
        pageSize={search.page_size}
        pageSizes={PAGE_SIZES}
        onPageSize={(page_size) => onChange({ page_size })}
      />
    </>
  );
}
