import { ApiError } from '@fairlead/errors/api-error';
import pLimit from 'p-limit';

/**
 * Runs `concurrency` pieces of costly work at once; `waiting` more wait in order, and what comes then is refused with
 * UNAVAILABLE, without having begun.
 */
export function boundWork(o: {
  readonly concurrency: number;
  readonly waiting: number;
}): <R>(work: () => Promise<R>) => Promise<R> {
  const limit = pLimit(o.concurrency);
  return async (work) => {
    if (limit.activeCount + limit.pendingCount >= o.concurrency + o.waiting) {
      throw new ApiError('UNAVAILABLE', 'Too much is being worked on at the moment. Try again shortly.');
    }
    return await limit(work);
  };
}
