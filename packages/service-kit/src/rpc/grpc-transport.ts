import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { Http2SessionManager, createGrpcTransport } from '@connectrpc/connect-node';
import { createMethodUrl, runUnaryCall } from '@connectrpc/connect/protocol';
import { callBalanced } from '@fairlead/connect-fast/balanced-call';
import { ChannelError } from '@fairlead/connect-fast/channel-error';
import { createEndpointBalancer } from '@fairlead/connect-fast/endpoint-balancer';
import type { ClosableTransport } from '@fairlead/connect-fast/transport';

interface Channel {
  readonly transport: Transport;
  readonly session: Http2SessionManager;
}

/**
 * RPCs by gRPC over connect-node, with one HTTP/2 connection per address; each unary call is balanced over `addresses`.
 * Rejects only with ConnectError: UNAVAILABLE when no address answered. A request that was certainly not executed goes
 * to the next address.
 */
export function createBalancedGrpcTransport(o: {
  readonly addresses: readonly string[];
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
}): ClosableTransport {
  const interceptors = [...o.interceptors];
  const balancer = createEndpointBalancer<Channel>(o.addresses, (url) => {
    const session = new Http2SessionManager(url);
    const transport = createGrpcTransport({
      baseUrl: url,
      sessionManager: session,
      // As with the other transport: services run in one network.
      acceptCompression: [],
      readMaxBytes: o.readMaxBytes,
      writeMaxBytes: o.writeMaxBytes,
    });
    return { transport, session };
  });

  return {
    unary: (method, signal, timeoutMs, header, message, contextValues) =>
      runUnaryCall({
        interceptors,
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        req: {
          stream: false,
          service: method.parent,
          method,
          requestMethod: 'POST',
          // For interceptors; the address is chosen later.
          url: createMethodUrl(balancer.endpoints[0]?.url ?? '', method),
          // Declared with the DOM's types, which Node's types replace.
          header: new Headers(header as RequestInit['headers']),
          contextValues: contextValues ?? createContextValues(),
          message,
        },
        next(req) {
          const startedAt = performance.now();
          return callBalanced(balancer, {
            signal: req.signal,
            method,
            async attempt(endpoint) {
              const leftMs =
                timeoutMs === undefined
                  ? undefined
                  : Math.max(1, timeoutMs - (performance.now() - startedAt));
              const { transport } = endpoint.channel;
              try {
                const answer = await transport.unary(
                  method,
                  req.signal,
                  leftMs === undefined ? undefined : Math.ceil(leftMs),
                  req.header,
                  // An interceptor's request is a message of the method; only its type is erased.
                  req.message as typeof message,
                  req.contextValues,
                );
                balancer.answered(endpoint);
                return answer;
              } catch (error) {
                throw toChannelError(error);
              }
            },
          });
        },
      }),
    stream(...args) {
      const endpoint = balancer.pick(new Set());
      if (endpoint === undefined) throw new ConnectError('The service has no address.', Code.Unavailable);
      return endpoint.channel.transport.stream(...args);
    },
    close() {
      for (const { channel } of balancer.endpoints) channel.session.abort();
      return Promise.resolve();
    },
  };
}

/** connect-node does not expose whether an error came from the other side's method or from the connection. */
function toChannelError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  // Our own signals are checked first, and a service responds with its own code: the connection is lost.
  if (error.code === Code.Canceled) return new ChannelError(error, true);
  // The server refused the stream before it ran anything (RFC 9113, 8.7).
  if (error.rawMessage.includes('REFUSED_STREAM')) return new ChannelError(error, false);
  for (let e: unknown = error.cause, depth = 0; e instanceof Error && depth < 5; e = e.cause, depth += 1) {
    if (!('code' in e) || typeof e.code !== 'string') continue;
    const isConnecting = 'syscall' in e && (e.syscall === 'connect' || e.syscall === 'getaddrinfo');
    if (e.message.includes('REFUSED_STREAM') || isConnecting) return new ChannelError(error, false);
    if (BROKEN.has(e.code)) return new ChannelError(error, true);
  }
  return error;
}

const BROKEN: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'EPIPE',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_INVALID_SESSION',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
