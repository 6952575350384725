import type { DescMessage, DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { StreamResponse } from '@connectrpc/connect';
import { callBalanced } from './balanced-call.ts';
import type { CallTrack } from './call-track.ts';
import { ChannelError, unwrapChannelError } from './channel-error.ts';
import type { EndpointBalancer } from './endpoint-balancer.ts';
import type { Endpoint } from './endpoint.ts';

/**
 * Opens a stream at the address that the balancer picks, in the same way as `callBalanced`; `open` rejects with
 * connect-node's errors. The address counts as busy until the last message was read, reading stopped, or the stream
 * broke.
 */
export async function streamBalanced<C, I extends DescMessage, O extends DescMessage>(
  balancer: EndpointBalancer<C>,
  o: {
    readonly open: (endpoint: Endpoint<C>) => Promise<StreamResponse<I, O>>;
    readonly method: DescMethod;
    readonly signal: AbortSignal;
    /** Default: stable. */
    readonly track?: CallTrack | undefined;
  },
): Promise<StreamResponse<I, O>> {
  const { method, signal, track } = o;
  return callBalanced(balancer, {
    signal,
    method,
    track,
    async attempt(endpoint) {
      try {
        const response = await o.open(endpoint);
        if (response.header.get('connection') === 'close') balancer.stopping(endpoint);
        else balancer.answered(endpoint);
        balancer.begin(endpoint);
        const message = whileBusy(response.message, signal, () => balancer.end(endpoint));
        return { ...response, message };
      } catch (error) {
        throw signal.aborted ? error : toChannelError(error);
      }
    },
  });
}

function whileBusy<T>(messages: AsyncIterable<T>, signal: AbortSignal, onEnd: () => void): AsyncIterable<T> {
  let isBusy = true;
  const end = (): void => {
    if (isBusy) onEnd();
    isBusy = false;
    signal.removeEventListener('abort', end);
  };
  if (signal.aborted) end();
  else signal.addEventListener('abort', end);
  return {
    [Symbol.asyncIterator]() {
      const it = messages[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const read = await it.next();
            if (read.done === true) end();
            return read;
          } catch (error) {
            const wasAborted = signal.aborted;
            end();
            throw wasAborted ? error : unwrapChannelError(toChannelError(error));
          }
        },
        return() {
          end();
          return Promise.resolve({ done: true, value: undefined });
        },
      };
    },
  };
}

/**
 * Converts a connect-node error to a ChannelError if it comes from the connection. connect-node does not expose
 * whether an error comes from the service's method.
 */
export function toChannelError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  // Our own signals were checked above, and a service responds with its own code, so this means a lost connection.
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
