import type { IncomingMessage } from 'node:http';

/**
 * The body of a request as it was sent. Undefined if it has more than `maxBytes`, as soon as that is known: what the
 * client still sends is discarded when the response is sent. Rejects if the connection breaks.
 */
export function readWhole(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const declared = request.headers['content-length'];
  if (declared === undefined ? request.headers['transfer-encoding'] === undefined : declared === '0') {
    return Promise.resolve(Buffer.alloc(0));
  }
  if (Number(declared) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(undefined);
      }
    });
    request.on('end', () => resolve(Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
