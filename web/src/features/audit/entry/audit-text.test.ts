import { auditEntry } from '@test/fake-audit';
import { expect, test } from 'vitest';
import { setTimeFormat } from '@/browser/time';
import { missingFrame } from '@/domain/schedule-text';
import { fieldText, valueText } from '@/form/changes/change-text';
import { t } from '@/i18n/en';
import { authorDetails, authorText, entryText, operationText } from './audit-text';

const frame = { ...missingFrame(3), active: true, dayOfTheWeek: 9, intensity: 25, startHour: 9, stopHour: 17 };

test.each([
  ['mode', 4, 'Run'],
  ['cycle', 3, 'Normal (7 Min)'],
  ['fan', 0, 'Off'],
  ['fan', 2, '2'],
  ['systemConfiguration', 'AQ290', 'AQ200 Series 500 mL'],
  ['systemConfiguration', 'NEW1', 'NEW1'],
  ['customer', 'Hotel <b>Aurora</b>', 'Hotel <b>Aurora</b>'],
  ['customer', null, 'none'],
  ['latitude', 59.911491, '59.911491'],
  ['schedule.3', missingFrame(3), 'Inactive'],
  ['later', { some: 'thing' }, '{"some":"thing"}'],
])('%s %j reads %s', (field, value, text) => {
  expect(valueText(field, value)).toBe(text);
});

test.each([
  ['fan', 'Fan Speed'],
  ['storeNumber', 'Store Number'],
  ['lowProductLevel', 'Low Product Level'],
  ['businessRole', 'Business Role'],
  ['name', 'Name'],
])('the field %s has the label %s', (field, label) => {
  expect(fieldText(field)).toBe(label);
});

test("a frame is described in the user's time format", () => {
  setTimeFormat('24hour');
  expect(valueText('schedule.3', frame)).toBe('Weekdays, 09:00 – 17:00, intensity 25');
  expect(fieldText('schedule.3')).toBe('Schedule 3');
  expect([fieldText('recipient.a1'), valueText('recipient.a1', 'email')]).toEqual(['Recipient', 'Email']);
});

test('codes of a newer server are shown unchanged', () => {
  expect([operationText('paint_device'), fieldText('color')]).toEqual(['paint_device', 'color']);
});

test('a hidden actor is shown by role', () => {
  expect(authorText(auditEntry())).toBe('tech@example.com');
  expect(authorDetails(auditEntry())).toEqual({ role: 'CSP Technician, North', place: 'Safari on iPhone, 192.0.2.7' });
  const actor = { userId: null, email: null, roleName: 'Admin', csp: null, address: null, browser: null };
  expect(authorText(auditEntry({ actor }))).toBe('Admin');
  expect(authorDetails(auditEntry({ actor }))).toEqual({ role: t.audit.nobodyKnown, place: '' });
});

test('an actor who was not signed in is described by their mail', () => {
  const nobody = { userId: null, email: null, roleName: null, csp: null, address: '192.0.2.7', browser: null };
  const entry = auditEntry({ actor: nobody });
  expect([authorText(entry), authorDetails(entry).place]).toEqual([t.audit.byMail, '192.0.2.7']);
});

test('grouped refused sign-ins show their number and no author', () => {
  const actor = { userId: null, email: null, roleName: null, csp: null, address: '192.0.2.7', browser: null };
  const refused = { actor, operation: 'create_session', result: 'failed', code: 'sign_in_failed' } as const;
  expect(entryText(auditEntry(refused))).toBe('Refused sign-in');
  expect(entryText(auditEntry({ ...refused, occurrences: 1200 }))).toBe('1,200 refused sign-ins within an hour');
  expect([authorText(auditEntry(refused)), authorDetails(auditEntry(refused)).place]).toEqual([
    'Not signed in',
    '192.0.2.7',
  ]);
  expect(entryText(auditEntry({ operation: 'create_session' }))).toBe('Signed in');
});
