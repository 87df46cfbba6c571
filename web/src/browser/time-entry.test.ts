import { expect, test } from 'vitest';
import { type Half, readTime, tidyTime, timeEntry, typedHalf } from './time-entry';

test.each([
  [0, 0, '12:00', 'AM'],
  [0, 59, '12:59', 'AM'],
  [1, 5, '1:05', 'AM'],
  [11, 59, '11:59', 'AM'],
  [12, 0, '12:00', 'PM'],
  [13, 0, '1:00', 'PM'],
  [23, 59, '11:59', 'PM'],
])('%i h %i min is %s %s', (hour, minute, text, half) => {
  expect(timeEntry({ hour, minute })).toEqual({ text, half });
});

test('every minute of the day can be read back', () => {
  for (let at = 0; at < 24 * 60; at += 1) {
    const time = { hour: Math.floor(at / 60), minute: at % 60 };
    expect(readTime(timeEntry(time))).toEqual(time);
  }
});

test.each<[string, Half | undefined, string]>([
  ['8', 'AM', '8:0'],
  ['8', 'PM', '20:0'],
  ['830', 'PM', '20:30'],
  ['0830', 'AM', '8:30'],
  ['1230', 'AM', '0:30'],
  ['8.30', 'AM', '8:30'],
  [' 8:30 ', 'AM', '8:30'],
  ['8:30pm', 'AM', '20:30'],
  ['8:30 a.m.', 'PM', '8:30'],
  ['12 p', 'AM', '12:0'],
  ['20:30', 'AM', '20:30'],
  ['0:30', 'PM', '0:30'],
  ['00:00', 'PM', '0:0'],
  ['23:59', 'AM', '23:59'],
  ['8:30', undefined, '8:30'],
  ['12:00', undefined, '12:0'],
  ['0:00', undefined, '0:0'],
  ['20:30', undefined, '20:30'],
  ['8:30 pm', undefined, '20:30'],
])('%j with %s is %s', (text, half, time) => {
  const { hour, minute } = readTime({ text, half }) ?? {};
  expect(`${hour}:${minute}`).toBe(time);
});

test.each([
  '',
  ' ',
  '25:00',
  '24:00',
  '2400',
  '8:60',
  '860',
  '8:5',
  ':30',
  '-1:00',
  '8:30:00',
  '12345',
  'noon',
  '８:30',
])('%j is no time, and stays as it was typed', (text) => {
  expect(readTime({ text, half: 'AM' })).toBeUndefined();
  expect(tidyTime({ text, half: 'AM' })).toEqual({ text, half: 'AM' });
});

test.each<[string, Half, Half]>([
  ['12', 'AM', 'PM'],
  ['12:00', 'AM', 'PM'],
  ['12.30', 'AM', 'PM'],
  ['1200', 'AM', 'PM'],
  [' 12:5', 'AM', 'PM'],
  ['1', 'AM', 'AM'],
  ['123', 'AM', 'AM'],
  ['11:59', 'AM', 'AM'],
  ['12 am', 'AM', 'AM'],
  ['1', 'PM', 'PM'],
])('%j typed after %s is %s', (text, before, half) => {
  expect(typedHalf(text, before)).toBe(half);
});

test('a valid time is written in the standard form', () => {
  expect(tidyTime({ text: '20.30', half: 'AM' })).toEqual({ text: '8:30', half: 'PM' });
});
