import type http2 from 'node:http2';
import net from 'node:net';
import { createContextValues } from '@connectrpc/connect';
import type { Interceptor, Transport } from '@connectrpc/connect';
import { Http2SessionManager, createGrpcTransport } from '@connectrpc/connect-node';
import { createMethodUrl, runUnaryCall } from '@connectrpc/connect/protocol';
import { callBalanced } from '@fairlead/connect-fast/balanced-call';
import { streamBalanced, toChannelError } from '@fairlead/connect-fast/balanced-stream';
import { trackIn } from '@fairlead/connect-fast/call-track';
import { createEndpointBalancer } from '@fairlead/connect-fast/endpoint-balancer';
import type { CanaryAddresses } from '@fairlead/connect-fast/endpoint-balancer';
import { limitConnecting } from '@fairlead/connect-fast/limit-connecting';
import type { Addresses } from '@fairlead/connect-fast/live-addresses';
import type { ClosableTransport } from '@fairlead/connect-fast/transport';

interface Channel {
  readonly transport: Transport;
  readonly session: Http2SessionManager;
}

/**
 * Creates a transport for gRPC over connect-node, with one HTTP/2 connection per address; each call is balanced over
 * `addresses`. Rejects only with ConnectError: UNAVAILABLE if no address responded. A request that was certainly not
 * executed goes to the next address.
 */
export function createBalancedGrpcTransport(o: {
  readonly addresses: Addresses;
  readonly canary?: CanaryAddresses | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
}): ClosableTransport {
  const interceptors = [...o.interceptors];
  const channels = {
    open(url: string): Channel {
      const session = new Http2SessionManager(url, undefined, connecting(url));
      const transport = createGrpcTransport({
        baseUrl: url,
        sessionManager: session,
        // No compression, as for the other transport: services run in one network.
        acceptCompression: [],
        readMaxBytes: o.readMaxBytes,
        writeMaxBytes: o.writeMaxBytes,
      });
      return { transport, session };
    },
    close({ session }: Channel): Promise<void> {
      session.abort();
      return Promise.resolve();
    },
  };
  const balancer = createEndpointBalancer(o.addresses, channels, { canary: o.canary });

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
          // A placeholder for interceptors; the address is chosen later.
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
            track: trackIn(req.contextValues),
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
                  // An interceptor's request is a message of the method; only its type is lost.
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
    stream: (method, signal = NEVER, timeoutMs, header, input, values) =>
      streamBalanced(balancer, {
        method,
        signal,
        track: trackIn(values),
        open: ({ channel }) => channel.transport.stream(method, signal, timeoutMs, header, input, values),
      }),
    close: () => balancer.close(),
  };
}

/** Node itself would wait for minutes. */
function connecting(address: string): http2.ClientSessionOptions {
  const { protocol, hostname, port } = new URL(address);
  if (protocol === 'https:') return {};
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return {
    createConnection: () => limitConnecting(net.connect({ host, port: Number(port || 80), noDelay: true })),
  };
}

const NEVER = new AbortController().signal;
