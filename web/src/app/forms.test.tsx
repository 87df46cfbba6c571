import { fakeApi, ok, problem, session } from '@test/fake-api';
import { attentionItem, attentionPage } from '@test/fake-attention';
import { openCsps } from '@test/open-csps';
import { DSN, formDevice, openDeviceForm } from '@test/open-device-form';
import {
  closed,
  edit,
  MORNING,
  openSchedule,
  row,
  SUNDAY,
  scheduled,
  scheduleOf,
  submit,
  toggle,
} from '@test/open-schedule';
import { openUserForm } from '@test/open-user-form';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { t } from '@/i18n/en';

type Handlers = Parameters<typeof fakeApi>[0];
type App = { router: ReturnType<typeof renderApp>['router']; api: ReturnType<typeof fakeApi> };

interface Form {
  open: (handlers?: Handlers) => App;
  /** Opens its dialog. */
  start?: () => Promise<void>;
  /** The write, and the response that stores what was sent. */
  write: string;
  stored: (body: Record<string, unknown>) => Response;
  /** Enters another value, the first or the second one. */
  enter: (nth: 0 | 1) => Promise<void>;
  shows: (nth: 0 | 1) => Promise<void>;
  /** Enters more, if the second value is the stored one. */
  enterMore?: () => Promise<void>;
  /** Fills in everything else that is required. */
  fill?: () => Promise<void>;
  save: string;
  saved: string;
  /** It is not kept as a draft. */
  secret?: boolean;
  /** The field that another person changes, with the other value as it is shown; undefined for a new record or a secret. */
  others?: { field: string; value: string; shown: string };
}

const ACCOUNT = {
  firstname: 'Dana',
  lastname: 'Hill',
  city: 'Chicago',
  state: '',
  country: 'Norway',
  email: 'd@x.com',
};
const THRESHOLDS = {
  runsDryDays: 7,
  emptyPercent: 0,
  offlineMinutes: 30,
  neverConnectedDays: 3,
  noUseHours: 24,
  excessUsePercent: 200,
  commandMinutes: 60,
  levelJumpPercent: 50,
  disabled: [],
};
const view = (settings: object) => ({ csp: null, settings, defaults: THRESHOLDS, can: { edit: true } });
const NOTIFICATIONS = `GET /api/devices/dsns/${DSN}/notifications`;
const NOTIFICATION = {
  id: 'a1',
  method: 'email',
  recipient: 'jo@example.com',
  phone: null,
  events: { connected: '1/2', disconnected: null, lowProductLevel: null },
};
const CSP_ID = '6a0f3c0e-0000-4000-8000-000000000001';
const USER_ID = '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11';

function openAccount(tab: string, handlers: Handlers = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, can: [...session.can, 'attention.view'] }),
    'GET /api/account': () => ok(ACCOUNT),
    'GET /api/account/tokens': () => ok([]),
    'GET /api/csps/all': () => ok([]),
    'GET /api/attention/settings': () => ok(view(THRESHOLDS)),
    ...handlers,
  });
  return { api, ...renderApp(tab) };
}

/** A text field by its label. Fields of passwords have no role. */
const field = (label: string) =>
  screen.findByLabelText<HTMLInputElement>(new RegExp(`^${label}( \\*)?$`), { selector: 'input' });
const set = async (label: string, value: string) => void fireEvent.change(await field(label), { target: { value } });
const text = (label: string, values: readonly [string, string]) => ({
  enter: (nth: 0 | 1) => set(label, values[nth]),
  shows: async (nth: 0 | 1) => {
    await waitFor(async () => expect(await field(label)).toHaveValue(values[nth]));
  },
});

async function choose(label: string, option: string): Promise<void> {
  const input = await screen.findByRole('combobox', { name: label });
  await userEvent.click(input);
  const list = document.getElementById(input.getAttribute('aria-controls') ?? '');
  await userEvent.click(within(list as HTMLElement).getByRole('option', { name: option, hidden: true }));
}

const PASSKEY = { id: 'a', name: 'Work laptop', addedAt: '2026-11-20T12:00:00Z', lastUsedAt: null };
const COMMENTED = attentionItem();

/** Presses a button, that of a dialog if the page below has one of the same name. */
async function press(name: string): Promise<void> {
  const buttons = await screen.findAllByRole('button', { name });
  const [button = buttons[0]] = buttons.filter((one) => one.closest('[role="dialog"]'));
  await userEvent.click(button as HTMLElement);
}

const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));

