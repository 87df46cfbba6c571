import { useInfiniteQuery } from '@tanstack/react-query';
import { deviceFacetsQuery } from '@/api/device-facets';
import type { DeviceFacetField } from '@/api/schema.gen';
import type { FilterValues } from '@/domain/list';
import { textFilter } from '@/domain/search-state';
import { useDebouncedValue } from '@/ui/kit';
import { devicesList, toDeviceFilter } from '../list/devices-search';

const TYPING_MS = 300;
/** The maximum of the server: codes are few, and all of them are needed to search their labels. */
const ALL_CODES = 50;

interface Options {
  field: DeviceFacetField;
  /** Only values that contain this text. */
  text: string;
  /** All filters, also those that are not applied yet. */
  filters: FilterValues;
  excludeDsn: string | undefined;
  isOpen: boolean;
  isCode: boolean;
}

/** The values of a filter with the number of devices that match them and the other filters, read while the menu is open. */
export function useFacets({ field, text, filters, excludeDsn, isOpen, isCode }: Options) {
  const [settled] = useDebouncedValue(text, TYPING_MS);
  const others = toDeviceFilter(devicesList.filters({ ...filters, [field]: undefined }));
  const part = textFilter(settled);
  const query = useInfiniteQuery({
    ...deviceFacetsQuery({
      ...others,
      ...(excludeDsn !== undefined && { excludeDsn }),
      field,
      ...(part !== undefined && { text: part }),
      ...(isCode && { pageSize: ALL_CODES }),
    }),
    enabled: isOpen,
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isError, isPlaceholderData } = query;
  // A value can move to another page between two reads.
  const values = new Map(data?.pages.flatMap(({ values }) => values.map((value) => [value.filter, value])));
  return {
    values: [...values.values()],
    isRead: data !== undefined,
    isError,
    /** The values are those of another text or of other filters. */
    isOutdated: settled !== text || isPlaceholderData,
    more: hasNextPage ? { isLoading: isFetchingNextPage, load: () => void fetchNextPage() } : undefined,
  };
}
