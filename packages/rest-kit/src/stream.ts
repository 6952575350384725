import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '@fairlead/errors/api-error';
import { startJson } from '@fairlead/service-kit/http/reply';

/** Sends the rest of a response. Resolves to whether the client received all of it; rejects if the pieces end with an error. */
export type StreamRest = () => Promise<boolean>;

/**
 * Waits for the first of `pieces`, so that an earlier failure becomes an ordinary error response. Returns the
 * function that sends all pieces, at the client's speed. A client that reads nothing for `stallMs` is disconnected.
 */
export async function openStream(
  request: IncomingMessage,
  response: ServerResponse,
  o: {
    readonly status: number;
    readonly pieces: AsyncIterable<string | Uint8Array>;
    readonly stallMs: number;
  },
): Promise<StreamRest> {
  const pieces = o.pieces[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (response.headersSent || response.destroyed) {
    // Too late: the deadline has sent a response, or the client has disconnected.
    await pieces.return?.();
    return () => Promise.resolve(false);
  }
  return async () => {
    try {
      startJson(response, o.status);
      for (let piece = first; piece.done !== true; piece = await pieces.next()) {
        if (response.destroyed) return false;
        if (request.method === 'HEAD') break;
        if (!response.write(piece.value)) await awaitDrain(response, o.stallMs);
      }
      if (response.destroyed) return false;
      response.end();
      return true;
    } finally {
      await pieces.return?.();
    }
  };
}

async function awaitDrain(response: ServerResponse, stallMs: number): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    const isStalled = await Promise.race([
      once(response, 'drain', { signal }).then(() => false),
      once(response, 'close', { signal }).then(() => false),
      delay(stallMs, true, { signal }),
    ]);
    if (isStalled) throw new ApiError('TIMEOUT', 'The client did not read the response.');
  } finally {
    done.abort();
  }
}
