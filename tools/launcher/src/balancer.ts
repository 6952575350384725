import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isOk } from './health.ts';
import { loopbackUrl } from './launch-plan.ts';

/** A port that balances connections over the gateway's replicas. */
export interface Balancer {
  readonly port: number;
  /** Closes the port and every connection. */
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Interval of checks: well below any useful DRAIN_DELAY_MS. */
const POLL_MS = 200;

/**
 * Listens on `port` of this machine, and passes each connection on to one of `targets`, ports of this machine, in turn. A
 * new connection goes only to a target whose `/readyz` returns 2xx; existing connections stay, whatever becomes of that.
 * If no target is ready, a connection is reset. It is meant for tests and experiments: one process, TCP only.
 */
export async function startBalancer(o: {
  readonly port: number;
  readonly targets: readonly number[];
}): Promise<Balancer> {
  const stopping = new AbortController();
  const ready = new Set<number>();
  const sockets = new Set<Socket>();
  let turn = 0;

  async function watch(target: number): Promise<void> {
    while (!stopping.signal.aborted) {
      if (await isOk(`${loopbackUrl(target)}/readyz`)) ready.add(target);
      else ready.delete(target);
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  /** A connection to one of the ready targets; undefined if none accepts it. */
  async function dial(): Promise<Socket | undefined> {
    turn += 1;
    const candidates = o.targets.filter((target) => ready.has(target));
    for (const index of candidates.keys()) {
      const target = candidates[(turn + index) % candidates.length] ?? 0;
      const socket = keep(connect({ host: HOST, port: target, noDelay: true, allowHalfOpen: true }));
      try {
        await once(socket, 'connect');
        return socket;
      } catch {
        // Removed since the last check.
        ready.delete(target);
      }
    }
    return undefined;
  }

  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // Both sides see a broken connection as closed.
    socket.on('error', () => undefined);
    return socket;
  }

  async function serve(near: Socket): Promise<void> {
    keep(near);
    const far = await dial();
    if (far === undefined) {
      near.resetAndDestroy();
      return;
    }
    near.pipe(far);
    far.pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
    if (near.destroyed) far.destroy();
  }

  const server = createServer(
    // Nothing is read from a client before there is a target.
    { noDelay: true, allowHalfOpen: true, pauseOnConnect: true },
    (near) => void serve(near),
  );
  server.listen({ host: HOST, port: o.port });
  await once(server, 'listening');
  const watching = Promise.all(o.targets.map(watch));
  return {
    port: (server.address() as AddressInfo).port, // a listening TCP server has an address of this type
    async stop() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, watching]);
    },
  };
}
