import type { IncomingMessage } from 'node:http';
import { joinReceived } from '@fairlead/connect-fast/join-received';
import { ApiError } from '@fairlead/errors/api-error';

/** Delays reading a large body until it is admitted. */
export interface LargeBodyRule {
  /** A body above this size is large. */
  readonly bytes: number;
  /** Resolves when the rest may be read; if it rejects, so does the read. */
  readonly admit: () => Promise<void>;
  /** Minimum speed of the rest. */
  readonly pace: Pace;
}

/** A minimum speed: bytes per second, after a grace period. */
export interface Pace {
  readonly bytesPerSecond: number;
  readonly graceMs: number;
}

/** Interval at which a body's speed is checked. */
const EXAMINE_MS = 500;

/**
 * The body of a request as it was sent. Undefined if it has more than `maxBytes`, as soon as that is known: what the
 * client still sends is discarded when the response is sent. Rejects if the connection breaks or `signal` aborts, and with
 * TIMEOUT if a large body arrives too slowly; then it holds nothing of the body any more.
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
  // Before anything is read, so that waiting data stays with the client.
  const isKnownLarge = large !== undefined && Number(declared) > large.bytes;
  if (isKnownLarge) await large.admit();
  return collect(request, { ...o, isAdmitted: large === undefined || isKnownLarge });
}

function collect(
  request: IncomingMessage,
  {
    maxBytes,
    signal,
    large,
    isAdmitted: wasAdmitted,
  }: Parameters<typeof readWhole>[1] & { readonly isAdmitted: boolean },
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isAdmitted = wasAdmitted;
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      clearInterval(timer);
      request.off('data', onData);
      signal.removeEventListener('abort', onAbort);
    };
    const abandon = (error: unknown): void => {
      stop();
      chunks.length = 0;
      reject(error);
    };
    const onAbort = (): void => abandon(signal.reason);
    const keepPace = ({ bytesPerSecond, graceMs }: Pace): void => {
      const [from, startedAt] = [length, performance.now()];
      timer = setInterval(
        () => {
          const dueBytes = ((performance.now() - startedAt - graceMs) / 1000) * bytesPerSecond;
          if (length - from < dueBytes) abandon(new ApiError('TIMEOUT', 'The body arrives too slowly.'));
        },
        Math.min(EXAMINE_MS, graceMs),
      ).unref();
    };
    const readOn = async ({ admit, pace }: LargeBodyRule): Promise<void> => {
      await admit();
      keepPace(pace);
      request.resume();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > maxBytes) {
        stop();
        chunks.length = 0;
        resolve(undefined);
        // The rest of the body is discarded.
        request.resume();
        return;
      }
      chunks.push(chunk);
      if (isAdmitted || large === undefined || length <= large.bytes) return;
      isAdmitted = true;
      request.pause();
      readOn(large).catch(abandon);
    };
    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    if (isAdmitted && large !== undefined) keepPace(large.pace);
    request.on('data', onData);
    request.on('end', () => {
      stop();
      resolve(joinReceived(chunks));
    });
    request.on('error', abandon);
  });
}
