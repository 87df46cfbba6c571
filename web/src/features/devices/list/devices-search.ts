import type { DeviceFilterQuery, DeviceListQuery } from '@/api/devices';
import { DEVICE_FILTERS, DEVICE_SORTS } from '@/api/schema.gen';
import { isDay } from '@/browser/days';
import { defineList, type SearchOf, type ShownOf } from '@/domain/list';
import { oneOf, textFilter } from '@/domain/search-state';

export const STATUSES = DEVICE_FILTERS.connectionstatus.enum;

/** The radius in kilometres of the filter for near devices: as far as a technician drives for one visit. */
export const NEAR_KM = 50;

export const MOST_OFFLINE_HOURS = DEVICE_FILTERS.offlinehours.maximum;

/** Maximum number of search words that the server accepts. */
const MAX_WORDS = 5;

export type DeviceFilter = keyof typeof DEVICE_FILTERS;

/** The part of a JSON schema that the filters use. */
interface FilterSchema {
  type?: string;
  format?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

export const FILTER_NAMES = Object.keys(DEVICE_FILTERS) as DeviceFilter[];

export function isDate(name: DeviceFilter): boolean {
  const schema: FilterSchema = DEVICE_FILTERS[name];
  return schema.format === 'date';
}

/** The values that a filter offers; undefined if it takes others. */
export function choicesOf(name: DeviceFilter): readonly string[] | undefined {
  const schema: FilterSchema = DEVICE_FILTERS[name];
  return schema.enum;
}

type Reader = (raw: unknown) => string | undefined;

/** Readers of the filters that their schema does not describe completely. */
const SPECIAL: Partial<Record<DeviceFilter, Reader>> = { q: searchText, near: place };

/** The reader that accepts the values of this schema. */
function readerOf(schema: FilterSchema): Reader {
  const { enum: choices, type, minimum = 0, maximum = 0, format, maxLength } = schema;
  if (choices) return (raw) => oneOf(choices, raw);
  if (type === 'integer') return (raw) => wholeNumber(raw, minimum, maximum);
  if (format === 'date') return (raw) => (isDay(raw) ? raw : undefined);
  return (raw) => textFilter(raw, maxLength);
}

const readers = Object.fromEntries(
  FILTER_NAMES.map((name) => [name, SPECIAL[name] ?? readerOf(DEVICE_FILTERS[name])]),
) as Record<DeviceFilter, Reader>;

/** The sort columns and filters of the API, in its order. */
const definition = { sorts: DEVICE_SORTS, filters: readers };

const start = { order: 'desc', order_by: 'created_at' } as const;

/** Defines a device list with this default page size. */
export function defineDeviceList(name: 'devices' | 'copyTargets', page_size: 5 | 25) {
  const list = defineList({ name, ...definition, start: { page_size, ...start } });
  return { ...list, read: (raw: Parameters<typeof list.read>[0]) => withoutLostOrder(list.read(raw)) } as typeof list;
}

/** Resets an order by distance if there is no place. */
function withoutLostOrder<Search extends { order_by: string; near?: string | undefined }>(search: Search): Search {
  return search.order_by === 'distance' && !search.near ? { ...search, ...start } : search;
}

/** The query string of /devices. */
export const devicesList = defineDeviceList('devices', 5);

export type DevicesSearch = SearchOf<typeof devicesList>;
export type ShownDevices = ShownOf<typeof devicesList>;
export type DeviceSort = DevicesSearch['order_by'];

export function toDeviceListQuery({ page, page_size, order, order_by, ...filters }: ShownDevices): DeviceListQuery {
  return { page, pageSize: page_size, order, orderBy: order_by, ...toDeviceFilter(filters) };
}

type DeviceFilters = ReturnType<typeof devicesList.filters>;

/** The filters as parameters of the API. */
export function toDeviceFilter(filters: DeviceFilters): DeviceFilterQuery {
  const isNumber = (name: DeviceFilter) => (DEVICE_FILTERS[name] as FilterSchema).type === 'integer';
  const values = FILTER_NAMES.filter((name) => filters[name] !== undefined).map((name) => [
    name,
    isNumber(name) ? Number(filters[name]) : filters[name],
  ]);
  return { ...Object.fromEntries(values), ...(filters.near !== undefined && { radius: NEAR_KM }) };
}

function searchText(raw: unknown): string | undefined {
  const words = textFilter(raw)?.split(/\s+/) ?? [];
  return words.length > MAX_WORDS ? words.slice(0, MAX_WORDS).join(' ') : textFilter(raw);
}

function wholeNumber(raw: unknown, least: number, most: number): string | undefined {
  const number = /^\d{1,4}$/.test(String(raw)) ? Number(raw) : Number.NaN;
  return number >= least && number <= most ? String(number) : undefined;
}

/** Reads a latitude and a longitude, such as `59.91,10.75`. */
function place(raw: unknown): string | undefined {
  const [, latitude, longitude] = /^(-?\d{1,2}(?:\.\d{1,6})?),(-?\d{1,3}(?:\.\d{1,6})?)$/.exec(String(raw)) ?? [];
  if (latitude === undefined || longitude === undefined) return undefined;
  return Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180
    ? `${latitude},${longitude}`
    : undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set if a device was opened from the list; Back then leads there. */
    fromDevices?: DevicesSearch;
  }
}
