import type { DeviceFacet } from '@/api/schema.gen';
import { fold } from '@/domain/fold';
import { type Call, ok } from './fake-api';

/** The number of devices by value, for each filter. */
type Facets = Record<string, Record<string, number>>;

/** Filters whose values are not texts in quotes. */
const PLAIN = ['model', 'connectionstatus', 'mode', 'csp'];

/** Answers GET /api/devices/facets as the server does, with these values. */
export function facetsAnswer(facets: Facets): (call: Call) => Response {
  return ({ url: { searchParams } }) => {
    const field = searchParams.get('field') ?? '';
    const page = Number(searchParams.get('page') ?? 1);
    const size = Number(searchParams.get('pageSize') ?? 25);
    const part = fold(searchParams.get('text') ?? '');
    const values: DeviceFacet[] = Object.entries(facets[field] ?? {})
      .filter(([value]) => fold(value).includes(part))
      .map(([value, devices]) => ({ value, filter: PLAIN.includes(field) ? value : `"${value}"`, devices }))
      .sort((one, other) => other.devices - one.devices);
    const shown = values.slice((page - 1) * size, page * size);
    return ok({ values: shown, total: values.length, currentPageNumber: page });
  };
}
