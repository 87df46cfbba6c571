// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { forgetFilters, rememberFilters, takeFilters } from './filter-memory';

beforeEach(() => sessionStorage.clear());

test('each path has its own filters, which can be taken once', () => {
  rememberFilters('/devices', { customer: 'Harbor' });
  expect(takeFilters('/users')).toBeUndefined();
  expect(takeFilters('/devices')).toEqual({ customer: 'Harbor' });
  expect(takeFilters('/devices')).toBeUndefined();
});

test('the last filters replace earlier ones, and empty filters remove them', () => {
  rememberFilters('/devices', { customer: 'Harbor' });
  rememberFilters('/devices', { city: 'Oslo' });
  expect(takeFilters('/devices')).toEqual({ city: 'Oslo' });
  rememberFilters('/devices', { city: 'Oslo' });
  rememberFilters('/devices', {});
  expect(sessionStorage).toHaveLength(0);
});

test('forgetting removes the filters of all lists and nothing else', () => {
  rememberFilters('/devices', { city: 'Oslo' });
  rememberFilters('/users', { email: 'a' });
  sessionStorage.setItem('return-url', '/devices');
  forgetFilters();
  expect(Object.keys(sessionStorage)).toEqual(['return-url']);
});

test.each(['{', 'null', '7', '""'])('an invalid stored value %s has no filters', (text) => {
  sessionStorage.setItem('filters:/devices', text);
  expect(takeFilters('/devices') ?? {}).toEqual({});
});

test('only strings are restored', () => {
  sessionStorage.setItem('filters:/devices', '{"city":"Oslo","page":7,"dsn":null}');
  expect(takeFilters('/devices')).toEqual({ city: 'Oslo' });
});
