import { useQuery } from '@tanstack/react-query';
import { fragrancesQuery } from '@/api/fragrances';
import { CspFilterInput } from '@/form/CspFilterInput';
import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';
import { NamesFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField, FilterInputProps } from '@/ui/list/filter-field';
import { lazyPart } from '@/ui/notices/lazy-part';

const CustomerInput = lazyPart(
  async () => (await import('@/form/CustomerFilterInputs')).CustomerChoiceInput,
  <Skeleton height={60} />,
);

const csp: FilterField = { name: 'csp', label: t.fleet.filters.csp, Input: CspFilterInput };
const others: readonly FilterField[] = [
  { name: 'customer', label: t.fleet.filters.customer, Input: CustomerInput },
  { name: 'fragrance', label: t.fleet.filters.fragrance, Input: FragranceFilterInput },
];

/** The filters; only people who see several CSPs filter by CSP. */
export function fleetFilterFields(hasCsps: boolean): readonly FilterField[] {
  return hasCsps ? [csp, ...others] : others;
}

function FragranceFilterInput(props: FilterInputProps) {
  const fragrances = useQuery(fragrancesQuery);
  const names = fragrances.data?.map(({ name }) => name);
  return <NamesFilterInput {...props} names={names} error={fragrances.isError ? t.fleet.noFragrances : undefined} />;
}
