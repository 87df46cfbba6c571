import { t } from '@/i18n/en';
import type { Problem } from './schema.gen';

/** A call that did not succeed: what the server answered (RFC 9457), or status 0 when it could not be reached. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly fields: Record<string, string[]> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get isTransient(): boolean {
    return [0, 502, 503, 504].includes(this.status) && this.code !== 'list_limited';
  }
}

export function networkError(cause: unknown): ApiError {
  return new ApiError(0, 'network', t.errors.network, {}, { cause });
}

/** Reads the problem of an answer; a proxy may answer something else, so nothing in it is taken for granted. */
export async function problemOf(response: Response): Promise<ApiError> {
  const problem: Partial<Problem> = await response.json().catch(() => ({}));
  const message = problem?.detail || problem?.title || response.statusText || t.errors.unexpected;
  return new ApiError(response.status, problem?.code ?? 'unknown', message, problem?.errors ?? {});
}

/** The text to show for anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof ApiError ? error.message : t.errors.unexpected;
}

/** What is wrong with the fields that were sent, by their names; nothing when they are not to blame. */
export function fieldErrors(error: unknown): Record<string, string> {
  const fields = error instanceof ApiError ? error.fields : {};
  return Object.fromEntries(Object.entries(fields).map(([field, texts]) => [field, texts.join(' ')]));
}

/** Whether the server could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0;
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

export function isCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
