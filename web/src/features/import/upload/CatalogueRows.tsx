import { useState } from 'react';
import { CATALOGUE_COLUMNS } from '@/domain/catalogue';
import { lastPage, listFooter } from '@/domain/list-footer';
import { PAGE_SIZES, type PageSize } from '@/domain/search-state';
import { t } from '@/i18n/en';
import { Table } from '@/ui/layout/Table';
import { Pager } from '@/ui/list/Pager';
import type { CatalogueFile } from '../file/catalogue-file';

type Rows = CatalogueFile['rows'];

const COLUMNS = CATALOGUE_COLUMNS.map((column, place) => ({
  label: t.catalogue.columns[column],
  cell: ({ cells }: Rows[number]) => cells[column],
  isNumber: place >= 2,
  isWide: place < 2,
}));

/** The rows of a file in pages, because it can have ten thousand rows. */
export function CatalogueRows({ rows }: { rows: Rows }) {
  const [page, setPage] = useState(1);
  const [size, setSize] = useState<PageSize>(25);
  const shown = rows.slice((page - 1) * size, page * size);
  return (
    <div>
      <Table
        caption={t.catalogue.results}
        showCaption
        isFocusable
        columns={COLUMNS}
        rows={shown}
        rowKey={({ row }) => row}
      />
      <Pager
        footer={listFooter(t.catalogue.results, page, size, shown.length, rows.length)}
        page={page}
        last={lastPage(rows.length, size)}
        onPage={setPage}
        pageSize={size}
        pageSizes={PAGE_SIZES}
        onPageSize={(next) => {
          setSize(next);
          setPage(1);
        }}
      />
    </div>
  );
}
