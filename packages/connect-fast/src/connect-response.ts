import type { IncomingHttpHeaders } from 'node:http';
import type { UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import {
  contentTypeUnaryProto,
  errorFromJsonBytes,
  trailerDemux,
  validateResponseWithCompression,
} from '@connectrpc/connect/protocol-connect';
import type { HttpAnswer } from './http-channel.ts';
import { messageCodec } from './message-codec.ts';

/** Reads the response to a unary Connect call in binary; throws the ConnectError that it carries, details included. */
export function readConnectAnswer(req: Pick<UnaryRequest, 'method'>, answer: HttpAnswer): UnaryResponse {
  if (!isPlainMessage(answer)) throwUnlessMessage(answer);
  let metadata: readonly [Headers, Headers] | undefined;
  // Created lazily: few callers read them, and they cost more than the message.
  const split = (): readonly [Headers, Headers] => (metadata ??= trailerDemux(toHeaders(answer.headers)));
  return {
    stream: false,
    service: req.method.parent,
    method: req.method,
    message: messageCodec(req.method.output).fromBytes(answer.body),
    get header() {
      return split()[0];
    },
    get trailer() {
      return split()[1];
    },
  };
}

/** Nearly all responses are like this; checked without the header objects that the RPC library needs. */
function isPlainMessage({ status, headers }: HttpAnswer): boolean {
  return (
    status === 200 &&
    headers['content-type'] === contentTypeUnaryProto &&
    headers['content-encoding'] === undefined
  );
}

function throwUnlessMessage(answer: HttpAnswer): void {
  const headers = toHeaders(answer.headers);
  // No compression was offered.
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

function toHeaders(from: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(from)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) headers.append(name, one);
    }
  }
  return headers;
}
