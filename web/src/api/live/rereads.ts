import { isVisible, onVisibility } from './browser';

/** Reads again on request: one read at a time, and only while the tab is visible. */
export class Rereads {
  private due = false;
  private reading = false;
  private readonly ignoreVisibility: () => void;

  constructor(private readonly read: () => Promise<unknown>) {
    this.ignoreVisibility = onVisibility(() => void this.run());
  }

  /** Requests a read, because the displayed data may be out of date. */
  request(): void {
    this.due = true;
    void this.run();
  }

  stop(): void {
    this.due = false;
    this.ignoreVisibility();
  }

  private async run(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    while (this.due && isVisible()) {
      this.due = false;
      await this.read();
    }
    this.reading = false;
  }
}
