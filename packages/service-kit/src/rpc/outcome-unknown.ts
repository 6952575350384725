import { ApiError } from '@fairlead/errors/api-error';
import { isUnanswered } from './errors.ts';

/**
 * Settles like an RPC that may call an application, but with TIMEOUT if the request was sent and got no response,
 * because it may have had an effect. UNAVAILABLE would mean that nothing was executed: it frees the call's
 * Idempotency-Key, and clients repeat the call.
 */
export async function orOutcomeUnknown<R>(call: Promise<R>): Promise<R> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof ApiError) || !isUnanswered(error)) throw error;
    throw new ApiError('TIMEOUT', 'No answer came. It is unknown whether the call took effect.', {
      cause: error,
    });
  }
}
