import { person } from '@test/fake-user';
import { expect, test } from 'vitest';
import { check, isRequired } from './user-rules';
import { FIELDS, newUserValues, toInvitation, toUserForm, valuesOf } from './user-values';

const KNOWN = valuesOf(person());
const NEW = { ...KNOWN, password: 'Correct-1', passwordConfirmation: 'Correct-1' };
const INVITED = { isNew: true, csp: true };

test('all fields except company, business role, phone and state are required', () => {
  expect(FIELDS.filter((field) => !isRequired(field))).toEqual(['company', 'businessRole', 'phone', 'state']);
  const required = FIELDS.filter(isRequired).filter((field) => field !== 'passwordConfirmation');
  const expected = Object.fromEntries(required.map((field) => [field, 'Required']));
  expect(check(newUserValues([]), INVITED)).toEqual(expected);
});

test('the CSP is required only for a role of a CSP, and only from users who choose it', () => {
  expect(check({ ...KNOWN, csp: '' }, { isNew: false, csp: true })).toEqual({ csp: 'Required' });
  expect(check({ ...KNOWN, csp: '' }, { isNew: false, csp: false })).toEqual({});
});

test.each([
  ['jo', 'Must be an email address'],
  ['a b@c', 'Must be an email address'],
  ['', 'Required'],
  [' jo@example.com ', undefined],
])('the email %j has the error %s', (email, error) => {
  expect(check({ ...NEW, email }, INVITED).email).toBe(error);
});

test.each([
  [{ password: '', passwordConfirmation: '' }, { password: 'Required' }],
  [{ password: 'short' }, { password: expect.stringContaining('8 to 128'), passwordConfirmation: 'Does not match' }],
  [{ passwordConfirmation: 'correct-1' }, { passwordConfirmation: 'Does not match' }],
  [{}, {}],
])('the passwords %j have the errors %j', (part, errors) => {
  expect(check({ ...NEW, ...part }, INVITED)).toEqual(errors);
});

test('an existing user needs no password, nor does one who chooses it', () => {
  const none = { ...NEW, password: '', passwordConfirmation: '' };
  expect(check(none, { ...INVITED, ownPassword: true })).toEqual({});
  expect(check(KNOWN, { isNew: false, csp: true })).toEqual({});
});

test('the least privileged role is preselected', () => {
  expect(newUserValues([{ role: 'strong' }, { role: 'weak' }]).role).toBe('weak');
});

test('an update contains neither e-mail address nor password', () => {
  expect(Object.keys(toUserForm(NEW))).not.toEqual(expect.arrayContaining(['email', 'password']));
  expect(toInvitation(NEW)).toMatchObject({ email: 'jo@example.com', password: 'Correct-1', businessRole: '' });
  expect(toInvitation(NEW)).not.toHaveProperty('passwordConfirmation');
  expect(toInvitation(NEW, true)).toMatchObject({ ownPassword: true });
  expect(toInvitation(NEW, true)).not.toHaveProperty('password');
});
