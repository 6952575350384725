import type {
  CredentialService,
  ResolveConnectionRequest,
  ResolveConnectionResponse,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { Batcher, BatchLimits, ItemResult } from '@fairlead/service-kit/batch/batcher';
import { rememberRecent } from '@fairlead/service-kit/cache/recent-entries';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { fromItemError } from '@fairlead/service-kit/rpc/errors';

/** Names a connection, for the call that follows at once. */
export type ResolveRequest = Pick<ResolveConnectionRequest, 'by' | 'endUserId'>;

/** Resolves connections for calls. */
interface ConnectionResolver {
  /**
   * The connection as it is now, with its credential: nobody gets what was read before they asked. Rejects with ApiErrors only, as
   * an RPC of its own would.
   */
  resolve(ctx: RequestContext, request: ResolveRequest): Promise<ResolveConnectionResponse>;
}

interface Wanted {
  readonly ctx: RequestContext;
  readonly request: ResolveRequest;
  /** The same for requests of the same connection. */
  readonly key: string;
}

type Resolved = ItemResult<ResolveConnectionResponse>;

/** Callers hold their call in memory anyway, and slots bound how many there are. */
const LIMITS: BatchLimits = {
  // The most items of one RPC.
  itemsPerBatch: 200,
  bytesPerBatch: Infinity,
  waitingItems: Infinity,
  waitingBytes: Infinity,
  batches: 4,
  slowMs: 20,
  rest: { ms: 10, afterItems: 3, timesTaken: 2 },
};
/** Callers leave at their own deadlines. */
const SHARED_TIMEOUT_MS = 10_000;
/** Callers whose batchers are kept. A dropped one ends what it has begun; the caller's next call gets a new one. */
const MAX_CALLERS = 2_000;

/**
 * Resolves connections with one RPC for all calls of one caller that arrived while another was under way (service-kit
 * batch/batcher), and each connection in it once. A call that is alone has an RPC of its own. `now` replaces the time of the
 * process in tests.
 */
export function createConnectionResolver(
  credentials: Pick<RpcClient<typeof CredentialService>, 'resolveConnection' | 'resolveConnections'>,
  now: () => number = () => performance.now(),
): ConnectionResolver {
  // By caller, because each may see other connections. Kept while idle: the last batch decides how long the next one rests.
  const batchers = new Map<string, Batcher<Wanted, ResolveConnectionResponse>>();

  async function process(wanted: readonly Wanted[]): Promise<readonly Resolved[]> {
    const [first, ...others] = wanted;
    if (first === undefined) return [];
    if (others.length > 0) return resolveTogether(first, wanted);
    const alone = { ...first.request, opensCredential: true };
    return [{ status: 'done', value: await credentials.resolveConnection(first.ctx, alone) }];
  }

  async function resolveTogether(first: Wanted, wanted: readonly Wanted[]): Promise<readonly Resolved[]> {
    const groups = Map.groupBy(wanted, ({ key }) => key);
    const items = [...groups.values()].flatMap(([one, ...rest]) =>
      one === undefined
        ? []
        : [{ request: one.request, requestIds: [one, ...rest].map(({ ctx }) => ctx.requestId) }],
    );
    const shared = { ...first.ctx, signal: NEVER, deadline: undefined };
    const timeoutMs = SHARED_TIMEOUT_MS;
    const { results } = await credentials.resolveConnections(shared, { items }, { timeoutMs });
    const resolved = new Map<string, Resolved>();
    for (const [index, key] of [...groups.keys()].entries()) {
      const { found, error } = results[index] ?? {};
      if (found !== undefined) resolved.set(key, { status: 'done', value: found });
      else if (error !== undefined) resolved.set(key, { status: 'failed', error: fromItemError(error) });
    }
    return wanted.map(({ key }) => resolved.get(key) ?? NO_RESULT);
  }

  function batcherOf(caller: string): Batcher<Wanted, ResolveConnectionResponse> {
    const batcher = batchers.get(caller) ?? createBatcher({ process, limits: LIMITS, now });
    rememberRecent(batchers, caller, batcher, MAX_CALLERS);
    return batcher;
  }

  return {
    resolve(ctx, request) {
      const batcher = batcherOf(nameOf(ctx.caller));
      const resolving = batcher.add({ ctx, request, key: keyOf(request) }, { signal: ctx.signal });
      return resolving.catch((error: unknown) => {
        if (ctx.signal.aborted) throw new ApiError('TIMEOUT', 'The request took too long.', { cause: error });
        throw error;
      });
    },
  };
}

/** Callers are the same object as long as their token is (`createCallerVerifier`), and have many members. */
const names = new WeakMap<RequestContext['caller'], string>();

function nameOf(caller: RequestContext['caller']): string {
  const name = names.get(caller) ?? JSON.stringify(caller);
  names.set(caller, name);
  return name;
}

/** Of a call that nobody's leaving ends. */
const NEVER = new AbortController().signal;

const NO_RESULT: Resolved = {
  status: 'failed',
  error: new TypeError('The connections service returned no result for a connection.'),
};

function keyOf({ by, endUserId }: ResolveRequest): string {
  return JSON.stringify([by.case, by.value, endUserId]);
}
