/** Where the messages of a demo can be read, if this is one: its server writes the address into the page. */
export function demoMailbox(): string | undefined {
  const address = document.querySelector<HTMLMetaElement>('meta[name="demo-mailbox"]')?.content;
  return address?.startsWith('http') ? address : undefined;
}
