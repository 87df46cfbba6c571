import { vi } from 'vitest';

/** A browser that knows passkeys, and whose dialogs end like this. */
export function fakePasskeys(answer: () => Promise<unknown>) {
  const credentials = { create: vi.fn(answer), get: vi.fn(answer) };
  const parsers = {
    parseCreationOptionsFromJSON: (options: object) => ({ creation: options }),
    parseRequestOptionsFromJSON: (options: object) => ({ request: options }),
  };
  vi.stubGlobal('PublicKeyCredential', Object.assign(class {}, parsers));
  Object.defineProperty(globalThis.navigator, 'credentials', { value: credentials, configurable: true });
  return credentials;
}
