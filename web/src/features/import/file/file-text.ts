/** The byte order marks of UTF-16. The decoder removes that of UTF-8 itself. */
const UTF_16 = [
  { mark: [0xff, 0xfe], encoding: 'utf-16le' },
  { mark: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;
/** Bytes without a character in Windows-1252. The browser's decoder would return control characters. */
const UNDEFINED_IN_WINDOWS_1252: ReadonlySet<number> = new Set([0x00, 0x81, 0x8d, 0x8f, 0x90, 0x9d]);

const ZIP = [0x50, 0x4b, 0x03, 0x04];
/** The container of Excel's format before 2007, and of XLSX workbooks with a password. */
const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/** The name of a stream in the container, in UTF-16. */
const ENCRYPTED_PACKAGE = [...'EncryptedPackage'].join('\0');

export type FileKind = 'text' | 'zip' | 'oldWorkbook' | 'encryptedWorkbook';

/** The kind of a file by its content, because names can be wrong. */
export function kindOf(bytes: Uint8Array): FileKind {
  if (startsWith(bytes, ZIP)) return 'zip';
  if (!startsWith(bytes, COMPOUND_FILE)) return 'text';
  return new TextDecoder('latin1').decode(bytes).includes(ENCRYPTED_PACKAGE) ? 'encryptedWorkbook' : 'oldWorkbook';
}

/** Decodes UTF-8, or UTF-16 with a byte order mark; undefined for other encodings. */
export function decodeUnicode(bytes: Uint8Array): string | undefined {
  const { encoding } = UTF_16.find(({ mark }) => startsWith(bytes, mark)) ?? { encoding: 'utf-8' };
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Decodes Windows-1252; undefined if a byte has no meaning in it. */
export function decodeWindows1252(bytes: Uint8Array): string | undefined {
  if (UTF_16.some(({ mark }) => startsWith(bytes, mark))) return undefined;
  if (bytes.some((byte) => UNDEFINED_IN_WINDOWS_1252.has(byte))) return undefined;
  return new TextDecoder('windows-1252').decode(bytes);
}

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, place) => bytes[place] === byte);
}