const MODES = ['24/7', 'Run'] as const;
const NAMES = ['Inn', 'Lodge'] as const;
const PASSWORDS = ['Other-Horse-2', 'Third-Horse-3'] as const;
const STATES = ['Disabled Changed', 'Enabled Changed'] as const;

/** Switches a frame over. */
async function switchOver(number: number): Promise<void> {
  const dialog = await edit(number);
  await toggle(dialog);
  await submit(dialog);
  await closed();
}

const FORMS: Record<string, Form[]> = {
  'features/devices/form/DeviceForm.tsx': [
    {
      open: (handlers) => openDeviceForm(`/devices/${DSN}/edit`, handlers),
      write: `PUT /api/devices/dsns/${DSN}`,
      stored: ({ seen: _, ...body }) => ok(formDevice(body)),
      ...text('Customer', NAMES),
      save: 'Save',
      saved: 'Successfully updated device',
      others: { field: 'customer', value: 'Theirs', shown: 'Theirs' },
    },
    {
      open: (handlers) => openDeviceForm('/devices/add', handlers),
      write: 'POST /api/devices',
      stored: ({ latitude: _, longitude: __, ...body }) => ok(formDevice(body)),
      ...text('Customer', NAMES),
      fill: async () => {
        await set('Service Area', 'Lobby');
        await set('Serial Number', 'PL-20310');
        await set('DSN', DSN);
        await set('City', 'Oslo');
        await choose('CSP', 'AirCo');
        await choose('Fragrance', 'White Tea');
        await choose('Time Zone', 'America/Chicago');
        await choose('Country', 'Norway');
      },
      save: 'Save',
      saved: 'Successfully added device',
    },
  ],
  'features/users/form/UserForm.tsx': [
    {
      open: (handlers) => openUserForm(`/users/${USER_ID}`, handlers),
      write: `PUT /api/users/${USER_ID}`,
      stored: () => ok({ id: USER_ID }),
      ...text('First Name', NAMES),
      save: 'Save',
      saved: 'Successfully updated user',
      others: { field: 'firstname', value: 'Theirs', shown: 'Theirs' },
    },
    {
      open: (handlers) => openUserForm('/users/invite', handlers),
      write: 'POST /api/users',
      stored: () => ok({ id: USER_ID }),
      ...text('First Name', NAMES),
      fill: async () => {
        await set('Email', 'jo@example.com');
        await set('Last Name', 'Moss');
        await set('City', 'Oslo');
        await choose('CSP', 'AirCo');
        await choose('Country', 'Norway');
        await set('Password', 'Correct-1');
        await set('Confirm Password', 'Correct-1');
      },
      save: 'Invite User',
      saved: 'Successfully invited user',
    },
  ],
  'features/csps/form/CspForm.tsx': [
    {
      open: (handlers) => openCsps(`/csps/${CSP_ID}`, handlers),
      write: `PUT /api/csps/${CSP_ID}`,
      stored: ({ name }) => ok({ id: CSP_ID, name, deviceCount: 0, userCount: 0, isFree: true, can: { edit: true } }),
      ...text('Name', NAMES),
      save: 'Save',
      saved: 'Successfully updated CSP',
      others: { field: 'name', value: 'Theirs', shown: 'Theirs' },
    },
    {
      open: (handlers) => openCsps('/csps/add', handlers),
      write: 'POST /api/csps',
      stored: ({ name }) => ok({ id: CSP_ID, name, deviceCount: 0, userCount: 0, isFree: true, can: { edit: true } }),
      ...text('Name', NAMES),
      save: 'Save',
      saved: 'Successfully added CSP',
    },
  ],
  'features/account/profile/ProfileForm.tsx': [
    {
      open: (handlers) => openAccount('/account', handlers),
      write: 'PUT /api/account',
      stored: ({ seen: _, ...body }) => ok({ ...ACCOUNT, ...body }),
      ...text('City', NAMES),
      save: 'Save',
      saved: 'Successfully updated account',
      others: { field: 'city', value: 'Theirs', shown: 'Theirs' },
    },
  ],
  'features/attention/settings/AttentionSettingsForm.tsx': [
    {
      open: (handlers) => openAccount('/attention/settings', handlers),
      write: 'PUT /api/attention/settings',
      stored: ({ seen: _, ...body }) => ok(view({ ...THRESHOLDS, ...body })),
      ...text(t.attention.thresholds.offlineMinutes, ['45', '50']),
      save: 'Save',
      saved: t.attention.settingsSaved,
      others: { field: 'offlineMinutes', value: '77', shown: '77' },
    },
  ],
  'features/devices/schedule/ScheduleEditor.tsx': [
    {
      open: openSchedule,
      write: `PUT /api/devices/dsns/${DSN}/schedule`,
      stored: () => ok(scheduled({ schedule: scheduleOf({ 1: { ...MORNING, active: false }, 2: SUNDAY }) })),
      enter: () => switchOver(1),
      enterMore: () => switchOver(2),
      shows: (nth) => waitFor(async () => expect((await row(1))[1]).toBe(STATES[nth])),
      save: 'Save Schedule',
      saved: t.scheduleForm.saved,
      others: { field: '1', value: '1,1,9,21,6,0,11,59', shown: 'intensity 21' },
    },
  ],
  'features/devices/notifications/NotificationFields.tsx': [
    {
      open: (handlers) => openDeviceForm(`/devices/${DSN}`, { [NOTIFICATIONS]: () => ok([NOTIFICATION]), ...handlers }),
      start: () => press('Edit notification of jo@example.com'),
      write: `PUT /api/devices/dsns/${DSN}/notifications/a1`,
      stored: ({ recipient }) => ok({ notifications: [{ ...NOTIFICATION, recipient }], stale: false, undo: null }),
      ...text('Email', ['kim@example.com', 'lee@example.com']),
      save: 'Save',
      saved: t.notifications.saved,
      others: { field: 'recipient', value: 'theirs@example.com', shown: 'theirs@example.com' },
    },
    {
      open: (handlers) => openDeviceForm(`/devices/${DSN}`, { [NOTIFICATIONS]: () => ok([]), ...handlers }),
      start: async () => {
        await press('Add Notification');
        await choose('Method', t.notifications.methods.email);
      },
      write: `POST /api/devices/dsns/${DSN}/notifications`,
      stored: ({ recipient }) => ok({ notifications: [{ ...NOTIFICATION, recipient }], stale: false, undo: null }),
      ...text('Email', ['kim@example.com', 'lee@example.com']),
      fill: () => userEvent.click(screen.getByRole('checkbox', { name: /^Connected/ })),
      save: 'Save',
      saved: t.notifications.saved,
    },
  ],
  'features/devices/settings/SettingsDialog.tsx': [
    {
      open: (handlers) => openDeviceForm(`/devices/${DSN}`, handlers),
      start: () => press(t.device.settings),
      write: `PUT /api/devices/dsns/${DSN}/settings`,
      stored: ({ seen: _, ...body }) => ok(formDevice(body)),
      enter: async (nth) => userEvent.click(await screen.findByRole('radio', { name: MODES[nth] })),
      shows: async (nth) => {
        await waitFor(() => expect(screen.getByRole('radio', { name: MODES[nth] })).toBeChecked());
      },
      save: 'Save',
      saved: t.settings.saved,
      others: { field: 'mode', value: '1', shown: 'Off' },
    },
  ],
  'features/account/second-factor/PasskeyNameDialog.tsx': [
    {
      open: (handlers) =>
        openAccount('/account?tab=second-factor', {
          'GET /api/account/second-factor': () =>
            ok({ totpAddedAt: null, passkeys: [PASSKEY], passkeyDomain: null, recoveryCodes: 10 }),
          ...handlers,
        }),
      start: () => press('Rename passkey Work laptop'),
      write: 'PUT /api/account/second-factor/passkeys/a',
      stored: () => new Response(null, { status: 204 }),
      ...text('Name of the passkey', ['Phone', 'Tablet']),
      save: 'Rename',
      saved: t.passkeys.renamed,
    },
  ],
  'features/attention/item/CommentsDialog.tsx': [
    {
      open: (handlers) =>
        openAccount('/attention', {
          'GET /api/session': () => ok({ ...session, can: ['devices.view', 'attention.view', 'attention.edit'] }),
          'GET /api/attention': () => ok(attentionPage([COMMENTED])),
          'GET /api/attention/count': () => ok({ new: 1, high: 0, assigned: 0, snoozed: 0 }),
          [`GET /api/attention/${COMMENTED.id}/comments`]: () => ok([]),
          ...handlers,
        }),
      start: async () => {
        await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Runs dry soon, AC000W510000001' }));
        await press('Comment');
      },
      write: 'POST /api/attention/update',
      stored: () => ok({ items: [] }),
      enter: async (nth) =>
        void fireEvent.change(await screen.findByRole('textbox', { name: 'Comment' }), {
          target: { value: NAMES[nth] },
        }),
      shows: async (nth) => {
        await waitFor(() => expect(screen.getByRole('textbox', { name: 'Comment' })).toHaveValue(NAMES[nth]));
      },
      save: 'Comment',
      saved: t.attention.updated(1),
    },
  ],
  'features/account/sign-in/PasswordTab.tsx': [
    {
      open: (handlers) => openAccount('/account?tab=password', handlers),
      write: 'PUT /api/account/password',
      stored: () => ok(session),
      ...text('New password', PASSWORDS),
      fill: async () => {
        await set('Current password', 'Correct-Horse-1');
        await set('Confirm new password', PASSWORDS[0]);
      },
      save: 'Save',
      saved: t.account.passwordSaved,
      secret: true,
    },
  ],
  'features/account/tokens/TokenForm.tsx': [
    {
      open: (handlers) => openAccount('/account?tab=tokens', handlers),
      write: 'POST /api/account/tokens',
      stored: () => ok({ id: '1', name: 'a', rights: [], createdAt: '2026-11-20T12:00:00Z', token: 'sillage_07' }),
      ...text('Name', NAMES),
      fill: async () => {
        await userEvent.click(await screen.findByRole('checkbox', { name: 'Read devices' }));
        await set('Current password', 'Correct-Horse-1');
      },
      save: 'Create token',
      saved: t.account.tokenCreated,
      secret: true,
    },
  ],
};

