import { expect, test } from 'vitest';
import { isEmail } from './email';

test.each(['jo@example.com', '  jo@example.com ', 'jo+x@büro.example', 'a@b'])('%s is an address', (text) => {
  expect(isEmail(text)).toBe(true);
});

test.each(['', ' ', 'jo', '@', 'jo@', '@example.com', 'a@b@c', 'a b@c'])('%s is not an address', (text) => {
  expect(isEmail(text)).toBe(false);
});
