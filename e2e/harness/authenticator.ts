import { createHmac } from 'node:crypto';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_SECONDS = 30;

/** An authenticator app (RFC 6238) with the secret that the console shows. */
export class Authenticator {
  private readonly secret: Buffer;

  constructor(base32: string) {
    const bits = [...base32.replaceAll(' ', '')].map((c) => ALPHABET.indexOf(c).toString(2).padStart(5, '0')).join('');
    this.secret = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  }

  /** The code of now, or of a number of steps later. The console accepts one step, so that clocks may differ. */
  code(stepsLater = 0): string {
    const step = Buffer.alloc(8);
    step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + stepsLater));
    const digest = createHmac('sha1', this.secret).update(step).digest();
    const offset = (digest.at(-1) ?? 0) & 15;
    return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
  }
}
