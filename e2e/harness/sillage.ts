import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultProxy } from './fault-proxy';
import { freeAddress, HOST } from './loopback';
import { inRepository } from './repository';

/** The tested binary; benchmarks use an optimised one. */
export const BINARY = inRepository(process.env.SILLAGE_BINARY ?? 'target/debug/sillage');

const LOG_LINES_SHOWN = 60;

/** An account in the ready file. */
export interface Account {
  role: string | null;
  email: string;
  password: string;
  csp: string | null;
}

interface Ready {
  console: string;
  cloud: string;
  mqtt: string;
  accounts: Account[];
  /** The page with all messages to people. */
  mailbox: string;
  /** Serial numbers of devices in stock. */
  stock: string[];
}

interface Options {
  devices: number;
  seed: number;
  /** Diffusers that are not simulated until a test plugs one in. */
  unplugged: string[];
  /** The maintenance message. */
  maintenance?: string;
}

/** `sillage demo`, in a folder of its own, with a fault proxy between its console and its cloud. */
export class Sillage {
  private child: ChildProcess | undefined;
  private ready: Ready | undefined;
  private stockClaimed = 0;

  private constructor(
    private readonly options: Options,
    private readonly folder: string,
    /** Host and port of the cloud, known before it starts. */
    private readonly cloud: string,
    /** The proxy between console and cloud. */
    readonly cloudProxy: FaultProxy,
  ) {}

  static async start(options: Options): Promise<Sillage> {
    const folder = mkdtempSync(join(tmpdir(), 'sillage-e2e-'));
    const cloud = await freeAddress();
    const system = new Sillage(options, folder, cloud, await FaultProxy.start(`http://${cloud}`));
    process.once('exit', () => {
      system.child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    });
    try {
      await system.run();
      await system.requireWebApplication();
    } catch (error) {
      await system.cloudProxy.stop();
      throw error;
    }
    return system;
  }

  get console(): string {
    return this.whenReady.console;
  }

  get mqtt(): string {
    return this.whenReady.mqtt;
  }

  get accounts(): Account[] {
    return this.whenReady.accounts;
  }

  get mailbox(): string {
    return this.whenReady.mailbox;
  }

  /** The dsn of a device in stock that only one test adds. */
  claimStock(): string {
    const dsn = this.whenReady.stock[this.stockClaimed];
    if (!dsn) throw new Error('the stock of the demo is used up');
    this.stockClaimed += 1;
    return dsn;
  }

  /** Writes a value of a device at the cloud, with the authorization of the last matching call of the console. */
  async writeValue(dsn: string, property: string, value: number, match: RegExp): Promise<void> {
    const { cloud } = this.whenReady;
    const headers = { authorization: this.cloudProxy.authorization(match), 'content-type': 'application/json' };
    const body = JSON.stringify({ datapoint: { value } });
    const path = `/apiv1/dsns/${dsn}/properties/${property}/datapoints.json`;
    const answer = await fetch(`${cloud}${path}`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the cloud answered ${answer.status} to a value of ${property}`);
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** The log of all starts so far. */
  get log(): string {
    return join(this.folder, 'log');
  }

  /** Ends the cloud session of the last sign-in, which revokes its tokens. */
  async revokeNewestTokens(): Promise<void> {
    const { cloud } = this.whenReady;
    // The last call may be one of the service account.
    const headers = { authorization: this.cloudProxy.newestAuthorization(), 'content-type': 'application/json' };
    const answer = await fetch(`${cloud}/users/sign_out.json`, { method: 'POST', headers, body: '{"user":{}}' });
    if (!answer.ok) throw new Error(`the cloud answered ${answer.status} when it was to end a session`);
  }

  /** Asks the cloud for a new address of the person of the last sign-in. It takes effect when it is confirmed. */
  async requestEmail(email: string): Promise<void> {
    const { cloud } = this.whenReady;
    const headers = { authorization: this.cloudProxy.newestAuthorization(), 'content-type': 'application/json' };
    const body = JSON.stringify({ email });
    const answer = await fetch(`${cloud}/users/update_email.json`, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(`the cloud answered ${answer.status} to a new address`);
  }

  /** Kills the process without a shutdown, like a power cut. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Starts again on the same data and the same ports. */
  async restart(): Promise<void> {
    await this.run();
  }

  /** Ends the process like Ctrl-C. */
  async stop(): Promise<void> {
    await this.end('SIGINT');
    await this.cloudProxy.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get whenReady(): Ready {
    if (!this.ready) throw new Error('sillage has not been started');
    return this.ready;
  }

  private async run(): Promise<void> {
    const file = join(this.folder, 'ready.json');
    rmSync(file, { force: true });
    const child = spawn(BINARY, this.arguments(file), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const log = createWriteStream(this.log, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    await this.untilThere(file, child);
    this.ready = JSON.parse(readFileSync(file, 'utf8'));
  }

  /** Without the application, each test would wait for its page until its limit. */
  private async requireWebApplication(): Promise<void> {
    const answer = await fetch(this.console);
    if (!answer.ok) throw new Error(`the console answered ${answer.status}: ${await answer.text()}`);
  }

  private arguments(readyFile: string): string[] {
    const { devices, seed, unplugged, maintenance } = this.options;
    return [
      'demo',
      ...['--data', this.data],
      ...['--listen', this.ready ? new URL(this.ready.console).host : `${HOST}:0`],
      ...['--cloud-listen', this.cloud],
      ...['--cloud-url', this.cloudProxy.url],
      ...['--mqtt-listen', this.ready ? new URL(this.ready.mqtt).host : `${HOST}:0`],
      ...['--devices', String(devices)],
      ...['--seed', String(seed)],
      ...['--ready-file', readyFile],
      // Diffusers go offline only when a test pulls them out.
      '--steady',
      ...unplugged.flatMap((dsn) => ['--unplugged', dsn]),
      ...(maintenance ? ['--maintenance-message', maintenance] : []),
    ];
  }

  private async untilThere(file: string, child: ChildProcess): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string) => {
        child.kill('SIGKILL');
        done(() => reject(new Error(`sillage ${why}. Its log ends:\n${this.endOfLog()}`)));
      };
      const done = (settle: () => void) => {
        watcher.close();
        child.removeAllListeners();
        settle();
      };
      const watcher = watch(this.folder, () => existsSync(file) && done(resolve));
      child.once('error', (error) => fail(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => fail(`ended with ${signal ?? code} before it was ready`));
    });
  }

  private async end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (child) await stopProcess(child, signal, `sillage demo (log: ${this.log})`);
  }

  private endOfLog(): string {
    const lines = existsSync(this.log) ? readFileSync(this.log, 'utf8').trimEnd().split('\n') : [];
    return lines.slice(-LOG_LINES_SHOWN).join('\n');
  }
}

/** Sends the signal and waits for the end. Throws if the process was killed otherwise or ended with an error. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals, name: string): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) {
    throw new Error(`${name} had already ended with ${child.signalCode ?? child.exitCode}`);
  }
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  await ended;
  if (child.signalCode !== null && child.signalCode !== signal) {
    throw new Error(`${name} ended with ${child.signalCode} on ${signal}`);
  }
  if (child.exitCode) throw new Error(`${name} ended with ${child.exitCode} on ${signal}`);
}
