import { useEffect, useRef, useState } from 'react';
import { datedName, nameOf } from '@/browser/report-name';
import { saveFile } from '@/browser/save-file';
import { isoDate } from '@/browser/time';
import { monthOf } from '@/domain/months';
import { ownZoneName } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { MonthSelect } from '@/ui/fields/MonthSelect';
import { Button, Checkbox, Group, Radio, Stack, Text, TextInput } from '@/ui/kit';
import { alertFailure } from '@/ui/notices/alerts';
import '@mantine/core/styles/Radio.css';
import { useNow } from '@/ui/hooks/useNow';

const TYPES = ['printable', 'xlsx', 'csv', 'json'] as const;
const CONTENTS = ['rows', 'purchasing', 'stores'] as const;
/** The period for which cartridges are bought, unless another day is chosen. */
const PERIOD_MS = 30 * 24 * 3_600_000;

type ReportType = (typeof TYPES)[number];

/** Sent with the request. */
interface ReportOptions {
  type: ReportType;
  /** The zone of times in a workbook: the reader's. */
  timeZone?: string;
}

interface Props {
  report: {
    /** The beginning of the file's name. */
    list: string;
    /** Whether it is offered for programs, too. */
    hasJson?: boolean;
    /** Whether its rows have customers to group by. */
    hasCustomers?: boolean;
    /** Requests the list of cartridges to buy, if there is one. */
    purchasing?: (options: ReportOptions & { until: string }, signal: AbortSignal) => Promise<Blob>;
    /** Requests what stores used in a month, if there is that. The month is chosen first. */
    stores?: {
      month: string | undefined;
      generate: (options: ReportOptions & { month: string }, signal: AbortSignal) => Promise<Blob>;
    };
    /** Requests the report. An abort of the signal cancels the request. */
    generate: (options: ReportOptions, signal: AbortSignal, byCustomer: boolean) => Promise<Blob>;
    /** The text of its error. */
    reasonOf: (error: unknown) => string;
  };
  /** The filter that the file is named after. */
  filter: string | undefined;
  onClose: () => void;
}

/** Lets the user choose the type and saves the report. Closing the dialog cancels a report in progress. */
export default function ReportForm({ report, filter, onClose }: Props) {
  const [type, setType] = useState<ReportType>('printable');
  const [byCustomer, setByCustomer] = useState(false);
  const now = useNow();
  const [content, setContent] = useState<(typeof CONTENTS)[number]>('rows');
  const [until, setUntil] = useState(() => isoDate(new Date(now.getTime() + PERIOD_MS)));
  const { purchasing, stores } = report;
  const [month, setMonth] = useState(() => stores?.month ?? monthOf(now));
  const contents = CONTENTS.filter((one) => one === 'rows' || report[one]);
  const isPurchasing = content === 'purchasing';
  const isIncomplete = isPurchasing && until === '';
  const ofMonth = nameOf(t.report.stores, filter, month);
  const name =
    content === 'stores' ? ofMonth : datedName(isPurchasing ? t.report.cartridges : report.list, filter, now);
  const files = {
    printable: content === 'stores' ? `${name}.html` : 'report.html',
    xlsx: `${name}.xlsx`,
    csv: `${name}.csv`,
    json: `${name}.json`,
  };
  const types = TYPES.filter((one) => one !== 'json' || report.hasJson);
  const [pending, setPending] = useState(false);
  const wait = useRef<AbortController>(undefined);
  useEffect(() => {
    return () => wait.current?.abort();
  }, []);
  const generate = (signal: AbortSignal) => {
    const options = { type, ...(type === 'xlsx' && { timeZone: ownZoneName() }) };
    if (content === 'purchasing' && purchasing) return purchasing({ ...options, until }, signal);
    if (content === 'stores' && stores) return stores.generate({ ...options, month }, signal);
    return report.generate(options, signal, byCustomer);
  };
  const save = async () => {
    const controller = new AbortController();
    const { signal } = controller;
    wait.current = controller;
    setPending(true);
    try {
      const file = await generate(signal);
      signal.throwIfAborted();
      saveFile(file, files[type]);
      onClose();
    } catch (error) {
      if (!signal.aborted) alertFailure(t.report.failed, undefined, report.reasonOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isIncomplete) void save();
      }}
    >
      <Text size="sm" c="dimmed" mb="md">
        {t.report.lead}
      </Text>
      <Radio.Group
        label={t.report.type}
        value={type}
        onChange={(value) => setType(TYPES.find((one) => one === value) ?? type)}
      >
        <Stack gap="sm" mt="xs">
          {types.map((one) => (
            <Radio key={one} value={one} label={t.report.types[one]} description={t.report.hints[one](files[one])} />
          ))}
        </Stack>
      </Radio.Group>
      {contents.length > 1 && (
        <Radio.Group
          mt="lg"
          label={t.report.content}
          value={content}
          onChange={(value) => setContent(CONTENTS.find((one) => one === value) ?? content)}
        >
          <Group gap="lg" mt="xs">
            {contents.map((one) => (
              <Radio key={one} value={one} label={t.report.contents[one]} />
            ))}
          </Group>
        </Radio.Group>
      )}
      {isPurchasing && (
        <TextInput
          mt="lg"
          type="date"
          label={t.report.until}
          value={until}
          error={isIncomplete && t.report.untilMissing}
          onChange={({ currentTarget }) => setUntil(currentTarget.value)}
        />
      )}
      {content === 'stores' && (
        <Stack mt="lg">
          <MonthSelect label={t.report.month} value={month} onChange={setMonth} />
        </Stack>
      )}
      {report.hasCustomers && content === 'rows' && (
        <Checkbox
          mt="lg"
          label={t.report.groupByCustomer}
          checked={byCustomer}
          onChange={(event) => setByCustomer(event.currentTarget.checked)}
        />
      )}
      <Group justify="flex-end" gap="sm" mt="lg">
        <Button variant="default" onClick={onClose}>
          {t.common.cancel}
        </Button>
        <Button type="submit" loading={pending}>
          {t.report.generate}
        </Button>
      </Group>
    </form>
  );
}
