import { fakePasskeys } from '@test/fake-passkeys';
import { expect, test, vi } from 'vitest';
import { askForPasskey, canUsePasskeysOf, createPasskey, PasskeyError } from './passkeys';

const credential = { toJSON: () => ({ id: 'AQ' }) };

test('options are parsed by the browser, and its answer becomes JSON', async () => {
  const { create, get } = fakePasskeys(() => Promise.resolve(credential));
  expect(await createPasskey({ challenge: 'AA' })).toEqual({ id: 'AQ' });
  expect(create).toHaveBeenCalledWith({ publicKey: { creation: { challenge: 'AA' } } });
  expect(await askForPasskey({ challenge: 'BB' })).toEqual({ id: 'AQ' });
  expect(get).toHaveBeenCalledWith({ publicKey: { request: { challenge: 'BB' } } });
});

const bytes = (...values: number[]) => Uint8Array.from(values).buffer;
const MANAGED = {
  id: '-_8',
  rawId: bytes(0xfb, 0xff),
  type: 'public-key',
  authenticatorAttachment: null,
  getClientExtensionResults: () => ({ credProps: { rk: true } }),
  toJSON: () => {
    throw new TypeError('Illegal invocation');
  },
};

test('a new passkey of a password manager that cannot be written as JSON is read', async () => {
  const response = {
    clientDataJSON: bytes(1),
    attestationObject: bytes(2, 3),
    getAuthenticatorData: () => bytes(4),
    getPublicKey: () => null,
    getPublicKeyAlgorithm: () => -7,
    getTransports: () => ['internal'],
  };
  fakePasskeys(() => Promise.resolve({ ...MANAGED, response }));
  expect(await createPasskey({})).toEqual({
    id: '-_8',
    rawId: '-_8',
    type: 'public-key',
    clientExtensionResults: { credProps: { rk: true } },
    response: {
      clientDataJSON: 'AQ',
      attestationObject: 'AgM',
      authenticatorData: 'BA',
      publicKeyAlgorithm: -7,
      transports: ['internal'],
    },
  });
});

test('a used passkey of a password manager that cannot be written as JSON is read', async () => {
  const response = {
    clientDataJSON: bytes(1),
    authenticatorData: bytes(2),
    signature: bytes(3),
    userHandle: bytes(4),
  };
  fakePasskeys(() => Promise.resolve({ ...MANAGED, response }));
  expect(await askForPasskey({})).toMatchObject({
    rawId: '-_8',
    response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw', userHandle: 'BA' },
  });
});

test.each([
  ['NotAllowedError', 'cancelled'],
  ['AbortError', 'cancelled'],
  ['InvalidStateError', 'known'],
  ['SecurityError', 'address'],
  ['NotSupportedError', 'unsupported'],
  ['UnknownError', 'failed'],
])('%s of the browser means %s', async (name, problem) => {
  fakePasskeys(() => Promise.reject(new DOMException('no', name)));
  await expect(createPasskey({})).rejects.toEqual(new PasskeyError(problem as PasskeyError['problem']));
});

test('no answer counts as cancelled', async () => {
  fakePasskeys(() => Promise.resolve(null));
  await expect(askForPasskey({})).rejects.toMatchObject({ problem: 'cancelled' });
});

test('passkeys are offered only on pages of their domain, by browsers that know them', async () => {
  vi.stubGlobal('location', new URL('https://console.example/account'));
  expect(canUsePasskeysOf('console.example')).toBe(false);
  await expect(createPasskey({})).rejects.toMatchObject({ problem: 'unsupported' });
  fakePasskeys(() => Promise.resolve(credential));
  expect(canUsePasskeysOf('console.example')).toBe(true);
  expect(canUsePasskeysOf('sillage.example')).toBe(false);
  expect(canUsePasskeysOf(null)).toBe(false);
});
