import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemTimers } from '../timers.ts';
import type { Timers } from '../timers.ts';

/** A body of at most so many bytes arrives in one read, or nearly. */
const SHORT_BYTES = 64 * 1024;
/** How often a part of one body is discarded: a read or two of 64 KiB. */
const PART_MS = 5;
/** Unread bodies at once. Each holds up to two reads in memory. */
const MAX_UNREAD = 256;

/** Discards what clients still send of requests that have their responses. */
export interface Discard {
  /** Call this before the response is sent. */
  prepare(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * Discards unread bodies part by part, all in turn, and cuts off those beyond a bound. Node by itself reads each as fast as it arrives:
 * a flood of refused requests is then read by the megabyte in each turn of the event loop, while everybody else waits.
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
    // Once the response is sent, Node discards a body of which nothing was read.
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
