import { setTimeout as wait } from 'node:timers/promises';
import type { ConnectorHead } from '@fairlead/connector-model/model';
import { EgressError } from '@fairlead/egress/error';
import type { Egress, EgressResponse } from '@fairlead/egress/egress';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { Deadline } from '../deadline.ts';
import type { HttpRequest } from './request.ts';
import { limitedForMs } from './vendor-limit.ts';
import { isTransientEgressCode, isTransientStatus, retryDelayMs } from './retry-policy.ts';
import { saysThrottled } from './stated-success.ts';

/** Largest response of a vendor. The part that becomes the output has a smaller limit of its own. */
export const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

/** Sends the requests of one call. */
export interface Sender {
  /** Returns the response, whatever its status. Throws EgressError. */
  send(request: HttpRequest): Promise<EgressResponse>;
  /** Attempts of the call so far: the first one and each automatic retry, over all its requests. */
  attempts(): number;
}

/**
 * Creates the sender of one call. With `isRetryable` (the tool is read-only or idempotent), it repeats requests after
 * transient failures, as long as attempts and time are left.
 */
export function createSender(o: {
  readonly egress: Egress;
  /** The number of sockets is limited per account. */
  readonly accountId: string;
  readonly deadline: Deadline;
  readonly isRetryable: boolean;
  /** How the vendor states its limits. */
  readonly connector: Pick<ConnectorHead, 'rateLimit' | 'throttle'>;
  /** Called with the time for which the vendor refuses further calls of the credential, each time that the vendor states one. */
  readonly onLimited?: ((forMs: number) => void) | undefined;
}): Sender {
  let attempts = 1;

  /** Waits until the next attempt; returns false if there is no further attempt. */
  const mayTryAgain = async (retryAfter?: string, limitedMs?: number): Promise<boolean> => {
    if (!o.isRetryable) return false;
    const remainingMs = o.deadline.remainingMs();
    const delayMs = retryDelayMs({
      attempt: attempts,
      retryAfter,
      limitedForMs: limitedMs,
      remainingMs,
      random: Math.random(),
      now: new Date(),
    });
    if (delayMs === undefined) return false;
    const waited = await wait(delayMs, true, { signal: o.deadline.signal }).catch(() => false);
    if (waited) attempts += 1;
    return waited;
  };

  const send = async (request: HttpRequest): Promise<EgressResponse> => {
    for (;;) {
      try {
        const response = await sendOnce(o, request);
        const isThrottled = response.status === 429 || saysThrottled(o.connector, response);
        const limitedMs = limitedForMs(response, o.connector.rateLimit, new Date(), isThrottled);
        if (limitedMs !== undefined) o.onLimited?.(limitedMs);
        if (!isThrottled && !isTransientStatus(response.status)) return response;
        if (!(await mayTryAgain(response.headers['retry-after'], limitedMs))) return response;
      } catch (error) {
        const isTransient = error instanceof EgressError && isTransientEgressCode(error.code);
        if (!isTransient || !(await mayTryAgain())) throw error;
      }
    }
  };

  return { send, attempts: () => attempts };
}

function sendOnce(
  {
    egress,
    deadline,
    accountId,
  }: { readonly egress: Egress; readonly deadline: Deadline; readonly accountId: string },
  request: HttpRequest,
): Promise<EgressResponse> {
  return egress.request({
    method: request.method,
    url: request.url.href,
    headers: { ...request.headers },
    ...(request.body === undefined ? {} : { body: request.write?.() ?? jsonBytes(request.body) }),
    ...(request.redirect !== undefined && { redirect: request.redirect }),
    signal: deadline.signal,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    destination: accountId,
  });
}
