import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { HOST } from './loopback';

/** The event stream. A page reads again when its stream opens, so tests of pages without events block it. */
export const EVENTS = /^GET \/api\/events/;

interface Failure {
  match: RegExp;
  status: number;
  times?: number;
}

interface Exchange {
  /** Method and path with query, as matched by patterns. */
  call: string;
  socket: Duplex;
  /** The response of the target and the one to the client, once they have begun. */
  begun?: { response: IncomingMessage; answer: ServerResponse };
}

/**
 * A real proxy for HTTP and WebSocket with faults on demand. Patterns see `GET /path?query`. It stands between console
 * and cloud, or between browser and console.
 */
export class FaultProxy {
  private failures: Required<Failure>[] = [];
  private cuts: RegExp[] = [];
  private mutes: RegExp[] = [];
  private holds: { match: RegExp; released: Promise<void>; release: () => void }[] = [];
  private readonly open = new Set<Exchange>();
  private readonly sockets = new Set<Duplex>();
  private readonly calls: { call: string; authorization: string | undefined }[] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly host: string,
  ) {}

  /** Listens on a free port of a loopback host and forwards to `target`, which need not be reachable yet. */
  static async start(target: string, host = HOST): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, new URL(target), host);
    server.on('connection', (socket) => proxy.remember(socket));
    server.on('request', (incoming, answer) => void proxy.onRequest(incoming, answer));
    server.on('upgrade', (incoming, socket, head) => void proxy.onUpgrade(incoming, socket, head));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return proxy;
  }

  get url(): string {
    return `http://${this.host}:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers `times` matching calls (all by default) with this status, until the returned function is called. */
  fail({ match, status, times = Number.POSITIVE_INFINITY }: Failure): () => void {
    const failure = { match, status, times };
    this.failures.push(failure);
    return () => {
      failure.times = 0;
    };
  }

  /** Keeps matching calls waiting until the returned function is called. */
  hold(match: RegExp): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.holds.push({ match, released, release });
    return release;
  }

  /** Breaks matching requests in progress and refuses further ones until `heal`. */
  cut(match = /^/): void {
    this.cuts.push(match);
    for (const exchange of this.open) {
      if (match.test(exchange.call)) exchange.socket.destroy();
    }
  }

  /** Keeps the bytes of matching responses, also of further ones, until the returned function is called. Headers pass. */
  mute(match: RegExp): () => void {
    this.mutes.push(match);
    this.forward();
    return () => {
      this.mutes = this.mutes.filter((mute) => mute !== match);
      this.forward();
    };
  }

  /** Ends all faults. */
  heal(): void {
    this.failures = [];
    this.cuts = [];
    this.mutes = [];
    this.forward();
    for (const { release } of this.holds.splice(0)) release();
  }

  /** Ends all faults, and forgets all calls. */
  reset(): void {
    this.heal();
    this.calls.length = 0;
  }

  /** Number of matching calls so far, including refused ones. */
  count(match: RegExp): number {
    return this.calls.filter(({ call }) => match.test(call)).length;
  }

  /** Number of matching calls whose response has not ended, mainly streams. */
  countOpen(match: RegExp): number {
    return [...this.open].filter(({ call }) => match.test(call)).length;
  }

  /** The authorization header of the last matching call. */
  authorization(match: RegExp): string {
    const { authorization } = this.calls.findLast(({ call }) => match.test(call)) ?? {};
    if (!authorization) throw new Error(`no call that matches ${match} was authorised`);
    return authorization;
  }

  /**
   * The authorization header of the last sign-in, which is the newest one seen. The console's check of the cloud signs in, too, but
   * only to sign out.
   */
  newestAuthorization(): string {
    const calls = this.calls.filter(({ call }) => !call.includes('/sign_out'));
    const newest = [...new Set(calls.map(({ authorization }) => authorization))].findLast(Boolean);
    if (!newest) throw new Error('no call was authorised');
    return newest;
  }

  async stop(): Promise<void> {
    this.heal();
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async onRequest(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const status = await this.admit(incoming, incoming.socket);
    if (status === undefined) return;
    answer.once('close', () => this.forget(incoming.socket));
    if (status > 0) {
      incoming.resume();
      answer.writeHead(status, { 'content-type': 'application/json' }).end('{"error":"fault of the test"}');
      return;
    }
    const { hostname, port } = this.target;
    const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers: incoming.headers });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      // The headers of a stream must arrive before its first event.
      answer.flushHeaders();
      for (const exchange of this.open) if (exchange.socket === incoming.socket) exchange.begun = { response, answer };
      this.forward();
      response.on('error', () => answer.destroy());
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  private async onUpgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const status = await this.admit(incoming, socket);
    if (status === undefined) return;
    socket.once('close', () => this.forget(socket));
    if (status > 0) {
      socket.end(`HTTP/1.1 ${status} Fault\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
      return;
    }
    const onward: Socket = connect(Number(this.target.port), this.target.hostname);
    onward.write(headOf(incoming));
    onward.write(head);
    onward.pipe(socket).pipe(onward);
    this.remember(onward);
    for (const [end, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      end.on('error', () => other.destroy());
      end.on('close', () => other.destroy());
    }
  }

  /** Returns the status to answer with, 0 to forward the call, or undefined if the connection is cut. */
  private async admit(incoming: IncomingMessage, socket: Duplex): Promise<number | undefined> {
    const call = `${incoming.method} ${incoming.url}`;
    this.calls.push({ call, authorization: incoming.headers.authorization });
    this.open.add({ call, socket });
    await Promise.all(this.holds.filter(({ match }) => match.test(call)).map(({ released }) => released));
    if (socket.destroyed || this.cuts.some((match) => match.test(call))) {
      socket.destroy();
      this.forget(socket);
      return undefined;
    }
    const failure = this.failures.find(({ match, times }) => times > 0 && match.test(call));
    if (!failure) return 0;
    failure.times -= 1;
    return failure.status;
  }

  /** Forwards the responses that are not muted. */
  private forward(): void {
    for (const { call, begun } of this.open) {
      begun?.response.unpipe();
      if (this.mutes.some((mute) => mute.test(call))) begun?.response.pause();
      else begun?.response.pipe(begun.answer);
    }
  }

  private forget(socket: Duplex): void {
    for (const exchange of this.open) if (exchange.socket === socket) this.open.delete(exchange);
  }

  private remember(socket: Duplex): void {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
  }
}

function headOf(incoming: IncomingMessage): string {
  const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
    lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
