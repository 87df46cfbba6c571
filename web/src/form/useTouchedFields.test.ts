// @vitest-environment jsdom
import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useTouchedFields } from './useTouchedFields';

const START = { customer: 'Harbor', country: 'Norway', state: '', latitude: '1', longitude: '2' };

const touchedOf = () => renderHook((start) => useTouchedFields(start), { initialProps: START });

test('unchanged fields are not selected', () => {
  const { result } = touchedOf();
  expect(result.current(START)).toEqual({});
  expect(result.current({ ...START, customer: 'Inn' })).toEqual({ customer: 'Inn' });
});

test('a country is selected with its state, and a coordinate with the other one', () => {
  expect(touchedOf().result.current({ ...START, country: 'Sweden' })).toEqual({ country: 'Sweden', state: '' });
  expect(touchedOf().result.current({ ...START, state: 'Viken' })).toEqual({ state: 'Viken' });
  const moved = { latitude: '3', longitude: '2' };
  expect(touchedOf().result.current({ ...START, ...moved })).toEqual(moved);
});

test('fields of a failed save are selected again until the initial values change', () => {
  const { result, rerender } = touchedOf();
  result.current({ ...START, customer: 'Inn' });
  expect(result.current(START)).toEqual({ customer: 'Harbor' });
  const saved = { ...START, customer: 'Inn' };
  rerender(saved);
  expect(result.current(saved)).toEqual({});
});
