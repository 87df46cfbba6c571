import { expect, test } from 'vitest';
import { keeping, plainChoices } from './choices';

const CHOICES = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

test('what is stored but no choice any more is offered after the others', () => {
  expect(keeping(CHOICES, 'z', 'a', 'z', '')).toEqual([...CHOICES, { value: 'z', label: 'z' }]);
});

test('a choice that is there twice is offered once', () => {
  expect(keeping(plainChoices(['a', 'b', 'a']))).toEqual(plainChoices(['a', 'b']));
});
