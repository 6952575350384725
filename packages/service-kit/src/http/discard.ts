import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';

/** A body up to this size usually arrives in one read. */
const SHORT_BYTES = 64 * 1024;
/** Interval at which a part of a body is discarded: one or two reads of 64 KiB. */
const PART_MS = 5;
/** Maximum unread bodies. Each occupies up to two reads in memory. */
const MAX_UNREAD = 256;

/** Discards the rest of requests that already have their responses. */
export interface Discard {
  /** Call this before sending the response. */
  prepare(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * Discards unread bodies part by part, in turn, and disconnects those above the maximum. Node itself reads each as
 * fast as it arrives: during a flood of refused requests, it would read megabytes in each turn of the event loop and
 * delay everybody else.
 */
export function createDiscard(timers: Timers = systemTimers): Discard {
  const unread = new Set<IncomingMessage>();
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || unread.size === 0) return;
    isScheduled = true;
    timers.after(PART_MS, () => {
      isScheduled = false;
      discardPart();
      schedule();
    });
  }

  function discardPart(): void {
    const [request] = unread;
    if (request === undefined) return;
    unread.delete(request);
    if (request.complete) request.resume();
    else if (!request.destroyed) {
      request.read();
      unread.add(request);
    }
  }

  function begin(request: IncomingMessage): void {
    if (request.complete || request.destroyed) return;
    request.pause();
    // After the response, Node by itself discards a body of which nothing was read.
    request.read();
    const [first] = unread;
    if (unread.size >= MAX_UNREAD && first !== undefined) {
      unread.delete(first);
      first.destroy();
    }
    unread.add(request);
    schedule();
  }

  return {
    prepare(request, response) {
      const { 'transfer-encoding': encoding, 'content-length': length } = request.headers;
      if (encoding !== undefined || Number(length ?? 0) > SHORT_BYTES)
        response.once('prefinish', () => begin(request));
    },
  };
}
