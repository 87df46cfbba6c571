/** The version that the server writes into the page; undefined on the development server. */
export function appVersion(): string | undefined {
  const version = document.querySelector<HTMLMetaElement>('meta[name="app-version"]')?.content;
  return version && !version.startsWith('__') ? version : undefined;
}

/** The address of the demo's mailbox, which the server of a demo writes into the page. */
export function demoMailbox(): string | undefined {
  const address = document.querySelector<HTMLMetaElement>('meta[name="demo-mailbox"]')?.content;
  return address?.startsWith('http') ? address : undefined;
}
