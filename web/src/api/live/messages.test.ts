import { expect, test } from 'vitest';
import { followedDevices, openPages } from './messages';

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}${number}`);

test.each([
  ['no devices', [], []],
  [
    'the same device twice',
    [
      { dsns: ['A', 'B'], isVisible: true },
      { dsns: ['B', 'C'], isVisible: true },
    ],
    ['A', 'B', 'C'],
  ],
  [
    'those of visible tabs first',
    [
      { dsns: ['A'], isVisible: false },
      { dsns: ['B'], isVisible: true },
    ],
    ['B', 'A'],
  ],
])('followed devices: %s', (_, subscriptions, expected) => {
  expect(followedDevices(subscriptions)).toEqual(expected);
});

test('if there are too many devices, those of visible tabs are followed', () => {
  const subscriptions = [
    { dsns: many('hidden', 80), isVisible: false },
    { dsns: many('seen', 50), isVisible: true },
  ];
  expect(followedDevices(subscriptions)).toEqual([...many('seen', 50), ...many('hidden', 50)]);
});

test('open pages of visible tabs come first, and no more than ten are followed', () => {
  const hidden = many('hidden', 9).map((page) => ({ dsns: [page], page, isVisible: false }));
  const visible = many('seen', 2).map((page) => ({ dsns: [page], page, isVisible: true }));
  const list = { dsns: ['A', 'B'], isVisible: true };
  expect(openPages([...hidden, list, ...visible])).toEqual([...many('seen', 2), ...many('hidden', 8)]);
});
