/** The browser's side of passkeys (WebAuthn), with its options and results as JSON. */

/** The options or the result of the browser, as JSON. */
type Json = Record<string, unknown>;

/** Why the browser did not create or use a passkey. */
export type PasskeyProblem = 'cancelled' | 'known' | 'address' | 'unsupported' | 'failed';

export class PasskeyError extends Error {
  constructor(readonly problem: PasskeyProblem) {
    super(problem);
  }
}

const PROBLEMS: Record<string, PasskeyProblem> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'known',
  SecurityError: 'address',
  NotSupportedError: 'unsupported',
  ConstraintError: 'unsupported',
};

/** Whether this browser knows passkeys, with options as JSON. They need https, or the own machine. */
export function knowsPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential;
}

/** Whether passkeys of this domain can be used on this page. `null` if the server's address permits none. */
export function canUsePasskeysOf(domain: string | null): boolean {
  return domain === location.hostname && knowsPasskeys();
}

/** Asks the person to create a passkey. Throws `PasskeyError`. */
export function createPasskey(options: Json): Promise<Json> {
  return asJson(() =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON,
      ),
    }),
  );
}

/** Asks the person to use a passkey. Throws `PasskeyError`. */
export function askForPasskey(options: Json): Promise<Json> {
  return asJson(() =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON,
      ),
    }),
  );
}

async function asJson(ask: () => Promise<Credential | null>): Promise<Json> {
  if (!knowsPasskeys()) throw new PasskeyError('unsupported');
  let credential: Credential | null;
  try {
    credential = await ask();
  } catch (error) {
    throw new PasskeyError(PROBLEMS[String(Object(error).name)] ?? 'failed');
  }
  if (credential === null) throw new PasskeyError('cancelled');
  return { ...(credential as PublicKeyCredential).toJSON() };
}
