import { expect, test } from 'vitest';
import { invisibleIn, sameName } from './one-line';

test.each([
  'Hotel Zürich',
  'Zu\u0308rich',
  'D’Angelo',
  'Bar\u00a0Nord',
  '店',
  '50 % off_',
  '',
  '\u{1f469}\u{200d}\u{1f466}',
  '\u{1f469}\u{1f3fd}\u{200d}\u{1f52c}',
  '\u{2764}\u{fe0f}\u{200d}\u{1f525}',
])('nothing in %o is invisible', (text) => {
  expect(invisibleIn(text)).toBeUndefined();
});

test.each([
  ['a\nb', 'U+000A', 2, true],
  ['A\u009bB', 'U+009B', 2, true],
  ['Line one\u2028Line two', 'U+2028', 9, true],
  ['a\u2029', 'U+2029', 2, true],
  ['Lobby\u202etxt.exe', 'U+202E', 6, false],
  ['Bar\u200bNord', 'U+200B', 4, false],
  ['\ufeffFig', 'U+FEFF', 1, false],
  ['\u{1f469}Z\u{200d}', 'U+200D', 3, false],
  ['\u{1f469}a\u{e0061}', 'U+E0061', 3, false],
])('of %o the invisible character is found', (text, code, position, isControl) => {
  expect(invisibleIn(text)).toEqual({ code, position, isControl });
});

test.each([
  'Cafe\u0301 Noir',
  'café noir',
  'Café\u00a0Noir',
  'Café Noir\u200b',
  '\u200eCafé Noir',
  'Ｃafé Noir',
  ' CAFÉ \u2003 NOIR',
])('%o is Café Noir', (form) => {
  expect(sameName(form)).toBe(sameName('Café Noir'));
  expect(sameName('Cafe Noir')).not.toBe(sameName(form));
});
