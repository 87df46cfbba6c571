import { ActionIcon, Group, Pagination } from '@mantine/core';
import { IconBaselineDensitySmall, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { t } from '@/i18n/en';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import { Select } from '@/ui/kit';
import type { RowDensity } from './DataTable';
import classes from './Pager.module.css';

interface Props<Size extends number> {
  footer: string;
  page: number;
  last: number;
  onPage: (page: number) => void;
  pageSize: Size;
  pageSizes: readonly Size[];
  onPageSize: (size: Size) => void;
  /** For lists with a choice of density. */
  density?: RowDensity;
  onDensity?: (density: RowDensity) => void;
}

/** Below a list: the displayed range, page size, density and page buttons. */
export function Pager<Size extends number>({
  footer,
  page,
  last,
  onPage,
  pageSize,
  pageSizes,
  onPageSize,
  density,
  onDensity,
}: Props<Size>) {
  const isPhone = useIsPhone();
  const isCompact = density === 'compact';
  return (
    <div className={classes.pager}>
      <p className={classes.footer} aria-live="polite">
        {footer}
      </p>
      <Select
        className={classes.size}
        aria-label={t.list.pageSize}
        data={pageSizes.map(String)}
        value={String(pageSize)}
        onChange={(value) => {
          const size = pageSizes.find((size) => String(size) === value);
          if (size) onPageSize(size);
        }}
        allowDeselect={false}
      />
      {onDensity && (
        <ActionIcon
          variant={isCompact ? 'light' : 'default'}
          size={36}
          aria-label={t.list.compact}
          title={t.list.compact}
          aria-pressed={isCompact}
          onClick={() => onDensity(isCompact ? 'comfortable' : 'compact')}
        >
          <IconBaselineDensitySmall size={18} aria-hidden="true" />
        </ActionIcon>
      )}
      {isPhone ? (
        <ShortPagination page={page} last={last} onPage={onPage} />
      ) : (
        <Pagination
          className={classes.pages}
          aria-label={t.list.pagination}
          total={last}
          value={page}
          onChange={onPage}
          getItemProps={(item) => ({ 'aria-label': t.list.page(item) })}
          getControlProps={(control) => ({
            'aria-label': {
              first: t.list.firstPage,
              previous: t.list.previousPage,
              next: t.list.nextPage,
              last: t.list.lastPage,
            }[control],
          })}
        />
      )}
    </div>
  );
}

function ShortPagination({ page, last, onPage }: { page: number; last: number; onPage: (page: number) => void }) {
  return (
    <Group className={classes.pages} component="nav" gap="xs" aria-label={t.list.pagination}>
      <ActionIcon
        variant="default"
        size={44}
        aria-label={t.list.previousPage}
        disabled={page <= 1}
        onClick={() => onPage(page - 1)}
      >
        <IconChevronLeft size={18} />
      </ActionIcon>
      <span className={classes.footer}>{t.list.pageOf(page, last)}</span>
      <ActionIcon
        variant="default"
        size={44}
        aria-label={t.list.nextPage}
        disabled={page >= last}
        onClick={() => onPage(page + 1)}
      >
        <IconChevronRight size={18} />
      </ActionIcon>
    </Group>
  );
}
