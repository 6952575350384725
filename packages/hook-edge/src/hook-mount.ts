import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HookService } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { ApiError, notFound, overloaded, validationError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Budgets } from '@fairlead/access/budgets';
import { MAX_BODY_BYTES, readBody } from '@fairlead/rest-kit/body';
import type { InProgress } from '@fairlead/rest-kit/in-progress';
import type { LargeBodies } from '@fairlead/rest-kit/large-bodies';
import { createHookCalls } from './hook-calls.ts';
import type { HookCall } from './hook-calls.ts';
import { createHookTokens } from './hook-tokens.ts';
import type { HookTarget } from './hook-tokens.ts';

const PREFIX = '/hooks';
const ROUTE = '/hooks/{token}';
const TOKEN = /^\/([0-9A-Za-z]{1,128})$/;
/** Headers that choose a canary, and the operator's key, which permits that. */
const CANARY_HEADER = /^x-(?:canary-|operator-key$)/i;
const MAX_KEY_LENGTH = 255;
/** Maximum wait of a large body for a place in memory. */
const LARGE_WAIT_MS = 2_000;
const RETRY_AFTER_SECONDS = 1;
const PASSING: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'TIMEOUT']);

const queueFull = registry.counter({
  name: 'hook_queue_full_total',
  help: 'Calls to inbound addresses that were refused because too many waited to be captured.',
  labels: [],
});

/** The budgets of calls to inbound addresses. */
export interface HookLimits {
  /** Counts a call to a trigger's inbound address; returns whether it is within the budget. */
  admitHook(triggerId: string, budgets: Budgets): boolean;
}

/** A call whose address may have a trigger. */
interface HookRequest {
  readonly exchange: Exchange;
  readonly request: Parameters<Mount['handle']>[1];
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly tokenHash: string;
  readonly query: string;
}

