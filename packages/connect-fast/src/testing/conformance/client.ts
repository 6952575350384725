// The client with which Connect's conformance suite calls its reference server: `client.ts <file descriptor set>`.
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import type { MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { createConnectFastTransport } from '../../transport.ts';
import type { ClosableTransport } from '../../transport.ts';
import { readMessages, writeMessage } from './messages.ts';
import { appendHeaders, fromHeaders, loadConformanceProtos } from './protos.ts';
import type { ConformanceProtos } from './protos.ts';

const UNLIMITED_BYTES = 2 ** 31 - 1;

const protos = loadConformanceProtos(process.argv[2] ?? '');
type Request = MessageShape<ConformanceProtos['ClientCompatRequest']>;
type Response = Extract<
  MessageInitShape<ConformanceProtos['ClientCompatResponse']>['result'],
  { case: 'response' }
>['value'];

const transports = new Map<string, ClosableTransport>();
const calls: Promise<void>[] = [];
for await (const request of readMessages(protos.ClientCompatRequest, process.stdin)) {
  calls.push(answer(request));
}
await Promise.all(calls);
await Promise.all([...transports.values()].map((transport) => transport.close()));

async function answer(request: Request): Promise<void> {
  const { testName } = request;
  try {
    const value = await call(request);
    writeMessage(protos.ClientCompatResponse, process.stdout, {
      testName,
      result: { case: 'response', value },
    });
  } catch (error) {
    // The transport must only reject with ConnectError.
    writeMessage(protos.ClientCompatResponse, process.stdout, {
      testName,
      result: { case: 'error', value: { message: String(error) } },
    });
  }
}

async function call(request: Request): Promise<Response> {
  const methods = Object.values(protos.ConformanceService.method);
  const method = methods.find(({ name }) => name === request.method);
  if (method === undefined) throw new Error(`There is no method ${String(request.method)}.`);
  const [packed] = request.requestMessages;
  const message = packed === undefined ? undefined : anyUnpack(packed, method.input);
  if (message === undefined) throw new Error('There is no request of the method.');
  const header = new Headers();
  appendHeaders(header, request.requestHeaders);
  const abort = new AbortController();
  const { cancelTiming } = request.cancel ?? {};
  if (cancelTiming?.case === 'afterCloseSendMs') setTimeout(() => abort.abort(), cancelTiming.value);
  try {
    const response = await transportTo(request).unary(
      method,
      abort.signal,
      request.timeoutMs,
      header,
      message,
    );
    return {
      responseHeaders: fromHeaders(response.header),
      payloads: [response.message.payload ?? {}],
      responseTrailers: fromHeaders(response.trailer),
    };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    // An error's metadata consists of headers and trailers.
    const metadata = fromHeaders(error.metadata);
    return { responseHeaders: metadata, payloads: [], error: toRpcError(error), responseTrailers: metadata };
  }
}

function toRpcError(error: ConnectError): NonNullable<Response['error']> {
  return {
    code: error.code,
    message: error.rawMessage,
    details: error.details.flatMap((detail) =>
      'type' in detail ? [{ typeUrl: `type.googleapis.com/${detail.type}`, value: detail.value }] : [],
    ),
  };
}

/** Calls to the same server share connections, as in a service. */
function transportTo({ host, port, messageReceiveLimit }: Request): ClosableTransport {
  const url = `http://${host}:${String(port)}`;
  const readMaxBytes = messageReceiveLimit === 0 ? UNLIMITED_BYTES : messageReceiveLimit;
  const key = `${url} ${String(readMaxBytes)}`;
  const known = transports.get(key);
  if (known !== undefined) return known;
  const transport = createConnectFastTransport({
    addresses: [url],
    interceptors: [],
    readMaxBytes,
    writeMaxBytes: UNLIMITED_BYTES,
  });
  transports.set(key, transport);
  return transport;
}
