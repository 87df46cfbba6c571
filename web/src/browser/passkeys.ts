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
  return toJson(credential as PublicKeyCredential);
}

/** Some password managers return credentials of their own, whose `toJSON` throws. */
function toJson(credential: PublicKeyCredential): Json {
  try {
    return { ...credential.toJSON() };
  } catch {
    return readCredential(credential);
  }
}

function readCredential(credential: PublicKeyCredential): Json {
  const { id, rawId, type, authenticatorAttachment } = credential;
  const answer = credential.response;
  const response =
    'attestationObject' in answer
      ? readAttestation(answer as AuthenticatorAttestationResponse)
      : readAssertion(answer as AuthenticatorAssertionResponse);
  return {
    id,
    rawId: base64Url(rawId),
    type,
    authenticatorAttachment: authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response: { clientDataJSON: base64Url(answer.clientDataJSON), ...response },
  };
}

function readAttestation(answer: AuthenticatorAttestationResponse): Json {
  const publicKey = answer.getPublicKey();
  return {
    attestationObject: base64Url(answer.attestationObject),
    authenticatorData: base64Url(answer.getAuthenticatorData()),
    publicKey: publicKey === null ? undefined : base64Url(publicKey),
    publicKeyAlgorithm: answer.getPublicKeyAlgorithm(),
    transports: answer.getTransports(),
  };
}

function readAssertion({ authenticatorData, signature, userHandle }: AuthenticatorAssertionResponse): Json {
  return {
    authenticatorData: base64Url(authenticatorData),
    signature: base64Url(signature),
    userHandle: userHandle === null ? undefined : base64Url(userHandle),
  };
}

function base64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
