import { t } from '@/i18n/en';
import type { ChangedField, Problem } from './schema.gen';

interface ApiErrorOptions extends ErrorOptions {
  /** For a 409, the fields that another person changed meanwhile. */
  changed?: Record<string, ChangedField>;
}

/** A failed call: the problem of the response (RFC 9457), or status 0 if the server was unreachable. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly changed: Record<string, ChangedField>;

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string[]> = {},
    { changed = {}, ...options }: ApiErrorOptions = {},
  ) {
    super(message, options);
    this.changed = changed;
  }

  get isTransient(): boolean {
    return [0, 502, 503, 504].includes(this.status) && this.code !== 'list_limited';
  }
}

export function networkError(cause: unknown): ApiError {
  return new ApiError(0, 'network', t.errors.network, {}, { cause });
}

/** Reads the problem of a response. A proxy may send any other body, so nothing is assumed about it. */
export async function problemOf(response: Response): Promise<ApiError> {
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const message = problem?.detail || problem?.title || response.statusText || t.errors.unexpected;
  return new ApiError(response.status, problem?.code ?? 'unknown', message, problem?.errors ?? {}, {
    changed: problem?.changed,
  });
}

/** The text to display for a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : t.errors.unexpected;
}

/** Field errors by name; empty if the error is not about fields. */
export function fieldErrors(error: unknown): Record<string, string> {
  const fields = error instanceof ApiError ? error.fields : {};
  return Object.fromEntries(Object.entries(fields).map(([field, texts]) => [field, texts.join(' ')]));
}

/** The fields that another person changed meanwhile, by name; empty for other errors. */
export function changedFields(error: unknown): Record<string, ChangedField> {
  return error instanceof ApiError ? error.changed : {};
}

/** Whether nothing answered behind the address of the server: no network, or a proxy alone. */
export function hasNoAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.isTransient;
}

/** Whether the server was unreachable. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
