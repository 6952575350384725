import { create, isMessage } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextValues } from '@connectrpc/connect';
import type { Interceptor, Transport, UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { createMethodUrl } from '@connectrpc/connect/protocol';
import { headerTimeout, requestHeader } from '@connectrpc/connect/protocol-connect';
import { callBalanced } from './balanced-call.ts';
import { createCallEnd } from './call-end.ts';
import { readConnectAnswer } from './connect-response.ts';
import { createEndpointBalancer } from './endpoint-balancer.ts';
import type { EndpointBalancer } from './endpoint-balancer.ts';
import { createHttpChannel } from './http-channel.ts';
import type { HttpChannel } from './http-channel.ts';
import { messageCodec } from './message-codec.ts';

/** A connection to one address of a service. */
interface Channel {
  readonly http: HttpChannel;
  /** For streams, which are rare and long. */
  readonly streams: Transport;
}

type Next = Parameters<Interceptor>[0];

/** A transport that holds connections. */
export interface ClosableTransport extends Transport {
  /** Closes its connections; calls in flight fail. */
  close(): Promise<void>;
}

/**
 * Unary RPCs with the Connect protocol in binary over pooled HTTP/1.1, without compression, each call balanced over
 * `addresses`; connect-node handles streams. Rejects only with ConnectError, as every transport does: UNAVAILABLE if no
 * address responded. A request that was certainly not sent goes to the next address.
 */
export function createConnectFastTransport(o: {
  readonly addresses: readonly string[];
  readonly interceptors: readonly Interceptor[];
  readonly readMaxBytes: number;
  readonly writeMaxBytes: number;
}): ClosableTransport {
  const { readMaxBytes, writeMaxBytes } = o;
  const interceptors = [...o.interceptors];
  const balancer = createEndpointBalancer<Channel>(o.addresses, (url) => ({
    http: createHttpChannel(url),
    streams: createConnectTransport({
      baseUrl: url,
      httpVersion: '1.1',
      interceptors,
      readMaxBytes,
      writeMaxBytes,
    }),
  }));
  const run = interceptors.reduceRight<Next>(
    (next, interceptor) => interceptor(next),
    async (req) => {
      if (req.stream) throw new ConnectError('An interceptor turned the call into a stream.', Code.Internal);
      return post(req, { balancer, readMaxBytes, writeMaxBytes });
    },
  );

  return {
    async unary(method, signal, timeoutMs, header, message, contextValues) {
      const end = createCallEnd(signal, timeoutMs);
      // The header allows no fraction.
      const wholeMs = timeoutMs === undefined ? undefined : Math.ceil(timeoutMs);
      try {
        const response = await run({
          stream: false,
          service: method.parent,
          method,
          requestMethod: 'POST',
          // For interceptors; the address is chosen later.
          url: createMethodUrl(balancer.endpoints[0]?.url ?? '', method),
          header: requestHeader('unary', true, wholeMs, header, true),
          contextValues: contextValues ?? createContextValues(),
          message: isMessage(message, method.input) ? message : create(method.input, message),
          signal: end.signal,
        });
        // Interceptors are typed for every method at once; they pass on what they received.
        return response as UnaryResponse<typeof method.input, typeof method.output>;
      } catch (error) {
        throw end.reasonFor(error);
      } finally {
        end.dispose();
      }
    },
    stream(...args) {
      const endpoint = balancer.pick(new Set());
      if (endpoint === undefined) throw new ConnectError('The service has no address.', Code.Unavailable);
      return endpoint.channel.streams.stream(...args);
    },
    async close() {
      await Promise.all(balancer.endpoints.map(({ channel }) => channel.http.close()));
    },
  };
}

const TIMEOUT_NAME = headerTimeout.toLowerCase();

async function post(
  req: UnaryRequest,
  o: {
    readonly balancer: EndpointBalancer<Channel>;
    readonly readMaxBytes: number;
    readonly writeMaxBytes: number;
  },
): Promise<UnaryResponse> {
  const { signal } = req;
  const body = messageCodec(req.method.input).toBytes(req.message);
  if (body.byteLength > o.writeMaxBytes) {
    const text = `The request is larger than ${String(o.writeMaxBytes)} bytes.`;
    throw new ConnectError(text, Code.ResourceExhausted);
  }
  const path = createMethodUrl('', req.method);
  const headers: string[] = [];
  for (const [name, value] of req.header) headers.push(name, value);
  const timeoutAt = headers.indexOf(TIMEOUT_NAME) + 1;
  const timeoutMs = Number(headers[timeoutAt]);
  const startedAt = performance.now();
  let isFirst = true;
  const answer = await callBalanced(o.balancer, {
    signal,
    method: req.method,
    async attempt(endpoint) {
      if (timeoutAt > 0 && !isFirst) {
        const leftMs = timeoutMs - (performance.now() - startedAt);
        headers[timeoutAt] = String(Math.max(1, Math.ceil(leftMs)));
      }
      isFirst = false;
      const call = { path, headers, body, signal, maxResponseBytes: o.readMaxBytes };
      const given = await endpoint.channel.http.post(call);
      if (given.isLast) o.balancer.stopping(endpoint);
      else o.balancer.answered(endpoint);
      return given;
    },
  });
  return readConnectAnswer(req, answer);
}
