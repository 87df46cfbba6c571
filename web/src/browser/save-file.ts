/** A browser that asks for a location reads the file only after the answer. */
const KEPT_MS = 60_000;

/** Saves a file with the browser's download under this name. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
