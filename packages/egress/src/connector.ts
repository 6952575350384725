import { isIP } from 'node:net';
import type { LookupFunction, Socket } from 'node:net';
import { buildConnector } from 'undici';
import { normalizeHost } from './address.ts';
import type { AddressPolicy } from './address.ts';
import { EgressError } from './error.ts';
import type { Resolve } from './resolver.ts';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';

const CONNECT_TIMEOUT_MS = 10_000;

/** Returns the checked addresses that a connection to `host` may use; throws address_blocked if there are none. */
export type VetHost = (host: string, port: number, signal: AbortSignal) => Promise<readonly string[]>;

/** Resolves a host and keeps the allowed addresses. */
export function createVetHost(o: {
  readonly policy: AddressPolicy;
  readonly resolve: Resolve;
  readonly log: Logger;
}): VetHost {
  return async (host, port, signal) => {
    const name = normalizeHost(host);
    const addresses = isIP(name) === 0 ? await o.resolve(name, signal) : [name];
    const allowed = addresses.filter((address) => o.policy.isAllowed(name, port, address));
    if (allowed.length > 0) return allowed;
    o.log.warn({ host: name, port }, 'refused to connect to a blocked address');
    throw new EgressError('address_blocked', `Calls to ${name} are not allowed: ${o.policy.refusal}.`);
  };
}

/**
 * A connector for undici that connects only to checked addresses. It connects to exactly the address that it checked:
 * there is no second look-up that a name server could answer differently. `signal` ends it at any step; `onConnect`
 * gets each socket before undici does.
 */
export function createConnector(o: {
  readonly vetHost: VetHost;
  readonly signal: AbortSignal;
  readonly onConnect: (socket: Socket) => void;
}): buildConnector.connector {
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const connect = async (): Promise<void> => {
      const either = AbortSignal.any([o.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
      const addresses = await o.vetHost(options.hostname, port, either);
      o.signal.throwIfAborted();
      const dial = buildConnector({
        timeout: CONNECT_TIMEOUT_MS,
        allowH2: false,
        maxCachedSessions: 0,
        autoSelectFamily: true,
        lookup: fixedLookup(addresses),
      });
      // undici returns the socket at once, which its types omit.
      const socket = dial(options, (...result) => {
        // Called without a second argument after a failure, despite the types.
        if (result[0] === null) o.onConnect(result[1]);
        callback(...result);
      }) as unknown as Socket;
      const abort = (): void => void socket.destroy();
      o.signal.addEventListener('abort', abort, { once: true });
      socket.once('close', () => o.signal.removeEventListener('abort', abort));
    };
    connect().catch((error: unknown) => fail(error, callback));
  };
}

function fail(error: unknown, callback: buildConnector.Callback): void {
  callback(error instanceof Error ? error : new Error(String(error)), null);
}

/** A look-up for `net.connect` that always returns the given addresses. */
export function fixedLookup(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all === true) callback(null, answers);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}
