import { isSeen, onSeen } from './browser';

/** Reads something again when asked to: one read at a time, and none while nobody sees it. */
export class Rereads {
  private due = false;
  private reading = false;
  private readonly forget: () => void;

  constructor(private readonly read: () => Promise<unknown>) {
    this.forget = onSeen(() => void this.run());
  }

  /** What is shown may not be true any more. */
  ask(): void {
    this.due = true;
    void this.run();
  }

  stop(): void {
    this.due = false;
    this.forget();
  }

  private async run(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    while (this.due && isSeen()) {
      this.due = false;
      await this.read();
    }
    this.reading = false;
  }
}
