import { expect, test } from 'vitest';
import { keeping, plainChoices } from './choices';

const CHOICES = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

test('a stored value that is no longer a choice is offered last', () => {
  expect(keeping(CHOICES, 'z', 'a', 'z', '')).toEqual([...CHOICES, { value: 'z', label: 'z' }]);
});

test('a duplicate choice is offered once', () => {
  expect(keeping(plainChoices(['a', 'b', 'a']))).toEqual(plainChoices(['a', 'b']));
});
