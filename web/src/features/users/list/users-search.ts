import type { UserListQuery } from '@/api/users';
import { defineList, type FilterOf, type SearchOf, type ShownOf } from '@/domain/list';
import { oneOf, textFilter } from '@/domain/search-state';

/** The values of filters by yes and no in the query string. */
export const FLAG = ['true', 'false'] as const;

/** A CSP's name matches as a whole, so it has no length limit. */
const LONGEST_CSP = 255;

const text = (raw: unknown) => textFilter(raw);

/** The query string of /users: columns, filters in order, and defaults. */
export const usersList = defineList({
  name: 'users',
  sorts: [
    'created_at',
    'firstname',
    'lastname',
    'email',
    'company',
    'businessrole',
    'phone',
    'csp',
    'role',
    'lastsignin',
  ],
  filters: {
    firstname: text,
    lastname: text,
    email: text,
    company: text,
    businessrole: text,
    phone: text,
    csp: (raw) => textFilter(raw, LONGEST_CSP),
    role: text,
    confirmed: (raw) => oneOf(FLAG, String(raw)),
    twostep: (raw) => oneOf(FLAG, String(raw)),
    disabled: (raw) => oneOf(FLAG, String(raw)),
  },
  start: { page_size: 25, order: 'desc', order_by: 'created_at' },
});

export type UsersSearch = SearchOf<typeof usersList>;
export type UserFilter = FilterOf<typeof usersList>;
export type UserSort = UsersSearch['order_by'];

export function toUserListQuery({
  page_size,
  order_by,
  confirmed,
  twostep,
  disabled,
  ...same
}: ShownOf<typeof usersList>): UserListQuery {
  return {
    ...same,
    pageSize: page_size,
    orderBy: order_by,
    ...(confirmed !== undefined && { confirmed: confirmed === 'true' }),
    ...(twostep !== undefined && { twostep: twostep === 'true' }),
    ...(disabled !== undefined && { disabled: disabled === 'true' }),
  };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set if a user was opened from the list; Back then leads there. */
    fromUsers?: UsersSearch;
  }
}
