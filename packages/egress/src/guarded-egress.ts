import net from 'node:net';
import { createAddressPolicy, createNetworkPolicy, normalizeHost } from './address.ts';
import type { EgressRules, NetworkRules } from './address.ts';
import { createVetHost, fixedLookup } from './connector.ts';
import { decodeBody, tooLarge } from './decode.ts';
import type { Egress, EgressRequest, EgressResponse } from './egress.ts';
import { toEgressError } from './error.ts';
import { createFetch } from './fetch.ts';
import { receive } from './receive.ts';
import { REDIRECT_LIMIT, nextHop, tooManyRedirects } from './redirect.ts';
import { createResolver, resolveAsMachine } from './resolver.ts';
import type { Resolve } from './resolver.ts';
import { SocketPool } from './socket-pool.ts';
import type { SocketLimits } from './socket-pool.ts';
import { observeEgress } from './telemetry.ts';
import { vetUrl } from './url.ts';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { createTimedSignal } from '@fairlead/service-kit/timed-signal';

const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;
/** The chunked coding adds to the size of the body. */
const WIRE_FACTOR = 1.5;
/** Room for headers and framing, however small the requested part of the body is. */
const MIN_WIRE_BYTES = 128 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Creates the guarded client. `allow` is the operator's list (see createAddressPolicy), or the rules of a program inside a
 * network, which resolves names as its machine does; tests replace DNS by `resolve` and set other `limits`.
 */
export function createGuardedEgress(o: {
  readonly allow: EgressRules;
  readonly userAgent: string;
  readonly log: Logger;
  readonly resolve?: Resolve;
  readonly limits?: Partial<SocketLimits>;
}): Egress {
  const vetHost = createVetHost({
    policy: isNetwork(o.allow) ? createNetworkPolicy(o.allow) : createAddressPolicy(o.allow),
    resolve: o.resolve ?? (isNetwork(o.allow) ? resolveAsMachine : createResolver()),
    log: o.log,
  });
  const pool = new SocketPool(vetHost, o.limits);

  return observeEgress({
    async request(request) {
      const url = vetUrl(request.url);
      const { signal, timeoutMs } = request;
      const timed = timeoutMs === undefined ? undefined : createTimedSignal(signal, timeoutMs);
      try {
        return await exchange(pool, request, url, timed?.signal ?? signal, o.userAgent);
      } catch (error) {
        throw toEgressError(error, {
          host: url.host,
          isTimedOut: timed?.isTimedOut() === true || isTimeout(signal.reason),
          isAborted: signal.aborted,
        });
      } finally {
        timed?.end();
      }
    },
    createFetch: (destination) => createFetch(pool, o.userAgent, destination),
    async openSocket(host, port, signal) {
      const deadline = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
      const either = AbortSignal.any([signal, deadline]);
      try {
        const addresses = await vetHost(host, port, either);
        return await connect({ host: normalizeHost(host), port, addresses, signal: either });
      } catch (error) {
        throw toEgressError(error, { host, isTimedOut: deadline.aborted, isAborted: signal.aborted });
      }
    },
    close: () => pool.destroy(),
  });
}

function isNetwork(rules: EgressRules): rules is NetworkRules {
  return 'onlyTo' in rules;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

async function exchange(
  pool: SocketPool,
  request: EgressRequest,
  start: URL,
  signal: AbortSignal,
  userAgent: string,
): Promise<EgressResponse> {
  const maxBytes = request.maxResponseBytes ?? MAX_RESPONSE_BYTES;
  const maxWireBytes = WIRE_FACTOR * maxBytes + MIN_WIRE_BYTES;
  let url = start;
  let { method } = request;
  let body = request.body ?? null;
  let headers = withUserAgent(request.headers ?? {}, userAgent);
  for (let hops = 0; hops <= REDIRECT_LIMIT; hops += 1) {
    const response = await receive(
      pool,
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers,
        body,
        signal,
        destination: request.destination ?? url.host,
        isNewConnection: request.isNewConnection ?? false,
        mayBegin: request.mayBegin,
        maxWireBytes,
        maxEncodedBytes: maxWireBytes,
      },
      maxBytes,
    );
    const hop =
      request.redirect === 'manual'
        ? undefined
        : nextHop({ status: response.status, location: response.headers['location'], url, method });
    if (hop === undefined) {
      if (request.responseBody === 'beginning') return { ...response, url: url.href };
      if (response.isTruncated) throw tooLarge(url.host, maxBytes);
      const encoding = response.headers['content-encoding'];
      const decoded = await decodeBody(response.body, encoding, { maxBytes, host: url.host });
      return { ...response, body: decoded, url: url.href };
    }
    ({ url, method } = hop);
    if (hop.isBodyDropped) {
      body = null;
      headers = withoutContentHeaders(headers);
    }
  }
  throw tooManyRedirects(url);
}

function withUserAgent(headers: Readonly<Record<string, string>>, userAgent: string): Record<string, string> {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return isSet ? { ...headers } : { ...headers, 'user-agent': userAgent };
}

function withoutContentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
}

function connect(o: {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  readonly signal: AbortSignal;
}): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      host: o.host,
      port: o.port,
      autoSelectFamily: true,
      lookup: fixedLookup(o.addresses),
    });
    const abort = (): void => {
      socket.destroy(new Error('The connection was cancelled.'));
    };
    const settle = (): void => {
      o.signal.removeEventListener('abort', abort);
      socket.removeListener('error', fail);
    };
    const fail = (error: Error): void => {
      settle();
      reject(error);
    };
    o.signal.addEventListener('abort', abort, { once: true });
    socket.once('error', fail);
    socket.once('connect', () => {
      settle();
      resolve(socket);
    });
  });
}
