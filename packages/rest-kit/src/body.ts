import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { LargeBodyRule } from '@fairlead/service-kit/http/read-whole';
import { requireJsonBounds } from './json-bounds.ts';
import { jsonFault } from './json-fault.ts';
import { guardJson } from './json-guard.ts';

/** Largest body of an operation, in bytes. */
export const MAX_BODY_BYTES = 5 * 1024 * 1024;

/** Reads the body's bytes; throws PAYLOAD_TOO_LARGE above 5 MiB. A large body waits for a place in memory first. */
export async function readBody(exchange: Exchange, large?: LargeBodyRule): Promise<Buffer> {
  const bytes = await exchange.readBody(large && { large });
  if (bytes === undefined) throw new ApiError('PAYLOAD_TOO_LARGE', 'The body must be at most 5 MiB.');
  return bytes;
}

/**
 * Parses a JSON object. Throws MALFORMED_BODY for anything else, including an empty body. Before anything is built,
 * throws VALIDATION_ERROR above `maxValues` JSON values or MAX_DEPTH levels.
 */
export function parseBody(bytes: Buffer, { maxBodyValues }: { readonly maxBodyValues: number }): JsonObject {
  if (bytes.length === 0) {
    throw new ApiError('MALFORMED_BODY', 'The request needs a JSON object as its body.');
  }
  const isSuspect = requireJsonBounds(bytes, maxBodyValues);
  const value = parseJson(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('MALFORMED_BODY', 'The body must be a JSON object.');
  }
  // JSON.parse returns only JSON values, so an object is a JSON object.
  const body = value as JsonObject;
  if (isSuspect) guardJson(body);
  return body;
}

/** A decoder that keeps no state between texts. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function parseJson(bytes: Buffer): unknown {
  const text = decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    throw new ApiError('MALFORMED_BODY', `The body is not JSON${fault === undefined ? '' : `: ${fault}`}.`);
  }
}

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new ApiError('MALFORMED_BODY', 'The body is not UTF-8.', { cause });
  }
}

/** Throws UNSUPPORTED_MEDIA_TYPE if the headers do not declare a JSON body. */
export function checkMediaType(request: IncomingMessage): void {
  const [essence = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const encoding = request.headers['content-encoding'] ?? 'identity';
  const isJson =
    essence === 'application/json' &&
    parameters.every((parameter) => !/^charset=(?!"?utf-?8"?$)/.test(parameter));
  if (!isJson || encoding.toLowerCase() !== 'identity') {
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be sent as application/json, in UTF-8 and without a Content-Encoding.',
    );
  }
}
