import { timestampDate } from '@bufbuild/protobuf/wkt';
import { LicenceStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type {
  CredentialService,
  ResolveConnectionRequest,
  ResolveConnectionResponse,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { Batcher, BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import { createSharedReads } from '@fairlead/service-kit/cache/shared-reads';
import type { SharedReads } from '@fairlead/service-kit/cache/shared-reads';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { fromItemError } from '@fairlead/service-kit/rpc/errors';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';

/** Names a connection that a call is about to use. */
export type ResolveRequest = Pick<ResolveConnectionRequest, 'by' | 'endUserId'>;

/** Resolves connections for calls. */
interface ConnectionResolver {
  /**
   * The connection with its credential, from a read that began at most SHARED_READ_MS ago; a change that was acknowledged is seen
   * (service-kit cache/shared-reads). Rejects with ApiErrors only, like an RPC of its own.
   */
  resolve(ctx: RequestContext, request: ResolveRequest): Promise<ResolveConnectionResponse>;
  /** Drops the caller's shared reads, so that later calls read anew. */
  forget(ctx: RequestContext): void;
}

interface ResolveJob {
  /** The context of the first call. */
  readonly ctx: RequestContext;
  readonly request: ResolveRequest;
}

type ResolveResult = ItemResult<ResolveConnectionResponse>;

interface CallerReads {
  readonly batcher: Batcher<ResolveJob, ResolveConnectionResponse>;
  /** Reads in progress, by the named connection. */
  readonly shared: SharedReads<ResolveConnectionResponse>;
}

interface Time {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly timers: Timers;
}

/** No limit on waiting callers: they are in memory anyway, and permits limit their number. */
const LIMITS: BatchLimits = {
  // Maximum number of items of one RPC.
  itemsPerBatch: 200,
  bytesPerBatch: Infinity,
  waitingItems: Infinity,
  waitingBytes: Infinity,
  batches: 4,
  slowMs: 20,
  rest: { ms: 10, afterItems: 3, timesTaken: 2 },
};
/** Batches have no deadline: callers leave at their own. */
const SHARED_TIMEOUT_MS = 10_000;
/** Maximum number of callers with a batcher. An evicted batcher finishes its work; the caller's next call gets a new one. */
const MAX_CALLERS = 2_000;
/** Maximum number of one caller's connections whose reads are shared, with their credentials. */
const MAX_CONNECTIONS = 200;

/**
 * Resolves connections. Calls of one caller share the read of a connection that began a moment ago. Reads of other connections that arrive
 * during an RPC share the next one (service-kit batch/batcher). `nowMs`, `clock` and `timers` replace the process's time in tests.
 */
export function createConnectionResolver(
  credentials: Pick<RpcClient<typeof CredentialService>, 'resolveConnections'>,
  { nowMs = () => performance.now(), clock = systemClock, timers = systemTimers }: Partial<Time> = {},
): ConnectionResolver {
  // Batchers by caller, because callers see different connections. Kept while idle, because the last batch determines the next pause.
  const callers = new Map<string, CallerReads>();

  async function process(jobs: readonly ResolveJob[]): Promise<readonly ResolveResult[]> {
    const [first] = jobs;
    if (first === undefined) return [];
    const items = jobs.map(({ request, ctx }) => ({ request, requestIds: [ctx.requestId] }));
    // No caller that leaves ends the RPC. A combined signal would keep references to all of their calls (ADR 54).
    const shared = { ...first.ctx, signal: new AbortController().signal, deadline: undefined };
    const timeoutMs = SHARED_TIMEOUT_MS;
    const { results } = await credentials.resolveConnections(shared, { items }, { timeoutMs });
    return jobs.map((_, index) => {
      const { found, error } = results[index] ?? {};
      if (found !== undefined) return { status: 'done', value: found };
      return error === undefined ? NO_RESULT : { status: 'failed', error: fromItemError(error) };
    });
  }

  function readsOf(caller: string): CallerReads {
    const reads = callers.get(caller) ?? {
      batcher: createBatcher({ process, limits: LIMITS, now: nowMs }),
      shared: createSharedReads({ capacity: MAX_CONNECTIONS, nowMs, timers }),
    };
    rememberRecent(callers, caller, reads, MAX_CALLERS);
    return reads;
  }

  return {
    async resolve(ctx, request) {
      const { batcher, shared } = readsOf(nameOf(ctx.caller));
      const key = keyOf(request);
      // NOT_FOUND is not shared: the connection may have been created since.
      const read = async (isRetried = false): Promise<ResolveConnectionResponse> => {
        let isOwn = false;
        const begin = (): Promise<ResolveConnectionResponse> => {
          isOwn = true;
          return batcher.add({ ctx, request });
        };
        try {
          return await whileWaiting(ctx, shared.read(key, begin).value);
        } catch (error) {
          if (isOwn || isRetried || !saysMissing(error)) throw error;
          return await read(true);
        }
      };
      const resolved = await read();
      if (!hasEnded(resolved, clock.now())) return resolved;
      // The licence was in effect when the connection was read.
      shared.clear();
      return await read();
    },
    forget(ctx) {
      callers.get(nameOf(ctx.caller))?.shared.clear();
    },
  };
}

/** The result of a shared read; TIMEOUT for a caller who leaves. */
function whileWaiting<T>({ signal }: RequestContext, read: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void =>
      reject(new ApiError('TIMEOUT', 'The request took too long.', { cause: signal.reason }));
    if (signal.aborted) return leave();
    signal.addEventListener('abort', leave, { once: true });
    read.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function saysMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'NOT_FOUND' || error.code === 'NO_DEFAULT_CONNECTION');
}

function hasEnded({ connection }: ResolveConnectionResponse, now: Date): boolean {
  const { status, expiresAt } = connection?.licence ?? {};
  return status === LicenceStatus.ACTIVE && expiresAt !== undefined && timestampDate(expiresAt) <= now;
}

/** Keyed by object, which is the same for the same token (`createCallerVerifier`): comparing its many members would be slow. */
const names = new WeakMap<RequestContext['caller'], string>();

function nameOf(caller: RequestContext['caller']): string {
  const name = names.get(caller) ?? JSON.stringify(caller);
  names.set(caller, name);
  return name;
}

const NO_RESULT: ResolveResult = {
  status: 'failed',
  error: new TypeError('The connections service returned no result for a connection.'),
};

function keyOf({ by, endUserId }: ResolveRequest): string {
  return JSON.stringify([by.case, by.value, endUserId]);
}
