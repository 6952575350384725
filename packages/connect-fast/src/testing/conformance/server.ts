// The server that Connect's conformance suite calls with its reference client:
// `server.ts <file descriptor set> <file to which each call adds a line: the handler that served it>`.
import { appendFileSync } from 'node:fs';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { ConnectError } from '@connectrpc/connect';
import type { HandlerContext } from '@connectrpc/connect';
import { createNodeHandlers } from '../../node-handlers.ts';
import { readMessages, writeMessage } from './messages.ts';
import { appendHeaders, fromHeaders, loadConformanceProtos } from './protos.ts';
import type { ConformanceProtos, ResponseDefinition } from './protos.ts';

const UNLIMITED_BYTES = 2 ** 31 - 1;

const [, , descriptorSetPath = '', servedByPath = ''] = process.argv;
const protos = loadConformanceProtos(descriptorSetPath);
type RequestInfo = MessageInitShape<ConformanceProtos['RequestInfo']>;
type Unary = ConformanceProtos['ConformanceService']['method']['unary'];

for await (const { messageReceiveLimit } of readMessages(protos.ServerCompatRequest, process.stdin)) {
  const port = await serve(messageReceiveLimit === 0 ? UNLIMITED_BYTES : messageReceiveLimit);
  writeMessage(protos.ServerCompatResponse, process.stdout, { host: '127.0.0.1', port });
}

async function serve(readMaxBytes: number): Promise<number> {
  const { ConformanceService } = protos;
  const { handler, fastPath } = createNodeHandlers({
    routes: (router) =>
      router.service(ConformanceService, {
        unary: (request, h) => answer(ConformanceService.method.unary, request, h),
        idempotentUnary: (request, h) => answer(ConformanceService.method.idempotentUnary, request, h),
      }),
    gate: () => undefined,
    interceptors: [],
    readMaxBytes,
    writeMaxBytes: UNLIMITED_BYTES,
  });
  // As in a service, the client closes idle connections, not the server.
  const server = http.createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const isTaken = fastPath(request, response);
    appendFileSync(servedByPath, isTaken ? 'fast path\n' : 'library\n');
    if (!isTaken) handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has such an address.
  return (server.address() as AddressInfo).port;
}

async function answer(
  method: Unary,
  request: MessageShape<Unary['input']>,
  h: HandlerContext,
): Promise<MessageInitShape<Unary['output']>> {
  const timeoutMs = h.timeoutMs();
  const info: RequestInfo = {
    requestHeaders: fromHeaders(h.requestHeader),
    ...(timeoutMs !== undefined && { timeoutMs: BigInt(Math.round(timeoutMs)) }),
    requests: [anyPack(method.input, request)],
    ...(h.requestMethod === 'GET' && { connectGetInfo: { queryParams: queryParams(h.url) } }),
  };
  const { responseDefinition: definition } = request;
  if (definition === undefined) return { payload: { requestInfo: info } };
  appendHeaders(h.responseHeader, definition.responseHeaders);
  appendHeaders(h.responseTrailer, definition.responseTrailers);
  await delay(definition.responseDelayMs, undefined, { signal: h.signal });
  const { response } = definition;
  if (response.case === 'error') throw toConnectError(response.value, info);
  return {
    payload: { requestInfo: info, ...(response.case === 'responseData' && { data: response.value }) },
  };
}

function toConnectError(
  error: Extract<ResponseDefinition['response'], { case: 'error' }>['value'],
  info: RequestInfo,
): ConnectError {
  const connectError = new ConnectError(error.message ?? '', error.code, undefined, [
    { desc: protos.RequestInfo, value: info },
  ]);
  const given = error.details.map(({ typeUrl, value }) => ({
    type: typeUrl.slice(typeUrl.lastIndexOf('/') + 1),
    value,
  }));
  connectError.details.unshift(...given);
  return connectError;
}

function queryParams(url: string): { name: string; value: string[] }[] {
  const { searchParams } = new URL(url);
  return [...new Set(searchParams.keys())].map((name) => ({ name, value: searchParams.getAll(name) }));
}
