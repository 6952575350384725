import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { EgressError } from './error.ts';

/** The names of the content codings; none is requested, but some servers encode anyway. */
const DECODERS = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

const CHUNK_BYTES = 64 * 1024;
const MIB = 1024 * 1024;

/**
 * The body without its content coding, decoded outside of the main thread; a body in an unknown coding is returned unchanged. Above
 * `maxBytes` it stops and fails with `response_too_large`.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string | undefined,
  { maxBytes, host }: { readonly maxBytes: number; readonly host: string },
): Promise<Buffer> {
  const decode = DECODERS.get(encoding?.trim().toLowerCase() ?? '');
  if (decode === undefined || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(host, maxBytes);
    throw new EgressError('invalid_response', `The response of ${host} cannot be decoded.`, error);
  }
}

/** The error for a body above a limit. */
export function tooLarge(host: string, maxBytes: number): EgressError {
  const limit = maxBytes % MIB === 0 ? `${maxBytes / MIB} MiB` : `${maxBytes} bytes`;
  return new EgressError('response_too_large', `The response of ${host} is larger than ${limit}.`);
}
