import type { CDPSession, Page } from '@playwright/test';

/** A device of Chromium that keeps passkeys and confirms each use by itself, as if the person touched a sensor. */
export class VirtualAuthenticator {
  private constructor(
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async connect(page: Page): Promise<VirtualAuthenticator> {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new VirtualAuthenticator(session, authenticatorId);
  }

  /** Whether the device recognises the person. */
  async recognise(isUserVerified: boolean): Promise<void> {
    await this.session.send('WebAuthn.setUserVerified', { authenticatorId: this.authenticatorId, isUserVerified });
  }

  /** Forgets all passkeys, like a device that was reset. */
  async forget(): Promise<void> {
    await this.session.send('WebAuthn.clearCredentials', { authenticatorId: this.authenticatorId });
  }
}
