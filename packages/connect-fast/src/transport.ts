import { create, isMessage } from '@bufbuild/protobuf';
import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import type { Interceptor, Transport, UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { createMethodUrl } from '@connectrpc/connect/protocol';
import { headerTimeout, requestHeader } from '@connectrpc/connect/protocol-connect';
import { callBalanced } from './balanced-call.ts';
import { streamBalanced } from './balanced-stream.ts';
import { CallEnd } from './call-end.ts';
import { trackIn } from './call-track.ts';
import type { CallTrack } from './call-track.ts';
import { readConnectAnswer } from './connect-response.ts';
import { createEndpointBalancer } from './endpoint-balancer.ts';
import type { CanaryAddresses, EndpointBalancer } from './endpoint-balancer.ts';
import { createHttpChannel } from './http-channel.ts';
import type { HttpChannel } from './http-channel.ts';
import type { Addresses } from './live-addresses.ts';
import { lengthOf, messageCodec } from './message-codec.ts';
import { StreamAgent } from './stream-agent.ts';

/** A connection to one address of a service. */
interface Channel {
  readonly http: HttpChannel;
  /** A transport for streams, which are rare and long. */
  readonly streams: Transport;
}

type Next = Parameters<Interceptor>[0];

/** A transport that holds connections. */
export interface ClosableTransport extends Transport {
  /** Closes its connections; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * Creates a transport for unary RPCs with the binary Connect protocol over pooled HTTP/1.1, without compression. Each
 * call is balanced over `addresses`; connect-node handles streams. Rejects only with ConnectError, like every
 * transport: UNAVAILABLE if no address responded. A request that was certainly not sent goes to the next address.
 */
export function createConnectFastTransport(o: {
  readonly addresses: Addresses;
  readonly canary?: CanaryAddresses | undefined;
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
}): ClosableTransport {
  const { canary, readMaxBytes, writeMaxBytes } = o;
  const interceptors = [...o.interceptors];
  const agent = new StreamAgent();
  const channels = {
    open: (url: string): Channel => ({
      http: createHttpChannel(url),
      streams: createConnectTransport({
        baseUrl: url,
        httpVersion: '1.1',
        // No compression, as for unary calls: services run in one network.
        acceptCompression: [],
        nodeOptions: { agent },
        interceptors,
        readMaxBytes,
        writeMaxBytes,
      }),
    }),
    // The agent closes idle connections of streams.
    close: ({ http }: Channel) => http.close(),
  };
  const balancer = createEndpointBalancer(o.addresses, channels, { canary });
  const send = (req: Omit<Call, 'headers'>, headers: string[]): Promise<UnaryResponse> =>
    post({ ...req, headers }, { balancer, readMaxBytes, writeMaxBytes });
  const run = interceptors.reduceRight<Next>(
    (next, interceptor) => interceptor(next),
    async (req) => {
      if (req.stream) throw new ConnectError('An interceptor turned the call into a stream.', Code.Internal);
      const end = new CallEnd(req.signal, undefined);
      try {
        const track = trackIn(req.contextValues);
        const response = await send({ ...req, end, track }, [...req.header].flat());
        const { header, trailer } = response;
        // A plain object, because an interceptor may copy it and would lose accessors.
        return { ...response, header, trailer };
      } finally {
        end.dispose();
      }
    },
  );

  return {
    async unary(method, signal, timeoutMs, header, message, contextValues) {
      const end = new CallEnd(signal, timeoutMs);
      // The header allows no fraction.
      const wholeMs = timeoutMs === undefined ? undefined : Math.ceil(timeoutMs);
      try {
        const call = {
          method,
          message: isMessage(message, method.input) ? message : create(method.input, message),
        };
        const plain = interceptors.length === 0 ? plainHeaders(wholeMs, header) : undefined;
        const response =
          plain !== undefined
            ? await send({ ...call, end, track: trackIn(contextValues) }, plain)
            : await run({
                ...call,
                signal: end.signal,
                stream: false,
                service: method.parent,
                requestMethod: 'POST',
                // A placeholder for interceptors; the address is chosen later.
                url: createMethodUrl(balancer.endpoints[0]?.url ?? '', method),
                header: requestHeader('unary', true, wholeMs, header, true),
                contextValues: contextValues ?? createContextValues(),
              });
        // Interceptors have one type for all methods; they pass on the messages that they received.
        return response as UnaryResponse<typeof method.input, typeof method.output>;
      } catch (error) {
        throw end.reasonFor(error);
      } finally {
        end.dispose();
      }
    },
    stream: (method, signal = NEVER, timeoutMs, header, input, values) =>
      streamBalanced(balancer, {
        method,
        signal,
        track: trackIn(values),
        open: ({ channel }) => channel.streams.stream(method, signal, timeoutMs, header, input, values),
      }),
    async close() {
      agent.destroy();
      await balancer.close();
    },
  };
}

const NEVER = new AbortController().signal;
const TIMEOUT_NAME = headerTimeout.toLowerCase();

/** A unary call in the form that is sent. */
interface Call extends Pick<UnaryRequest, 'method' | 'message'> {
  readonly end: CallEnd;
  readonly track: CallTrack | undefined;
  /** Alternating names and values. */
  readonly headers: string[];
}

/**
 * The headers that requestHeader would set, without a Headers object, which costs as much as the message; undefined
 * for headers in another form.
 */
function plainHeaders(timeoutMs: number | undefined, headerValue: unknown): string[] | undefined {
  if (typeof headerValue !== 'object' || headerValue === null || Symbol.iterator in headerValue)
    return undefined;
  const headers = [...PROTOCOL_HEADERS];
  if (timeoutMs !== undefined) headers.push(TIMEOUT_NAME, String(timeoutMs));
  const entries: readonly (readonly [string, unknown])[] = Object.entries(headerValue);
  for (const [name, value] of entries) {
    // Headers would validate it, and convert the name to lower case.
    if (typeof value !== 'string') return undefined;
    if (checked.get(name) !== value) {
      if (!PLAIN_NAME.test(name) || !PLAIN_VALUE.test(value)) return undefined;
      // Cached: the signed caller is a long text, and the next call often has the same.
      if (checked.size < MAX_CHECKED || checked.has(name)) checked.set(name, value);
    }
    headers.push(name, value);
  }
  return headers;
}

const PROTOCOL_HEADERS = [...requestHeader('unary', true, undefined, undefined, true)].flat();
const PLAIN_NAME = /^x-[a-z0-9-]+$|^traceparent$|^tracestate$/;
const PLAIN_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** The last value of each header, which was validated. */
const checked = new Map<string, string>();
const MAX_CHECKED = 16;

const paths = new WeakMap<DescMethod, string>();

function pathOf(method: DescMethod): string {
  const path = paths.get(method) ?? createMethodUrl('', method);
  paths.set(method, path);
  return path;
}

async function post(
  req: Call,
  o: {
    readonly balancer: EndpointBalancer<Channel>;
    readonly readMaxBytes: number;
    readonly writeMaxBytes: number;
  },
): Promise<UnaryResponse> {
  const { end } = req;
  const body = messageCodec(req.method.input).toPieces(req.message);
  if (lengthOf(body) > o.writeMaxBytes) {
    const text = `The request is larger than ${String(o.writeMaxBytes)} bytes.`;
    throw new ConnectError(text, Code.ResourceExhausted);
  }
  const path = pathOf(req.method);
  const { headers } = req;
  const timeoutAt = headers.indexOf(TIMEOUT_NAME) + 1;
  const timeoutMs = Number(headers[timeoutAt]);
  const startedAt = performance.now();
  let isFirst = true;
  const answer = await callBalanced(o.balancer, {
    signal: end,
    method: req.method,
    track: req.track,
    async attempt(endpoint) {
      if (timeoutAt > 0 && !isFirst) {
        const leftMs = timeoutMs - (performance.now() - startedAt);
        headers[timeoutAt] = String(Math.max(1, Math.ceil(leftMs)));
      }
      isFirst = false;
      const call = { path, headers, body, end, maxResponseBytes: o.readMaxBytes };
      const response = await endpoint.channel.http.post(call);
      if (response.isLast) o.balancer.stopping(endpoint);
      else o.balancer.answered(endpoint);
      return response;
    },
  });
  return readConnectAnswer(req, answer);
}
