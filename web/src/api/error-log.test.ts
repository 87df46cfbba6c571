import { problem } from '@test/fake-api';
import { beforeEach, expect, type Mock, test, vi } from 'vitest';
import { logFailedCall, logUnexpectedError } from './error-log';
import { ApiError, networkError, problemOf } from './errors';

let warnings: Mock;
let errors: Mock;

beforeEach(() => {
  warnings = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  errors = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});

test('a failed call is logged by status and code, without the text of the server', async () => {
  const errors = { email: ['jo@example.com has already been taken'] };
  const refused = await problemOf(problem(422, 'invalid', { detail: 'jo@example.com is not valid.', errors }));
  logFailedCall('Writing', refused);
  expect(warnings.mock.calls).toEqual([['Writing failed:', '422 invalid']]);
});

test('a call without a response is logged with its cause', () => {
  const cause = new TypeError('Failed to fetch');
  logFailedCall('Reading csps/all', networkError(cause));
  expect(warnings.mock.calls).toEqual([['Reading csps/all failed:', '0 network', cause]]);
});

test('an unexpected error is logged unchanged, with its cause', () => {
  const error = new Error('no list', { cause: new Error('no rows') });
  logUnexpectedError(error);
  expect(errors.mock.calls).toEqual([['Unexpected error:', error]]);
  expect(errors.mock.calls[0]?.[1]).toBe(error);
});

test('an error that two places report is logged once', () => {
  const error = networkError(undefined);
  logFailedCall('Reading session', error);
  logUnexpectedError(error);
  logFailedCall('Reading session', error);
  expect(warnings).toHaveBeenCalledTimes(1);
  expect(errors).not.toHaveBeenCalled();
});

test('a refused page is not logged, because it says so itself', () => {
  logUnexpectedError(new ApiError(403, 'forbidden', 'You do not have access to that page.'));
  expect(errors).not.toHaveBeenCalled();
});

test('values that are not errors are logged each time', () => {
  logUnexpectedError('thrown text');
  logUnexpectedError('thrown text');
  expect(errors).toHaveBeenCalledTimes(2);
});
