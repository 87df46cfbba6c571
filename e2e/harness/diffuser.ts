import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import type { DeviceView } from '../../web/src/api/schema.gen';
import { BINARY, type Sillage, stopProcess } from './sillage';

/** One simulated diffuser in a process of its own, to be plugged in and pulled out. */
export class Diffuser {
  private child: ChildProcess | undefined;

  constructor(
    private readonly system: Sillage,
    readonly device: DeviceView,
  ) {}

  get dsn(): string {
    return this.device.dsn;
  }

  plugIn(): void {
    const { data, mqtt, log } = this.system;
    const child = spawn(BINARY, ['simulate', '--dsn', this.dsn, '--data', data, '--link', mqtt, '--steady'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (text) => appendFileSync(log, text));
    process.once('exit', () => child.kill('SIGKILL'));
    this.child = child;
  }

  /** Connected still, but deaf and dumb until `thaw`. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  async pullOut(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child) return;
    // Nobody frozen can answer a signal.
    child.kill('SIGCONT');
    await stopProcess(child, 'SIGTERM', `sillage simulate ${this.dsn}`);
  }
}
