import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '@/api/errors';
import { fleetQuery, reportFleet, reportStores } from '@/api/fleet';
import { useDeviceEvents } from '@/api/live/live';
import type { FleetHistories, FleetHistory } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { monthDay, shortTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { numberText } from '@/domain/number-text';
import { useLink } from '@/form/list/useLink';
import { t } from '@/i18n/en';
import { ChoiceField } from '@/ui/fields/ChoiceField';
import { MonthSelect } from '@/ui/fields/MonthSelect';
import { useNow } from '@/ui/hooks/useNow';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Group, Skeleton, Stack, Text, Title } from '@/ui/kit';
import { Panel } from '@/ui/layout/Card';
import { FilterBar } from '@/ui/list/FilterBar';
import { filterTexts } from '@/ui/list/filter-field';
import { ReportButton } from '@/ui/list/ReportButton';
import { Loading } from '@/ui/notices/Loading';
import { EmptyNotice, ErrorNotice, InfoNotice } from '@/ui/notices/Notice';
import { FleetBlocks } from './FleetBlocks';
import classes from './FleetPage.module.css';
import { FleetSummary } from './FleetSummary';
import { fleetFilterFields } from './filters/fleet-filters';
import { DEFAULT_PERIOD, PERIODS, readFleetSearch, toFleetFilters, toFleetQuery } from './filters/fleet-search';

const route = getRouteApi('/signed-in/fleet');

/** The devices over time. */
export function FleetPage() {
  useDeviceEvents([]);
  const search = readFleetSearch(route.useSearch());
  const link = useLink();
  const navigate = route.useNavigate();
  const fields = fleetFilterFields(useCan('csps.view'));
  const { days = DEFAULT_PERIOD, month, ...filters } = search;
  const chosen = filterTexts(fields, filters);
  usePageTitle(t.fleet.title, chosen);
  const query = useQuery(fleetQuery(toFleetQuery(search)));
  const change = (part: object) =>
    void navigate({ search: readFleetSearch({ ...search, ...part }), resetScroll: false });
  const isFiltered = Object.values(filters).some(Boolean);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <div className={classes.lead}>
          <Title order={1} size={26}>
            {t.fleet.title}
          </Title>
          <Text size="sm" c="dimmed">
            {t.fleet.lead}
          </Text>
        </div>
        <ReportButton
          report={{
            list: 'fleet',
            reasonOf: messageOf,
            generate: (options, signal) => reportFleet({ ...toFleetQuery(search), ...options }, signal),
            stores: {
              month,
              generate: (options, signal) => reportStores({ ...toFleetFilters(filters), ...options }, signal),
            },
          }}
          filter={chosen.at(-1)}
        />
      </Group>
      <FilterBar
        link={link}
        fields={fields}
        filters={filters}
        // Sums are kept by customer and by fragrance alone, so that the newer of these filters replaces the other.
        onChange={(part) => change('fragrance' in part && part.fragrance ? { customer: undefined, ...part } : part)}
        dialogTitle={t.fleet.filterTitle}
        hint={t.fleet.filterHint}
        others={['days', 'month']}
      />
      <div className={classes.period}>
        <ChoiceField
          label={t.fleet.period}
          choices={PERIODS}
          text={(days) => t.fleet.periods[days] ?? String(days)}
          value={month ? null : days}
          onChange={(days) => change({ days, month: undefined })}
        />
        <MonthSelect
          label={t.fleet.month}
          placeholder={t.fleet.anyMonth}
          value={month ?? null}
          onChange={(month) => change({ month })}
        />
      </div>
      {query.data ? (
        <Loaded history={query.data} busy={query.isPlaceholderData} isFiltered={isFiltered} />
      ) : query.isError ? (
        <Panel>
          <ErrorNotice title={t.fleet.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
        </Panel>
      ) : (
        <Loading label={t.fleet.loading}>
          <Skeleton height="20rem" />
        </Loading>
      )}
    </Stack>
  );
}

function Loaded({ history, busy, isFiltered }: { history: FleetHistory; busy: boolean; isFiltered: boolean }) {
  const { recordedSince, histories, sums, sumsBefore } = history;
  const incomplete = histories && <Incomplete histories={histories} />;
  if (isEmpty(history)) {
    return (
      <>
        {incomplete}
        <Panel>
          <EmptyNotice title={t.fleet.empty} text={isFiltered ? t.fleet.noMatch : t.fleet.emptyHint} />
        </Panel>
      </>
    );
  }
  const [first] = history.days;
  const isOlder = recordedSince !== null && first !== undefined && recordedSince.slice(0, 10) > first.day;
  return (
    <>
      {incomplete}
      {sums && <FleetSummary sums={sums} before={sumsBefore} />}
      <FleetBlocks history={history} busy={busy} />
      {isOlder && (
        <Text size="sm" c="dimmed">
          {t.fleet.recordedSince(monthDay(instant(recordedSince), 'UTC'))}
        </Text>
      )}
    </>
  );
}

function Incomplete({ histories }: { histories: FleetHistories }) {
  const now = useNow();
  const { read, devices, readBy } = histories;
  const until = readBy && shortTime(instant(readBy), now);
  return <InfoNotice text={t.fleet.incomplete(numberText(read), numberText(devices), until)} />;
}

function isEmpty({ days }: FleetHistory): boolean {
  return days.every(
    ({ devices, usedMl, online }) => devices === null && usedMl === null && online.every((it) => it === null),
  );
}
