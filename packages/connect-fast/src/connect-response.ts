import type { Message } from '@bufbuild/protobuf';
import type { UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  trailerDemux,
  validateResponseWithCompression,
} from '@connectrpc/connect/protocol-connect';
import type { HttpAnswer } from './http-connection.ts';
import type { HttpHeaders } from './response-reader.ts';
import { messageCodec } from './message-codec.ts';

/** Reads the response to a unary Connect call in binary. Throws the ConnectError in it, details included. */
export function readConnectAnswer(req: Pick<UnaryRequest, 'method'>, answer: HttpAnswer): UnaryResponse {
  if (!isPlainMessage(answer)) throwUnlessMessage(answer);
  return new Response(req.method, answer);
}

/** Lazy, because few callers read the headers, which cost more than the message. */
class Response implements UnaryResponse {
  readonly stream = false;
  readonly service: UnaryResponse['service'];
  readonly method: UnaryResponse['method'];
  readonly message: Message;
  readonly #headers: HttpHeaders;
  #metadata: readonly [Headers, Headers] | undefined;

  constructor(method: UnaryResponse['method'], { headers, body }: HttpAnswer) {
    this.service = method.parent;
    this.method = method;
    this.message = messageCodec(method.output).fromBytes(body);
    this.#headers = headers;
  }

  get header(): Headers {
    return this.#split()[0];
  }

  get trailer(): Headers {
    return this.#split()[1];
  }

  #split(): readonly [Headers, Headers] {
    return (this.#metadata ??= trailerDemux(toHeaders(this.#headers)));
  }
}

/** The common case, checked without the header objects that the RPC library needs. */
function isPlainMessage({ status, headers }: HttpAnswer): boolean {
  return (
    status === 200 &&
    headers['content-type'] === contentTypeUnaryProto &&
    headers['content-encoding'] === undefined
  );
}

function throwUnlessMessage(answer: HttpAnswer): void {
  const headers = toHeaders(answer.headers);
  // We accept no compression.
  const { isUnaryError, unaryError } = validateResponseWithCompression(
    'unary',
    [],
    true,
    answer.status,
    headers,
  );
  if (!isUnaryError) return;
  const [metadata, trailer] = trailerDemux(headers);
  for (const [name, value] of trailer) metadata.append(name, value);
  throw errorFromJsonBytes(answer.body, metadata, unaryError);
}

function toHeaders(from: HttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(from)) {
    for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
  }
  return headers;
}
