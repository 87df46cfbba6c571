// @vitest-environment jsdom
import { expect, test, vi } from 'vitest';
import { isReturnUrl, storeReturnUrl, takeReturnUrl } from './return-url';

test.each(['/', '/devices', '/devices?page=2&dsn=a%20b', '/devices/AC000W1?x=//y', '/signings'])(
  '%s may be returned to',
  (url) => {
    expect(isReturnUrl(url)).toBe(true);
  },
);

test.each([
  '',
  'devices',
  'https://evil.example/',
  '//evil.example/devices',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/devices/../../signout',
  'javascript:alert(1)',
  '/signin',
  '/signin?x=1',
  '/signout',
  '/signout/',
])('%j may not', (url) => {
  expect(isReturnUrl(url)).toBe(false);
});

test('a browser without URL.parse, as Safari 17.5, accepts the same addresses', () => {
  vi.spyOn(URL, 'parse').mockImplementation(() => {
    throw new TypeError('URL.parse is not a function');
  });
  expect(['/devices', '//evil.example/devices'].map(isReturnUrl)).toEqual([true, false]);
});

test('a stored URL is returned once', () => {
  storeReturnUrl('/devices?page=2');
  expect(takeReturnUrl()).toBe('/devices?page=2');
  expect(takeReturnUrl()).toBeUndefined();
});

test('a stored URL of another origin is not trusted', () => {
  sessionStorage.setItem('return-url', '//evil.example');
  expect(takeReturnUrl()).toBeUndefined();
});
