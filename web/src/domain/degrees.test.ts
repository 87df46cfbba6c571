import { expect, test } from 'vitest';
import { degreesText, parseDegrees } from './degrees';

test.each([
  ['', null],
  ['  ', null],
  ['0', 0],
  [' 41.8781 ', 41.8781],
  ['-87.629800', -87.6298],
  ['\u221287.6', -87.6],
  ['+.5', 0.5],
  ['90.', 90],
  ['41,8781', 41.8781],
  ['-,5', -0.5],
  ['1,041.8', Number.NaN],
  ['41,8,7', Number.NaN],
  ['41.8N', Number.NaN],
  ['1e3', Number.NaN],
  ['0x10', Number.NaN],
  ['-', Number.NaN],
  ['Infinity', Number.NaN],
])('%j is %d degrees', (text, degrees) => {
  expect(parseDegrees(text)).toBe(degrees);
});

test.each([
  [41.8781, '41.878100'],
  [-87.62981234567, '-87.629812'],
  [0, '0.000000'],
])('%d degrees are written as %s', (degrees, text) => {
  expect(degreesText(degrees)).toBe(text);
});
