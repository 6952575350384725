import { createServer, connect } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/**
 * The state of a link:
 * - pass: bytes go through, `delayMs` later if it is set;
 * - refuse: nothing listens, and existing connections are reset;
 * - blackHole: connections are accepted and stay open, but no byte goes through;
 * - reset: every connection is accepted and reset.
 */
export type LinkState =
  | { readonly kind: 'pass'; readonly delayMs?: number }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'blackHole' }
  | { readonly kind: 'reset' };

/** A TCP path to a server on this machine that a test can break. */
export interface Link {
  /** Address to connect to instead of the target's. */
  readonly host: string;
  readonly port: number;
  /** Changes the state of all connections, including open ones. */
  set(state: LinkState): Promise<void>;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Listens on a free port of `host` and forwards connections to `port` of this machine, until the state is changed. */
export async function openLink(port: number, host = HOST): Promise<Link> {
  const pairs = new Set<Pair>();
  let state: LinkState = { kind: 'pass' };
  const server = createServer((socket) => {
    if (state.kind === 'reset') {
      socket.on('error', ignore);
      socket.resetAndDestroy();
      return;
    }
    const pair = new Pair(socket, port, state);
    pairs.add(pair);
    socket.once('close', () => pairs.delete(pair));
  });
  const own = await listen(server, 0, host);
  return {
    host,
    port: own,
    async set(next) {
      state = next;
      if (next.kind === 'refuse' || next.kind === 'reset') for (const pair of pairs) pair.reset();
      else for (const pair of pairs) pair.apply(next);
      if (next.kind === 'refuse') await stopListening(server);
      else if (!server.listening) await listen(server, own, host);
    },
    async close() {
      for (const pair of pairs) pair.reset();
      await stopListening(server);
    },
  };
}

/** One connection: the caller's socket and ours to the target. */
class Pair {
  readonly #near: Socket;
  readonly #far: Socket;
  #delayMs = 0;

  constructor(near: Socket, port: number, state: LinkState) {
    this.#near = near;
    this.#far = connect({ host: HOST, port, noDelay: true });
    near.setNoDelay(true);
    this.#pass(near, this.#far);
    this.#pass(this.#far, near);
    this.apply(state);
  }

  apply(state: LinkState): void {
    this.#delayMs = state.kind === 'pass' ? (state.delayMs ?? 0) : 0;
    for (const socket of [this.#near, this.#far]) {
      if (state.kind === 'blackHole') socket.pause();
      else socket.resume();
    }
  }

  reset(): void {
    this.#near.resetAndDestroy();
    this.#far.destroy();
  }

  #pass(from: Socket, to: Socket): void {
    // Timers with equal delays fire in the order of their start, so bytes stay in order.
    const later = (act: () => void): void => {
      if (this.#delayMs === 0) act();
      else setTimeout(act, this.#delayMs);
    };
    from.on('data', (bytes) => later(() => void to.write(bytes)));
    from.on('end', () => later(() => void to.end()));
    from.on('error', ignore);
    from.on('close', () => later(() => to.destroy()));
  }
}

/** Ignores errors: these links break connections on purpose, and their users see it on their own sockets. */
function ignore(): void {}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port); // a TCP server that listens has one
    });
  });
}

function stopListening(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => void server.close(() => resolve()));
}
