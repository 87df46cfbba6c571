import { expect, test } from 'vitest';
import { fold } from './fold';

test.each([
  ['São Paulo', 'sao paulo'],
  ['Île-de-France', 'ile-de-france'],
  ['America/New_York', 'america/new york'],
  ['  WI - Wisconsin ', 'wi - wisconsin'],
  ['', ''],
])('%j is compared as %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});
