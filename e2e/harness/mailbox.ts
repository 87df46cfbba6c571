import type { APIRequestContext } from '@playwright/test';
import { expect } from '@playwright/test';

/** Reads the page with the demo's messages without a browser. */
export class Mailbox {
  constructor(
    private readonly request: APIRequestContext,
    private readonly address: string,
  ) {}

  /** Waits for `count` messages to this address and returns the link in the newest one. */
  async link(recipient: string, count = 1): Promise<string> {
    let messages: string[] = [];
    await expect
      .poll(async () => {
        messages = await this.messagesTo(recipient);
        return messages.length;
      })
      .toBe(count);
    const text = await this.read(new URL(messages[0] ?? '', this.address).href);
    const [, link] = /class="link" href="([^"]+)"/.exec(text) ?? [];
    if (!link) throw new Error(`the message to ${recipient} has no link`);
    return link.replaceAll('&#x2f;', '/');
  }

  /** Addresses of the messages to this recipient, newest first. */
  async messagesTo(recipient: string): Promise<string[]> {
    return (await this.itemsTo(recipient)).map((item) => /href="([^"]+)"/.exec(item)?.[1] ?? '');
  }

  /** Subjects of the messages to this recipient, newest first. */
  async subjectsTo(recipient: string): Promise<string[]> {
    return (await this.itemsTo(recipient)).map((item) => /class="subject">([^<]*)</.exec(item)?.[1] ?? '');
  }

  private async itemsTo(recipient: string): Promise<string[]> {
    const [, ...items] = (await this.read(this.address)).split('<li>');
    return items.filter((item) => item.includes(`>${recipient}<`));
  }

  private async read(address: string): Promise<string> {
    const answer = await this.request.get(address);
    if (!answer.ok()) throw new Error(`the mailbox answered ${answer.status()}`);
    return (await answer.text()).replaceAll('&#x2f;', '/');
  }
}
