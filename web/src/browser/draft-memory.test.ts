// @vitest-environment jsdom
import { beforeEach, expect, test, vi } from 'vitest';
import {
  differs,
  forgetDraft,
  forgetDrafts,
  forgetDraftsInAllTabs,
  keepDraft,
  listenForForgottenDrafts,
  readDraft,
} from './draft-memory';

const FROM = { customer: 'Harbor', city: '' };
const TYPED = { customer: 'Harbor Hotels', city: 'Oslo' };

beforeEach(() => sessionStorage.clear());

test('each form has its own draft, as often as it is read', () => {
  keepDraft('add', FROM, TYPED);
  expect(readDraft('edit', FROM)).toBeUndefined();
  expect(readDraft('add', FROM)).toEqual(TYPED);
  expect(readDraft('add', FROM)).toEqual(TYPED);
});

test('unchanged values are not a draft', () => {
  keepDraft('add', FROM, TYPED);
  keepDraft('add', FROM, { ...FROM });
  expect(sessionStorage).toHaveLength(0);
});

test('a draft keeps changes by others in untouched fields', () => {
  keepDraft('edit', FROM, { ...FROM, city: 'Oslo' });
  expect(readDraft('edit', { ...FROM, customer: 'Somebody else' })).toEqual({
    customer: 'Somebody else',
    city: 'Oslo',
  });
  expect(readDraft('edit', { ...FROM, city: 'Bergen' })).toEqual({ customer: 'Harbor', city: 'Oslo' });
});

test.each([
  'nonsense',
  'null',
  '7',
  '{}',
  '{"values":{"customer":"x","city":"y"}}',
  '{"from":{"customer":"Harbor","city":""}}',
  '{"from":{"customer":"Harbor","city":""},"values":{"customer":"x"}}',
  '{"from":{"customer":"Harbor","city":""},"values":{"customer":"x","city":7}}',
  '{"from":{"customer":"Harbor","city":""},"values":{"customer":"x","evil":"y"}}',
  '{"from":{"customer":"Harbor","city":""},"values":{"customer":"x","city":"y","evil":"z"}}',
])('%s is not a draft', (text) => {
  sessionStorage.setItem('draft:add', text);
  expect(readDraft('add', FROM)).toBeUndefined();
});

test('one draft or all drafts can be deleted, and nothing else', () => {
  sessionStorage.setItem('filters:/devices', '{}');
  keepDraft('add', FROM, TYPED);
  keepDraft('edit', FROM, TYPED);
  forgetDraft('add');
  expect(readDraft('edit', FROM)).toEqual(TYPED);
  forgetDrafts();
  expect(Object.keys(sessionStorage)).toEqual(['filters:/devices']);
});

test('drafts of one user can be kept', () => {
  keepDraft('user-1/devices/add', FROM, TYPED);
  keepDraft('user-2/devices/add', FROM, TYPED);
  forgetDrafts({ user: 'user-1' });
  expect(Object.keys(sessionStorage)).toEqual(['draft:user-1/devices/add']);
});

test('signing out in one tab deletes the drafts of the others', async () => {
  const stop = listenForForgottenDrafts();
  keepDraft('add', FROM, TYPED);
  forgetDraftsInAllTabs();
  expect(readDraft('add', FROM)).toBeUndefined();
  keepDraft('edit', FROM, TYPED);
  await vi.waitFor(() => expect(readDraft('edit', FROM)).toBeUndefined());
  stop();
});

test('a full storage does not prevent typing', () => {
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError');
  });
  expect(() => keepDraft('add', FROM, TYPED)).not.toThrow();
});

test.each([
  [FROM, false],
  [TYPED, true],
  [{ ...FROM, city: ' ' }, true],
])('%j differs: %s', (values, answer) => {
  expect(differs(FROM, values)).toBe(answer);
});
