/**
 * Every path of the console, in the router's notation. The browser tests visit each of them, and a test next to this file
 * verifies that the router has no others. This file imports nothing, so that anything can import it.
 */
export const ROUTES = [
  { path: '/', access: 'public' },
  { path: '/signin', access: 'public' },
  { path: '/signout', access: 'public' },
  { path: '/signup', access: 'public' },
  { path: '/password/reset', access: 'public' },
  { path: '/password/set', access: 'public' },
  { path: '/account/confirm', access: 'public' },
  { path: '/account/email/cancel', access: 'public' },
  { path: '/devices', access: 'signed-in' },
  { path: '/devices/add', access: 'signed-in' },
  { path: '/devices/$dsn', access: 'signed-in' },
  { path: '/devices/$dsn/edit', access: 'signed-in' },
  { path: '/devices/$dsn/edit/schedule', access: 'signed-in' },
  { path: '/devices/$dsn/copy', access: 'signed-in' },
  { path: '/csps', access: 'signed-in' },
  { path: '/csps/add', access: 'signed-in' },
  { path: '/csps/$id', access: 'signed-in' },
  { path: '/users', access: 'signed-in' },
  { path: '/users/invite', access: 'signed-in' },
  { path: '/users/$id', access: 'signed-in' },
  { path: '/jobs', access: 'signed-in' },
  { path: '/jobs/$id', access: 'signed-in' },
  { path: '/audit', access: 'signed-in' },
  { path: '/import', access: 'signed-in' },
  { path: '/account', access: 'signed-in' },
  { path: '/about', access: 'signed-in' },
  { path: '/help', access: 'signed-in' },
] as const;
