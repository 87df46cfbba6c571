import { t } from '@/i18n/en';
import { Stack, Text } from '@/ui/kit';
import { Table } from '@/ui/layout/Table';
import { WarningNotice } from '@/ui/notices/Notice';
import type { SkuWarning } from '../file/catalogue-file';

/** Maximum number of displayed warnings. */
const MAX_SHOWN = 100;

const { row, fragrance, before, after, reason } = t.catalogue.skuColumns;
const COLUMNS = [
  { label: row, cell: ({ row }: SkuWarning) => row, isNumber: true },
  { label: fragrance, cell: ({ fragrance }: SkuWarning) => <span translate="no">{fragrance}</span>, isWide: true },
  { label: before, cell: ({ before }: SkuWarning) => <span translate="no">{before ?? t.catalogue.noRow}</span> },
  { label: after, cell: ({ after }: SkuWarning) => <span translate="no">{after}</span> },
  { label: reason, cell: ({ reason }: SkuWarning) => reason, isWide: true },
];

/** The SKUs that a spreadsheet probably changed, old and new side by side. */
export function SkuWarnings({ warnings }: { warnings: readonly SkuWarning[] }) {
  return (
    <Stack gap="sm">
      <WarningNotice text={t.catalogue.skuWarning(warnings.length)} />
      <Table
        caption={t.catalogue.skuWarnings}
        showCaption
        isStacked
        isFocusable
        columns={COLUMNS}
        rows={warnings.slice(0, MAX_SHOWN)}
        rowKey={({ row }) => row}
      />
      {warnings.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed">
          {t.catalogue.moreErrors(warnings.length - MAX_SHOWN)}
        </Text>
      )}
    </Stack>
  );
}
