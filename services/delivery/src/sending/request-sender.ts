import type { Clock } from '@fairlead/service-kit/clock';
import { EgressError } from '@fairlead/egress/error';
import type { Egress, EgressRequest } from '@fairlead/egress/egress';
import { signatureHeaders } from '@fairlead/webhook-signature/signature-headers';
import { outcomeOfError, outcomeOfStatus } from '../domain/outcome.ts';
import type { SendRequest, SignedRequest, Target } from '../ports/sender.ts';

/** For DNS, connection, TLS, request and the whole response. */
const DEADLINE_MS = 10_000;
/** Beyond this size the status counts, and the connection is closed. */
const MAX_RESPONSE_BYTES = 64 * 1024;
/** If a kept-alive connection is lost within this time, the server had already closed it. */
const STALE_MS = 1_000;

const USER_AGENT = 'Fairlead-Events/1';

/**
 * Sends signed requests through the guarded egress. Redirects are not followed, and nothing is decompressed. If a kept-alive connection
 * turns out to be closed, the request is sent again on a new one, within the same attempt. If connecting took so long that the target is
 * not current any more, the request is signed again for the current target.
 */
export function createRequestSender(o: {
  readonly egress: Pick<Egress, 'request'>;
  readonly clock: Clock;
  /** Default: 10 s. */
  readonly deadlineMs?: number;
}): SendRequest {
  const { egress, clock, deadlineMs = DEADLINE_MS } = o;

  /** The status of the response; rejects with an EgressError if there is none. */
  async function send(
    request: SignedRequest,
    target: Target,
    limits: Pick<EgressRequest, 'timeoutMs' | 'isNewConnection'>,
  ): Promise<number> {
    const options = requestOf(request, target, clock.now());
    const response = await egress.request({ ...options, ...limits });
    return response.status;
  }

  return async (request) => {
    const start = performance.now();
    const elapsedMs = (): number => Math.round(performance.now() - start);
    let { target } = request;
    let lost: EgressError['code'] | undefined;
    let isNewConnection = false;
    for (;;) {
      const timeoutMs = deadlineMs - elapsedMs();
      try {
        return outcomeOfStatus(await send(request, target, { timeoutMs, isNewConnection }), elapsedMs());
      } catch (error) {
        isNewConnection = lost === undefined && isStale(error) && elapsedMs() <= STALE_MS;
        if (!isNewConnection && codeOf(error) !== 'not_begun')
          return outcomeOfError(codeOf(error), elapsedMs());
        if (isNewConnection) lost = codeOf(error);
      }
      const renewal = request.renew();
      const renewed = await (lost === undefined ? renewal : renewal.catch(() => undefined));
      // Does not begin without time for a response, because the receiver may process a request that we abort.
      if (renewed === undefined || elapsedMs() >= deadlineMs)
        return lost && outcomeOfError(lost, elapsedMs());
      target = renewed;
    }
  };
}

function requestOf(
  { eventId, triggerId, body, attempt }: SignedRequest,
  target: Target,
  sentAt: Date,
): Omit<EgressRequest, 'timeoutMs'> {
  return {
    method: 'POST',
    url: target.url,
    headers: {
      ...target.headers.reveal(),
      ...signatureHeaders({ secret: target.secret, eventId, sentAt, body }),
      'fairlead-attempt': String(attempt),
      'fairlead-trigger-id': triggerId,
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
    },
    body,
    // Not aborted with the caller: a started request cannot be taken back. A combined signal would keep references to all of them (ADR 54).
    signal: new AbortController().signal,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    redirect: 'manual',
    responseBody: 'beginning',
    destination: target.id,
    mayBegin: target.isCurrent,
  };
}

function isStale(error: unknown): boolean {
  return error instanceof EgressError && error.isKeptAliveLost;
}

function codeOf(error: unknown): EgressError['code'] {
  return error instanceof EgressError ? error.code : 'connection_failed';
}
