/** The version of the web application that the server writes into the page; undefined on the development server. */
export const appVersion = (): string | undefined => writtenBy('app-version');

/** The version of the program that serves the page, with its commit if that is known; undefined on the development server. */
export const programVersion = (): string | undefined => writtenBy('program-version');

function writtenBy(name: string): string | undefined {
  const text = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
  return text && !text.startsWith('__') ? text : undefined;
}

/** The address of the demo's mailbox, which the server of a demo writes into the page. */
export function demoMailbox(): string | undefined {
  const address = document.querySelector<HTMLMetaElement>('meta[name="demo-mailbox"]')?.content;
  return address?.startsWith('http') ? address : undefined;
}
