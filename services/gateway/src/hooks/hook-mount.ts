import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  HookCallSchema,
  HookResult,
  HookService,
} from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { ApiError, notFound, validationError } from '@fairlead/errors/api-error';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { methodNotAllowed } from '@fairlead/service-kit/http/app';
import type { Mount } from '@fairlead/service-kit/http/app';
import { sendJson } from '@fairlead/service-kit/http/reply';
import { uuidv7 } from '@fairlead/service-kit/ids';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { FindBudgets } from '../authentication/accounts.ts';
import { MAX_BODY_BYTES, readBody } from '@fairlead/rest-kit/body';
import type { InProgress } from '@fairlead/rest-kit/in-progress';
import type { LargeBodies } from '@fairlead/rest-kit/large-bodies';
import type { Limits } from '../limits/limits.ts';
import { createHookTokens } from './hook-tokens.ts';

const PREFIX = '/hooks';
const ROUTE = '/hooks/{token}';
const TOKEN = /^\/([0-9A-Za-z]{1,128})$/;
const MAX_KEY_LENGTH = 255;
/** Longest wait of a large body for its place. */
const LARGE_WAIT_MS = 2_000;

/**
 * The calls that arrive while one RPC is out share the next. Where many callers send one call after the other, the next RPC waits a
 * little for those that were just answered: otherwise two groups of callers would take turns, with half as many calls in each RPC.
 */
const QUEUE: BatchLimits = {
  itemsPerBatch: 200,
  bytesPerBatch: 8 * 1024 * 1024,
  waitingItems: 2_000,
  waitingBytes: 64 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
  fewItems: 3,
  rest: { ms: 20, afterItems: 8, timesTaken: 1.3 },
};

const queueFull = registry.counter({
  name: 'hook_queue_full_total',
  help: 'Calls to inbound addresses that were refused because too many waited to be captured.',
  labels: [],
});

/** The inbound addresses of triggers: `POST /hooks/{token}`, without a credential. Closing it waits for what was taken. */
export function createHooks(o: {
  readonly hooks: Pick<RpcClient<typeof HookService>, 'resolveHook' | 'captureCalls'>;
  readonly findBudgets: FindBudgets;
  readonly limits: Pick<Limits, 'admitHook'>;
  readonly inProgress: InProgress;
  readonly largeBodies: LargeBodies;
  readonly clock: Clock;
  readonly log: Logger;
  /** Longest time until the answer. */
  readonly timeoutMs: number;
  /** Default: those of production. */
  readonly queue?: BatchLimits;
}): { readonly mount: Mount; drain(): Promise<void> } {
  const { hooks, inProgress } = o;
  // On the platform's own behalf: callers share a lookup or a batch, which spans accounts.
  const newContext = (): RequestContext =>
    createRequestContext({
      requestId: uuidv7(o.clock.now()),
      caller: { kind: 'service', service: 'gateway' },
      signal: new AbortController().signal,
      log: o.log,
    });
  const tokens = createHookTokens({
    clock: o.clock,
    async find(tokenHash) {
      const { triggerId, accountId } = await hooks.resolveHook(newContext(), { tokenHash });
      return triggerId === '' ? undefined : { triggerId, accountId };
    },
  });
  const calls = createBatcher<MessageInitShape<typeof HookCallSchema>, HookResult>({
    limits: o.queue ?? QUEUE,
    async process(batch) {
      const { results } = await hooks.captureCalls(newContext(), { calls: [...batch] });
      return results.map((value) => ({ status: 'done', value }));
    },
  });

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
      const target = await tokens.get(tokenHash);
      const budgets = target && (await o.findBudgets(target.accountId));
      // An account that is being erased takes no calls.
      if (target === undefined || budgets === undefined) throw notFound('route');
      const { accountId, triggerId } = target;
      exchange.accountId = accountId;
      if (!o.limits.admitHook(triggerId, budgets))
        throw new ApiError('RATE_LIMIT_EXCEEDED', 'The address has taken its calls of this second.', {
          retryAfterSeconds: 1,
        });
      const key = keyOf(request);
      const { signal } = exchange.contextFor({ kind: 'service', service: 'gateway' });
      const visit = inProgress.visit();
      const place = o.largeBodies.placeFor({ accountId, signal, waitMs: LARGE_WAIT_MS });
      try {
        visit.enter(`hooks ${accountId}`, request);
        const body = await readBody(exchange, place);
        const traceparent = exchange.span?.headers()['traceparent'] ?? '';
        const call = {
          tokenHash,
          method: request.method,
          headers: request.rawHeaders,
          query,
          body,
          traceparent,
        };
        const adding = calls.add(
          { ...call, ...(key !== undefined && { key }) },
          { bytes: body.length, signal },
        );
        const { outcome } = await adding.catch(overloadedAsUnavailable);
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
    },
  };
  return { mount, drain: () => calls.drain() };
}

function split(url: string): readonly string[] {
  const at = url.indexOf('?');
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)];
}

/** What makes two calls the same one; undefined: nothing does. */
function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'] ?? headers['webhook-id'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  throw validationError({ field: 'Idempotency-Key', issue: `must have 1 to ${MAX_KEY_LENGTH} characters` });
}

function overloadedAsUnavailable(error: unknown): never {
  if (error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED') {
    queueFull.series().add();
    throw unavailable();
  }
  throw error;
}

function unavailable(): ApiError {
  return new ApiError('UNAVAILABLE', 'The call cannot be taken at the moment. Try again shortly.', {
    retryAfterSeconds: 1,
  });
}