/** Why the other components with a form or a question before leaving are not in the table. */
const OTHERS: Record<string, string> = {
  'features/auth/sign-in/SignInPage.tsx': 'begins a session',
  'features/auth/sign-in/SecondFactorForm.tsx': 'begins a session',
  'features/auth/password/ForgottenPasswordPage.tsx': 'signed out, one field',
  'features/auth/password/NewPasswordPage.tsx': 'signed out, ends with the page',
  'features/auth/confirm/TokenForm.tsx': 'signed out, the field of a link',
  'features/auth/confirm/ConfirmEmailPage.tsx': 'the field of a link and a password',
  'features/account/second-factor/FactorProofDialog.tsx': 'a proof in a dialog, nothing to keep',
  'features/account/second-factor/PasskeySetup.tsx':
    'ends with the dialog of the browser, asks before its name is lost',
  'features/account/second-factor/TotpSetup.tsx': 'shows a secret and asks before it is left: SecondFactorTab.test.tsx',
  'features/account/tokens/NewToken.tsx': 'shows a secret: TokensTab.test.tsx',
  'features/account/second-factor/RecoveryCodes.tsx': 'shows a secret: SecondFactorTab.test.tsx',
  'features/devices/copy/CopyEditor.tsx': 'starts a job',
  'features/devices/schedule/FrameFields.tsx': 'part of the schedule, asks below',
  'ui/list/FilterForm.tsx': 'saves nothing',
  'ui/list/ReportForm.tsx': 'saves nothing',
};

