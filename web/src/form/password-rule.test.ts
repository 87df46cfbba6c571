import { expect, test } from 'vitest';
import { confirmationError, passwordError } from './password-rule';

const LENGTH = 'Must be 8 to 128 characters';
const SPECIAL = 'Must contain a number or special character';
const UPPERCASE = 'Must contain an uppercase letter';
const LOWERCASE = 'Must contain a lowercase letter';

const of = (length: number, filler: string) => `Aa1${filler.repeat(length - 3)}`;

test.each(['a', 'é', '😀'])('a new password has 8 to 128 characters of any script: %s', (filler) => {
  expect([7, 8, 128, 129].map((length) => passwordError(of(length, filler)))).toEqual([
    LENGTH,
    undefined,
    undefined,
    LENGTH,
  ]);
});

test.each(['Aaaaaaa1', 'Aaaaaaa!', 'Aaaaaaa ', 'Aaaaaaa—', 'Aaaaaaa٣', 'Éééééé-é'])(
  '%s keeps all rules',
  (password) => {
    expect(passwordError(password)).toBeUndefined();
  },
);

test.each([
  ['Aaaaaaaa', SPECIAL],
  ['aaaaaaa1', UPPERCASE],
  ['AAAAAAA1', LOWERCASE],
  ['1234567-', `${UPPERCASE}. ${LOWERCASE}`],
  ['', [LENGTH, SPECIAL, UPPERCASE, LOWERCASE].join('. ')],
])('%s breaks a rule', (password, error) => {
  expect(passwordError(password)).toBe(error);
});

test('the repeated password must match', () => {
  expect(confirmationError('Aaaaaaa1', 'Aaaaaaa1')).toBeUndefined();
  expect(confirmationError('Aaaaaaa1', 'aaaaaaa1')).toBe('Does not match');
});
