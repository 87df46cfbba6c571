import { expect, test } from 'vitest';
import { intendedText, skuDamage } from './spreadsheet-damage';

/** Reads the UTF-8 of a text as Windows-1252. */
const misread = (text: string) => new TextDecoder('windows-1252').decode(new TextEncoder().encode(text));

test.each([
  'Thé Vert',
  'À la Crème',
  'ÉTÉ',
  'Größe',
  'L’Été',
  'Pâté – “fin”',
  'Łąka i mięta',
  'Čaj Šalvěj',
  'Ελιά',
  'Ромашка',
  'Miel®',
  'Soleil™',
  '5 € Ñandú',
  'Fig 🌿',
  'Nº 5',
  'MIEL®',
  'CAFÉ',
  'Désir',
  'Nîmes',
  'Fête',
  'Tûba',
])('%o is found behind its mojibake', (name) => {
  expect(intendedText(misread(name))).toBe(name);
  expect(intendedText(misread(misread(name)))).toBe(name);
});

test.each([
  'Fig',
  'Thé Vert',
  'ROSÉ™',
  'CAFÉ®',
  'MAÇÃ®',
  'VILLÄ™',
  'MAÇÃ\u00a0VERDE',
  'MAÇÃ\u00a0verde',
  'ROMÃ’s',
  'ROMÃ–FIGO',
  'HORTELÃ—LIMÃO',
  'LÃ·SEDA',
  'NAÏ\u00a0:',
  'MAÇÃ‘ROMÃ’',
  'MAÇÃ“ROMÃ”',
  'ROMÃ°',
  'ROMÃº',
  'São João',
  'Ångström',
  'Âme d’été',
  'Île',
  'Ñandú',
  'Ромашка',
  '香',
  '«Été»',
])('%o is no mojibake', (name) => {
  expect(intendedText(name)).toBeUndefined();
});

test.each([
  ['CafÃ©', 'Café'],
  ['CAFÃ‰', 'CAFÉ'],
  [`Ã${'ƒ'.repeat(10)}Â©`, `Ã${'ƒ'.repeat(7)}©`],
])('%o is probably %o', (name, intended) => {
  expect(intendedText(name)).toBe(intended);
});

test('long texts are not checked', () => {
  expect(intendedText(`Ã${'ƒ'.repeat(20_000)}`)).toBeUndefined();
});

test.each([
  ['4.01235E+12', undefined, 'scientific'],
  ['4,01235E+12', undefined, 'scientific'],
  ['1E+15', '1000000000000000', 'scientific'],
  ['1.20E+06', '12E5', 'scientific'],
  ['08-Nov', '8-11', 'date'],
  ['8. Dez', undefined, 'date'],
  ['12-août', undefined, 'date'],
  ['May-07', undefined, 'date'],
  ['Mrz 07', undefined, 'date'],
  ['08/11/2026', undefined, 'date'],
  ['8.11.26', undefined, 'date'],
  ['2026-11-08', undefined, 'date'],
  ['2026-11-08 00:00:00', undefined, 'date'],
  ['978316148410012000', undefined, 'digits'],
  ['52', '0052', 'number'],
  ['1200000', '12E5', 'number'],
  ['1.1', '1.10', 'number'],
] as const)('the SKU %o, before %o, was probably changed', (sku, before, damage) => {
  expect(skuDamage(sku, before)).toBe(damage);
});

test.each([
  ['4.01235E+12', '4.01235E+12'],
  ['', undefined],
  ['', '12'],
  ['417', undefined],
  ['000417', '417A'],
  ['418', '417'],
  ['3-12', undefined],
  ['12E5', undefined],
  ['12-BLUE', undefined],
  ['45/67/8901', undefined],
  ['9783161484100', undefined],
  ['SLG-MAR', undefined],
] as const)('the SKU %o, before %o, is plausible', (sku, before) => {
  expect(skuDamage(sku, before)).toBeUndefined();
});
