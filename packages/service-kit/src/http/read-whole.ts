import type { IncomingMessage } from 'node:http';

/** What a large body waits for before more of it is read. */
export interface LargeBodyRule {
  /** A body above this size is large. */
  readonly bytes: number;
  /** Resolves when the rest may be read; its rejection is that of the read. */
  readonly admit: () => Promise<void>;
}

/**
 * The body of a request as it was sent. Undefined if it has more than `maxBytes`, as soon as that is known: what the
 * client still sends is discarded when the response is sent. Rejects if the connection breaks or `signal` aborts; then it
 * holds nothing of the body any more.
 */
export async function readWhole(
  request: IncomingMessage,
  o: {
    readonly maxBytes: number;
    readonly signal: AbortSignal;
    readonly large?: LargeBodyRule | undefined;
  },
): Promise<Buffer | undefined> {
  const declared = request.headers['content-length'];
  if (declared === undefined ? request.headers['transfer-encoding'] === undefined : declared === '0') {
    return Buffer.alloc(0);
  }
  if (Number(declared) > o.maxBytes) return undefined;
  const { large } = o;
  // Before anything is read, so that what waits stays with the client.
  const isKnownLarge = large !== undefined && Number(declared) > large.bytes;
  if (isKnownLarge) await large.admit();
  return collect(request, { ...o, large: isKnownLarge ? undefined : large });
}

function collect(
  request: IncomingMessage,
  { maxBytes, signal, large }: Parameters<typeof readWhole>[1],
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isAdmitted = large === undefined;
    const abandon = (error: unknown): void => {
      request.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      chunks.length = 0;
      reject(error);
    };
    const onAbort = (): void => abandon(signal.reason);
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) {
        chunks.length = 0;
        resolve(undefined);
        return;
      }
      chunks.push(chunk);
      if (isAdmitted || large === undefined || length <= large.bytes) return;
      isAdmitted = true;
      request.pause();
      large.admit().then(() => request.resume(), abandon);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    request.on('data', onData);
    request.on('end', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(Buffer.concat(chunks));
    });
    request.on('error', abandon);
  });
}
