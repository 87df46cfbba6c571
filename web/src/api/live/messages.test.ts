import { expect, test } from 'vitest';
import { openPages, union } from './messages';

const many = (prefix: string, count: number) => Array.from({ length: count }, (_, number) => `${prefix}${number}`);

test.each([
  ['nothing wanted', [], []],
  [
    'the same device twice',
    [
      { dsns: ['A', 'B'], isSeen: true },
      { dsns: ['B', 'C'], isSeen: true },
    ],
    ['A', 'B', 'C'],
  ],
  [
    'those that are seen first',
    [
      { dsns: ['A'], isSeen: false },
      { dsns: ['B'], isSeen: true },
    ],
    ['B', 'A'],
  ],
])('union: %s', (_, wants, expected) => {
  expect(union(wants)).toEqual(expected);
});

test('when there are too many devices, those that somebody sees are followed', () => {
  const wants = [
    { dsns: many('hidden', 80), isSeen: false },
    { dsns: many('seen', 50), isSeen: true },
  ];
  expect(union(wants)).toEqual([...many('seen', 50), ...many('hidden', 50)]);
});

test('open pages of visible tabs come first, and no more than ten are followed', () => {
  const hidden = many('hidden', 9).map((page) => ({ dsns: [page], page, isSeen: false }));
  const visible = many('seen', 2).map((page) => ({ dsns: [page], page, isSeen: true }));
  const list = { dsns: ['A', 'B'], isSeen: true };
  expect(openPages([...hidden, list, ...visible])).toEqual([...many('seen', 2), ...many('hidden', 8)]);
});
