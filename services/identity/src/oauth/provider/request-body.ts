import type { IncomingMessage } from 'node:http';
import type { Exchange } from '@fairlead/service-kit/http/exchange';

/** Largest body that the authorization server reads: forms, and registrations of clients. */
export const MAX_BODY_BYTES = 48 * 1024;

/** The body as text; undefined if it is too large, compressed or not UTF-8, none of which OAuth clients send. */
export async function readBodyText(
  exchange: Exchange,
  request: IncomingMessage,
): Promise<string | undefined> {
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return undefined;
  const bytes = await exchange.readBody();
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