/** The inbound addresses of triggers: `POST /hooks/{token}`, without a credential. Closing the mount waits for accepted calls. */
export function createHooks(o: {
  readonly hooks: Pick<RpcClient<typeof HookService>, 'resolveHook' | 'captureCalls' | 'captureLargeCall'>;
  /** The budgets of an account; undefined: it no longer exists. */
  readonly findBudgets: (accountId: string) => Promise<Budgets | undefined>;
  readonly limits: HookLimits;
  readonly inProgress: InProgress;
  readonly largeBodies: LargeBodies;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
  /** Time limit of the answer. */
  readonly timeoutMs: number;
  /** Limits of quick calls; default: the limits of production. */
  readonly queue?: BatchLimits;
}): { readonly mount: Mount; drain(): Promise<void> } {
  const { hooks, inProgress } = o;
  // Requested for the platform itself, because callers of several accounts share a look-up or batch.
  const newContext = (): RequestContext =>
    createRequestContext({
      requestId: uuidv7(o.clock.now()),
      caller: { kind: 'service', service: 'gateway' },
      signal: new AbortController().signal,
      log: o.log,
    });
  const tokens = createHookTokens({
    clock: o.clock,
    timers: o.timers,
    async find(tokenHash) {
      const { triggerId, accountId, isDisabled, takesTime } = await hooks.resolveHook(newContext(), {
        tokenHash,
      });
      return triggerId === '' ? undefined : { triggerId, accountId, isDisabled, takesTime };
    },
  });
  const calls = createHookCalls({ hooks, newContext, queue: o.queue, timers: o.timers });

  const mount: Mount = {
    prefix: PREFIX,
    timeoutMs: o.timeoutMs,
    maxBodyBytes: MAX_BODY_BYTES,
    async handle(exchange, request, response) {
      exchange.route = ROUTE;
      const [path = '', query = ''] = split(request.url);
      const token = TOKEN.exec(path)?.[1];
      if (token === undefined) throw notFound('route');
      if (request.method !== 'POST') throw methodNotAllowed(response, ['POST']);
      const tokenHash = createHash('sha256').update(token).digest('base64url');
      const { signal } = exchange.contextFor({ kind: 'service', service: 'gateway' });
      // The exchange answers a call that takes too long; this adds the time to retry to that answer.
      const onAbort = (): void => {
        if (!response.headersSent) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      await take({ exchange, request, response, signal, tokenHash, query }).catch(toBeRetried);
    },
  };

  async function take({ exchange, request, response, signal, tokenHash, query }: HookRequest): Promise<void> {
    const target = await tokens.get(tokenHash);
    const budgets = target && (await o.findBudgets(target.accountId));
    // An account that is being erased takes no calls.
    if (target === undefined || budgets === undefined) throw notFound('route');
    const { accountId, triggerId } = target;
    exchange.accountId = accountId;
    const visit = inProgress.visit();
    const place = o.largeBodies.placeFor({ accountId, signal, waitMs: LARGE_WAIT_MS });

    const readCall = async (): Promise<HookCall> => {
      if (!o.limits.admitHook(triggerId, budgets))
        throw overloaded('The address has taken its calls of this second.');
      const key = keyOf(request);
      visit.enter(`hooks ${accountId}`, request);
      const body = await readBody(exchange, place);
      const traceparent = exchange.span?.headers()['traceparent'] ?? '';
      const { method } = request;
      const headers = withoutCanaryHeaders(request.rawHeaders);
      return { tokenHash, method, headers, query, body, traceparent, ...(key !== undefined && { key }) };
    };

    try {
      const call = await readCall().catch((error: unknown) => refuse(error, tokenHash, target));
      const onOutdated = (): void => tokens.forget(tokenHash);
      const { outcome } = await calls
        .capture(call, { target, signal, onOutdated })
        .catch(queueFullAsUnavailable);
      switch (outcome.case) {
        case 'eventId':
          sendJson(response, 202, { id: outcome.value });
          return;
        case 'filtered':
          sendJson(response, 200, { id: null });
          return;
        case 'notFound':
          throw notFound('route');
        case 'unauthorized':
          throw new ApiError('UNAUTHORIZED', 'The call does not have a valid signature of its sender.');
        default:
          throw unavailable();
      }
    } finally {
      place.release();
      visit.leave();
    }
  }

  /**
   * Throws the error. If the trigger is disabled by now, throws the error for an unknown token instead, whatever is
   * wrong with the call.
   */
  async function refuse(refusal: unknown, tokenHash: string, known: HookTarget): Promise<never> {
    if (!(refusal instanceof ApiError)) throw refusal;
    const target = await tokens.getPresent(tokenHash).catch(() => known);
    throw target?.isDisabled === false ? refusal : notFound('route');
  }

  return { mount, drain: () => calls.drain() };
}

/** Alternating names and values, without headers that are meant for the edge only. */
function withoutCanaryHeaders(raw: readonly string[]): string[] {
  return raw.filter((_text, at) => !CANARY_HEADER.test(raw[at - (at % 2)] ?? ''));
}

function split(url: string): readonly string[] {
  const at = url.indexOf('?');
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** The key by which a repeated call is recognised; undefined: none. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const field = headers['idempotency-key'] === undefined ? 'webhook-id' : 'Idempotency-Key';
  const key = headers['idempotency-key'] ?? headers['webhook-id'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  throw validationError({ field, issue: `must have 1 to ${MAX_KEY_LENGTH} characters` });
}

function queueFullAsUnavailable(error: unknown): never {
  if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') {
    queueFull.series().add();
    throw unavailable();
  }
  throw error;
}

function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The call cannot be taken at the moment. Try again shortly.');
}

/** Throws the error, with a time to retry if the platform is busy or unavailable. */
function toBeRetried(error: unknown): never {
  if (!(error instanceof ApiError) || !PASSING.has(error.code)) throw error;
  const { code, message } = error;
  throw new ApiError(code, message, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
}