const SOURCES = import.meta.glob(['/src/**/*.tsx', '!/src/**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Record<string, string>;

test('every component with a form is in the table, or says why not', () => {
  const found = Object.entries(SOURCES)
    .filter(([, source]) => /<form\b|<LeaveGuard\b/.test(source))
    .map(([path]) => path.replace('/src/', ''));
  expect(found.toSorted()).toEqual([...Object.keys(FORMS), ...Object.keys(OTHERS)].toSorted());
});

test('every form that saves a record uses the hook of the others', () => {
  const users = Object.entries(SOURCES).filter(([, source]) =>
    /useRecordForm\(|useScheduleDraft\(|useSeenSettings\(/.test(source),
  );
  expect(users.map(([path]) => path.replace('/src/', '')).toSorted()).toEqual(Object.keys(FORMS).toSorted());
});

const TABLE = Object.entries(FORMS).flatMap(([path, forms]) => forms.map((form) => [path, form.write, form] as const));

test.each(TABLE)('%s, %s: what is typed during a save stays', async (_, write, form) => {
  const held = Promise.withResolvers<void>();
  const { api } = form.open({
    [write]: async ({ body }) => {
      await held.promise;
      return form.stored(body as Record<string, unknown>);
    },
  });
  await form.start?.();
  await form.enter(0);
  await form.fill?.();
  await press(form.save);
  await waitFor(() => expect(api.count(write)).toBe(1));
  await form.enter(1);
  held.resolve();
  expect(await screen.findByText((content) => content.startsWith(form.saved))).toBeVisible();
  await form.shows(1);
});

const SHARED = TABLE.filter(([, , form]) => form.others);

test.each(SHARED)('%s, %s: the change of another person is kept and shown', async (_, write, form) => {
  const { field, value, shown } = form.others ?? { field: '', value: '', shown: '' };
  const changed = { [field]: { value, by: 'admin@example.com', at: '2026-11-20T12:00:00Z' } };
  const { api } = form.open({ [write]: () => problem(409, 'changed', { detail: 'Changed.', changed }) });
  await form.start?.();
  await form.enter(0);
  await press(form.save);
  const notice = within(await screen.findByRole('region', { name: t.form.changed.title }));
  expect(notice.getAllByRole('definition')[0]).toHaveTextContent(shown);
  await form.shows(0);
  const [sent] = api.calls.filter(({ method, url }) => `${method} ${url.pathname}` === write);
  const body = sent?.body as { seen: object; frames?: { number: number }[] } | undefined;
  const { seen = {}, frames, ...changes } = body ?? {};
  // Only what the person changed, with what they saw.
  const isSent = ([, value]: [string, unknown]) => typeof value !== 'object' || Object.keys(value ?? {}).length > 0;
  const sentFields = Object.entries(changes)
    .filter(isSent)
    .map(([name]) => name);
  expect(frames?.map(({ number }) => String(number)) ?? sentFields).toEqual([field]);
  expect(Object.keys(seen)).toContain(field);
});

const DRAFTED = TABLE.filter(([, , { start, secret }]) => !start && !secret);

test.each(DRAFTED)('%s, %s: an explicit Leave deletes the draft', async (_, __, form) => {
  const { router } = form.open();
  await form.enter(0);
  await form.shows(0);
  await waitFor(() => expect(drafts()).toHaveLength(1));
  const { href } = router.state.location;
  void router.navigate({ to: '/about' });
  await press('Leave');
  // Until then the form is still there.
  await waitFor(() => expect(router.state.resolvedLocation?.pathname).toBe('/about'));
  expect(drafts()).toEqual([]);
  void router.navigate({ href });
  await waitFor(() => expect(router.state.location.href).toBe(href));
  expect(await screen.findByRole('button', { name: form.save })).toBeVisible();
  expect(screen.queryByText(t.form.restored)).toBeNull();
});

test.each(DRAFTED)('%s, %s: a save that ends after an explicit Leave stores no draft', async (_, write, form) => {
  const held = Promise.withResolvers<void>();
  const { api, router } = form.open({
    [write]: async ({ body }) => {
      await held.promise;
      return form.stored(body as Record<string, unknown>);
    },
  });
  await form.enter(0);
  await form.fill?.();
  await press(form.save);
  await waitFor(() => expect(api.count(write)).toBe(1));
  await (form.enterMore?.() ?? form.enter(1));
  void router.navigate({ to: '/about' });
  await press('Leave');
  held.resolve();
  expect(await screen.findByText((content) => content.startsWith(form.saved))).toBeVisible();
  expect(drafts()).toEqual([]);
});

test.each(TABLE)('%s, %s: leaving with unsaved input asks first', async (_, __, form) => {
  const { router } = form.open();
  await form.start?.();
  await form.enter(0);
  const { href } = router.state.location;
  void router.navigate({ to: '/about' });
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await press('Stay');
  expect(router.state.location.href).toBe(href);
  await form.shows(0);
});

type Opened = Pick<Form, 'enter' | 'shows'> & { open: () => Promise<unknown> };

/** The forms in dialogs, also those of parts of a record. */
const DIALOGS: [string, Opened][] = [
  ...TABLE.filter(([, , { start }]) => start).map(([path, write, form]): [string, Opened] => [
    `${path}, ${write}`,
    {
      ...form,
      open: async () => {
        form.open();
        await form.start?.();
      },
    },
  ]),
  [
    'features/devices/schedule/FrameFields.tsx',
    {
      open: async () => {
        openSchedule();
        await edit(1);
      },
      enter: async () => toggle(await screen.findByRole('dialog')),
      shows: async () => void expect(screen.getByRole('switch', { name: 'Enabled' })).not.toBeChecked(),
    },
  ],
];

test.each(DIALOGS)('%s: closing the dialog with unsaved input asks first', async (_, form) => {
  const question = { name: 'Leave without saving?' };
  await form.open();
  const dialog = await screen.findByRole('dialog');
  await form.enter(0);
  await userEvent.keyboard('{Escape}');
  expect(await screen.findByRole('dialog', question)).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog', question)).toBeNull());
  expect(dialog).toBeVisible();
  await form.shows(0);

  await userEvent.click(within(dialog).getByRole('button', { name: t.common.close }));
  expect(await screen.findByRole('dialog', question)).toBeVisible();
  await press('Leave');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
