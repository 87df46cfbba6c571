/** The version that the server writes into the page; undefined on the development server. */
export function appVersion(): string | undefined {
  const version = document.querySelector<HTMLMetaElement>('meta[name="app-version"]')?.content;
  return version && !version.startsWith('__') ? version : undefined;
}
