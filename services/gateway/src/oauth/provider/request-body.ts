import type { IncomingMessage } from 'node:http';

/** Largest body that the authorization server reads: forms, and registrations of clients. */
export const MAX_BODY_BYTES = 48 * 1024;

/** The body as text; undefined where it is too large, compressed, or not UTF-8, none of which a client of ours sends. */
export async function readBodyText(request: IncomingMessage): Promise<string | undefined> {
  if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    // A request that nobody set an encoding for gives bytes.
    const bytes = chunk as Buffer;
    length += bytes.length;
    // The rest is read and thrown away, so that the answer reaches the client.
    if (length <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  if (length > MAX_BODY_BYTES) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    return undefined;
  }
}
