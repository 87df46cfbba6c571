import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DeviceView } from '../../web/src/api/schema.gen';
import { publishReports } from './mqtt';
import { BINARY, type Sillage, stopProcess } from './sillage';

/** A simulated diffuser in its own process, which a test plugs in and pulls out. */
export class Diffuser {
  private child: ChildProcess | undefined;
  /** Whether the demo no longer knows its key, so that it cannot be plugged in. */
  hasAnotherKey = false;

  constructor(
    private readonly system: Sillage,
    readonly device: DeviceView,
  ) {}

  get dsn(): string {
    return this.device.dsn;
  }

  plugIn(): void {
    this.start(['--dsn', this.dsn, '--data', this.system.data]);
  }

  /** The cloud refuses it. Its key is written to this new file. */
  plugInWithWrongKey(file: string): void {
    writeFileSync(file, `dsn,key\n${this.dsn},${'0'.repeat(64)}\n`, { mode: 0o600 });
    this.start(['--keys', file]);
  }

  /** Sends reports as another firmware would, over a connection of its own. The diffuser gets another key for it. */
  async report(payloads: readonly string[]): Promise<void> {
    this.hasAnotherKey = true;
    const database = `sqlite:${join(this.system.data, 'cloud.db')}`;
    const command = ['cloud', 'device', 'rotate-key', this.dsn, '--database', database];
    const key = /Key +(\S+)/.exec(execFileSync(BINARY, command, { encoding: 'utf8' }))?.[1];
    if (!key) throw new Error(`${this.dsn} got no other key`);
    await publishReports(this.system.mqtt, this.dsn, key, payloads);
  }

  private start(options: string[]): void {
    const { mqtt, log } = this.system;
    const child = spawn(BINARY, ['simulate', ...options, '--link', mqtt, '--steady'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (text) => appendFileSync(log, text));
    process.once('exit', () => child.kill('SIGKILL'));
    this.child = child;
  }

  /** Keeps the connection, but neither receives nor sends until `thaw`. */
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
    // A stopped process cannot handle a signal.
    child.kill('SIGCONT');
    await stopProcess(child, 'SIGTERM', `sillage simulate ${this.dsn}`);
  }
}
