import type { IncomingMessage } from 'node:http';
import { createEndpointBalancer } from '@fairlead/connect-fast/endpoint-balancer';
import type { Endpoint } from '@fairlead/connect-fast/endpoint';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import { ApiError } from '@fairlead/errors/api-error';
import { chooseTrack } from '@fairlead/service-kit/canary/peer-canaries';
import type { PeerCanaries } from '@fairlead/service-kit/canary/peer-canaries';
import type { Clock } from '@fairlead/service-kit/clock';
import type { Caller } from '@fairlead/service-kit/context/caller';
import { CALLER_HEADER } from '@fairlead/service-kit/context/caller-token';
import { createCallerSigner } from '@fairlead/service-kit/context/caller-tokens';
import { REQUEST_ID_HEADER } from '@fairlead/service-kit/context/context';
import type { HttpHandler, Mount, Page } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { FACTS_HEADER, takeFacts } from '@fairlead/service-kit/http/exchange-facts';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { Request, Response } from 'express';
import { createConnections } from './connections.ts';
import type { Connections, ConnectionLease } from './connections.ts';
import { createForward } from './forward.ts';
import { copyHead, headersForService } from './headers.ts';

/** Passes clients' requests on to another service unchanged, and its responses back. */
export interface ServiceProxy {
  /** A mount for all paths below a prefix. */
  mount(prefix: Mount['prefix']): Mount;
  /** A mount for one path. */
  page(path: Page['path']): Page;
  /**
   * Passes a request on. Resolves when the response has begun, to the function that waits for its end; rejects if
   * none begins. The handler sets the deadline. `caller`: the user in whose name the request is sent, once only;
   * default: this service.
   */
  readonly begin: (
    exchange: Exchange,
    request: Request,
    response: Response,
    caller?: Caller,
  ) => Promise<() => Promise<void>>;
  /** Closes idle connections, and those in use after their responses; stops following addresses. */
  close(): Promise<void>;
}

// Time for our own response after the time limit.
const RESERVE_MS = 250;
const BROKEN_STATUS = 503;

/**
 * A proxy to `service` at `addresses`: base URLs of its HTTP/1.1 ports. Each request goes to one of them, over a
 * connection that is open before any of the request is read: an address that cannot be reached costs no request. Later
 * requests use the connection again. A request that was sent is not sent again, except GET and HEAD without a body, once.
 * If no address responds: UNAVAILABLE.
 */
export function createServiceProxy(o: {
  /** The service's name. */
  readonly service: string;
  /** The name of this service. */
  readonly caller: string;
  readonly addresses: Addresses;
  readonly canaries?: PeerCanaries | undefined;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  /** Network address of a request's client. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Time limit of a whole response, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Time limit for the start of a response, in milliseconds. It is longer than a working replica needs, because a GET
   * is then sent to another one.
   */
  readonly responseTimeoutMs: number;
}): ServiceProxy {
  const { timeoutMs, responseTimeoutMs } = o;
  const channels = {
    open: (url: string) => createConnections(new URL(url)),
    close(connections: Connections) {
      connections.leave();
      return Promise.resolve();
    },
  };
  const balancer = createEndpointBalancer(o.addresses, channels, { canary: o.canaries });
  const sign = createCallerSigner({ audience: o.service, keys: o.callerKeys });
  const forward = createForward();

  const failed = (endpoint: Endpoint<Connections>): void => {
    balancer.failed(endpoint);
    // All connections of an endpoint lead to the same process.
    endpoint.channel.leave();
  };

  const passOn = async (
    exchange: Exchange,
    request: Request,
    response: Response,
    { onBegun, ...named }: { readonly onBegun?: () => void; readonly caller?: Caller | undefined } = {},
  ): Promise<void> => {
    const itself = { kind: 'service', service: o.caller, clientAddress: o.addressOf(request) } as const;
    const caller = named.caller ?? itself;
    const ctx = exchange.contextFor(caller);
    const { signal, deadline } = ctx;
    const { canaries, track } = chooseTrack(o.canaries, ctx);
    request.url = pathOf(request.originalUrl);
    request.headers = headersForService(request, {
      ...exchange.span?.headers(),
      [REQUEST_ID_HEADER]: exchange.requestId,
      [CALLER_HEADER]: sign(caller, o.clock.now(), canaries),
    });
    const sendTo = (endpoint: Endpoint<Connections>, connection: ConnectionLease): Promise<void> => {
      const leftMs = deadline === undefined ? Infinity : deadline.getTime() - Date.now() - RESERVE_MS;
      return forward(request, response, {
        connection,
        responseTimeoutMs: Math.max(1, Math.min(responseTimeoutMs, leftMs)),
        begin(answer) {
          if (answer.headers.connection === 'close') {
            balancer.stopping(endpoint);
            endpoint.channel.leave();
          } else balancer.answered(endpoint);
          takeFacts(exchange, String(answer.headers[FACTS_HEADER] ?? ''));
          copyHead(answer, response);
          onBegun?.();
        },
        onBroken(error) {
          failed(endpoint);
          exchange.brokenWith = BROKEN_STATUS;
          exchange.log.error({ err: error, route: exchange.route }, 'a response of another service broke');
        },
      });
    };

    const tried = new Set<Endpoint<Connections>>();
    // A request in a user's name may have waited for long, and its client has no time to wait twice.
    let repetitions = named.caller === undefined && isRepeatable(request) ? 1 : 0;
    let failure: unknown;
    for (;;) {
      const endpoint = balancer.pick(tried, track) ?? (await balancer.pickRenewed(tried, track));
      if (endpoint === undefined) throw unavailable(failure);
      tried.add(endpoint);
      balancer.begin(endpoint);
      let connection: ConnectionLease | undefined;
      try {
        connection = await endpoint.channel.take(signal);
        return await sendTo(endpoint, connection);
      } catch (error) {
        // The client has disconnected or has got its response at the deadline, which is not the address's fault.
        if (signal.aborted) return;
        failed(endpoint);
        if (connection !== undefined) {
          if (repetitions === 0) throw unavailable(error);
          repetitions -= 1;
          // The connection was closed before the request arrived: another process may listen at the address now.
          if (connection.isReused && isReset(error)) tried.delete(endpoint);
        }
        failure = error;
      } finally {
        balancer.end(endpoint);
      }
    }
  };

  const pass: HttpHandler = (exchange, request, response) => passOn(exchange, request, response);

  return {
    async begin(exchange, request, response, caller) {
      const start = Promise.withResolvers<void>();
      const over = passOn(exchange, request, response, { onBegun: start.resolve, caller });
      await Promise.race([start.promise, over]);
      return () => over;
    },
    mount: (prefix) => ({ prefix, timeoutMs, maxBodyBytes: 0, handle: pass }),
    page: (path) => ({
      path,
      isSafe: true,
      isProxied: true,
      show: (exchange, ...rest) => exchange.within(timeoutMs, () => pass(exchange, ...rest)),
    }),
    close: () => balancer.close(),
  };
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('UNAVAILABLE', 'A part of the system is not available. Try again.', { cause });
}

/** Whether the request can be sent again: repeating it is harmless, and no part of its body was consumed. */
function isRepeatable({ method, headers }: IncomingMessage): boolean {
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined;
  return (method === 'GET' || method === 'HEAD') && !hasBody;
}

/** Whether the other side closed the connection. */
function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** A request may contain the absolute URL (RFC 9112, 3.2.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '');
}
