import type { IncomingHttpHeaders } from 'node:http';
import { fromBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { UnaryRequest, UnaryResponse } from '@connectrpc/connect';
import {
  codeFromHttpStatus,
  contentTypeUnaryJson,
  contentTypeUnaryProto,
  errorFromJsonBytes,
  trailerDemux,
} from '@connectrpc/connect/protocol-connect';
import type { HttpAnswer } from './http-channel.ts';

/** Reads the answer to a unary Connect call in binary; throws the ConnectError that it carries, details included. */
export function readConnectAnswer(req: UnaryRequest, answer: HttpAnswer): UnaryResponse {
  const contentType = answer.headers['content-type'];
  if (answer.status !== 200) throw errorOf(answer, contentType);
  if (contentType !== contentTypeUnaryProto) {
    throw new ConnectError(`unsupported content type ${String(contentType)}`, Code.Internal);
  }
  let metadata: readonly [Headers, Headers] | undefined;
  // Few callers look at them, and they cost more than the message.
  const split = (): readonly [Headers, Headers] => (metadata ??= trailerDemux(toHeaders(answer.headers)));
  return {
    stream: false,
    service: req.method.parent,
    method: req.method,
    message: fromBinary(req.method.output, answer.body),
    get header() {
      return split()[0];
    },
    get trailer() {
      return split()[1];
    },
  };
}

function errorOf(answer: HttpAnswer, contentType: string | undefined): ConnectError {
  const headers = toHeaders(answer.headers);
  const fallback = new ConnectError(
    `HTTP ${String(answer.status)}`,
    codeFromHttpStatus(answer.status),
    headers,
  );
  if (contentType !== contentTypeUnaryJson) return fallback;
  const [metadata, trailer] = trailerDemux(headers);
  for (const [name, value] of trailer) metadata.append(name, value);
  return errorFromJsonBytes(answer.body, metadata, fallback);
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
