/** The version that the server writes into the page; undefined while the web's development server gives it out. */
export function appVersion(): string | undefined {
  const version = document.querySelector<HTMLMetaElement>('meta[name="app-version"]')?.content;
  return version && !version.startsWith('__') ? version : undefined;
}
