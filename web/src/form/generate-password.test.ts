import { expect, test } from 'vitest';
import { generatePassword } from './generate-password';
import { passwordError } from './password-rule';

/** Returns these bytes in turn, and fails when none are left. */
function fixedBytes(bytes: readonly number[]) {
  let next = 0;
  return (count: number) => {
    const dealt = bytes.slice(next, next + count);
    next += count;
    if (dealt.length < count) throw new Error('no bytes left');
    return Uint8Array.from(dealt);
  };
}

test('a password has four groups of characters, one character for each byte', () => {
  expect(generatePassword(fixedBytes([0, 1, 2, 3, 24, 25, 26, 27, 48, 49, 50, 51, 55, 56, 223, 0]))).toBe(
    'ABCD-abcd-2345-9A9A',
  );
});

test('a byte that would make some characters more likely is replaced', () => {
  const bytes = [255, 224, 0, 240, 1, 2, 3, ...Array(12).fill(24)];
  expect(generatePassword(fixedBytes(bytes))).toBe('ABCD-aaaa-aaaa-aaaa');
});

test('a password that breaks the rule is generated again', () => {
  const lower = Array(16).fill(24);
  const both = [...Array(15).fill(24), 0];
  expect(generatePassword(fixedBytes([...lower, ...both]))).toBe('aaaa-aaaa-aaaa-aaaA');
});

test('random passwords satisfy the rule and are distinct', () => {
  const passwords = Array.from({ length: 200 }, () => generatePassword());
  expect(passwords.map(passwordError).filter(Boolean)).toEqual([]);
  expect(new Set(passwords).size).toBe(200);
});
