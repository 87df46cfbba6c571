import type { FilterValues } from '@/domain/list';
import { parseSearch } from '@/domain/search-state';
import { t } from '@/i18n/en';
import { InfoNotice } from '@/ui/notices/Notice';
import type { FilterField } from './filter-field';

interface Props {
  /** The query string of the link that led to the page. */
  link: string;
  fields: readonly FilterField[];
  /** All filters of the page; inactive ones are undefined. */
  filters: FilterValues;
  /** The other members of the page's query string. */
  others: readonly string[];
}

/** Names the filters of the link that the page does not apply. */
export function IgnoredFilters({ link, fields, filters, others }: Props) {
  const ignored = Object.entries(parseSearch(link)).flatMap(([name, value]) => {
    if (value === '' || others.includes(name)) return [];
    const field = fields.find((field) => field.name === name);
    if (!field) return Object.hasOwn(filters, name) ? t.list.notYours(name) : t.list.unknown(name);
    return filters[name] === undefined ? t.list.invalid(field.label) : [];
  });
  return ignored.length > 0 && <InfoNotice text={t.list.ignored(ignored)} />;
}
