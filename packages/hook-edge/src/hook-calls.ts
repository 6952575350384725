import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  HookCallSchema,
  HookResult,
  HookService,
} from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { LARGE_BODY_BYTES } from '@fairlead/rest-kit/large-bodies';
import { createBatcher } from '@fairlead/service-kit/batch/batcher';
import type { Batcher, BatchLimits } from '@fairlead/service-kit/batch/batcher';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import type { Timers } from '@fairlead/service-kit/timers';
import { createLargeTurns } from './large-turns.ts';
import type { HookTarget } from './hook-tokens.ts';

/** A call to an inbound address. */
export type HookCall = MessageInitShape<typeof HookCallSchema> & {
  readonly tokenHash: string;
  readonly body: Uint8Array;
};

/** Passes calls on to the triggers service. */
export interface HookCalls {
  /**
   * Captures a call. RATE_LIMIT_EXCEEDED, with nothing done, if too many calls wait; the signal's reason if that
   * aborts first. `onOutdated` is called if the trigger's calls turn out to be slow, contrary to `target`.
   */
  capture(
    call: HookCall,
    o: {
      readonly target: Pick<HookTarget, 'takesTime' | 'accountId'>;
      readonly signal: AbortSignal;
      readonly onOutdated: () => void;
    },
  ): Promise<HookResult>;
  /** Resolves when no call waits and no request is in progress. For a stop. */
  drain(): Promise<void>;
}

/**
 * Batching of quick calls: those that arrive during an RPC share the next one. If many callers each send one call
 * after the other, the next RPC waits a little for the callers that just got answers; otherwise two groups of callers
 * would alternate, with half as many calls in each RPC.
 */
const QUICK: BatchLimits = {
  itemsPerBatch: 200,
  bytesPerBatch: 8 * 1024 * 1024,
  waitingItems: 2_000,
  waitingBytes: 64 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
  fewItems: 3,
  rest: { ms: 20, afterItems: 8, timesTaken: 1.3 },
};
/** Limits of the slow calls to one address, besides the account's limits for calls in progress and for large calls. */
const SLOW: BatchLimits = {
  itemsPerBatch: 50,
  bytesPerBatch: 8 * 1024 * 1024,
  waitingItems: 200,
  waitingBytes: 16 * 1024 * 1024,
  batches: 4,
  slowMs: 100,
  fewItems: 3,
};

type CallBatcher = Batcher<HookCall, HookResult>;

/**
 * Sends calls in batches, whose calls are answered together. Slow calls (because of their trigger's filter) share
 * batches only with calls to the same address, so that no other call waits for them. Large calls of an account are
 * sent one after the other.
 */
export function createHookCalls(o: {
  readonly hooks: Pick<RpcClient<typeof HookService>, 'captureCalls' | 'captureLargeCall'>;
  readonly newContext: () => RequestContext;
  /** Limits of quick calls; default: the limits of production. */
  readonly queue?: BatchLimits | undefined;
  readonly timers?: Timers;
}): HookCalls {
  const createCallBatcher = (limits: BatchLimits, onlyQuick: boolean): CallBatcher =>
    createBatcher({
      limits,
      async process(batch) {
        const { results } = await o.hooks.captureCalls(o.newContext(), { calls: [...batch], onlyQuick });
        return results.map((value) => ({ status: 'done', value }));
      },
    });
  const turns = createLargeTurns(o.timers);
  const quick = createCallBatcher(o.queue ?? QUICK, true);
  /** Batchers by token, each kept until it is empty. */
  const slow = new Map<string, CallBatcher>();
  /** Large calls in progress. */
  const large = new Set<Promise<HookResult>>();

  async function captureLarge(call: HookCall): Promise<HookResult> {
    const { body } = call;
    const { result } = await o.hooks.captureLargeCall(o.newContext(), {
      call: { ...call, body: new Uint8Array() },
      body,
    });
    if (result === undefined) throw new Error('A large call has no result.');
    return result;
  }

  function addLarge(call: HookCall): Promise<HookResult> {
    const result = captureLarge(call).finally(() => large.delete(result));
    large.add(result);
    return result;
  }

  function addSlow(call: HookCall, signal: AbortSignal): Promise<HookResult> {
    const { tokenHash, body } = call;
    const known = slow.get(tokenHash);
    const batcher = known ?? createCallBatcher(SLOW, false);
    const result = batcher.add(call, { bytes: body.length, signal });
    if (known === undefined) {
      slow.set(tokenHash, batcher);
      void batcher.drain().then(() => slow.delete(tokenHash));
    }
    return result;
  }

  return {
    async capture(call, { target, signal, onOutdated }) {
      const { length } = call.body;
      if (length > LARGE_BODY_BYTES)
        return turns.run({ accountId: target.accountId, bytes: length, signal }, () => addLarge(call));
      if (target.takesTime) return addSlow(call, signal);
      const result = await quick.add(call, { bytes: length, signal });
      if (result.outcome.case !== 'takesTime') return result;
      onOutdated();
      return addSlow(call, signal);
    },
    async drain() {
      await quick.drain();
      await Promise.all([...slow.values()].map((batcher) => batcher.drain()));
      await Promise.allSettled(large);
      turns.close();
    },
  };
}
