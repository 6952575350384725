import type { Clock } from '@fairlead/service-kit/clock';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { DESTINATION_DELETED, WORKER_LOST } from '../domain/outcome.ts';
import type { AttemptOutcome } from '../domain/outcome.ts';
import { MAX_LOST_CLAIMS } from '../domain/transition.ts';
import type { AttemptMetrics } from '../ports/attempt-metrics.ts';
import type {
  ClaimedDelivery,
  DeliveryStore,
  Settlement,
  SettlementResult,
} from '../ports/delivery-store.ts';
import type { SendRequest } from '../ports/sender.ts';
import type { DeliveryTarget, Targets } from '../ports/targets.ts';

/** What makeAttempt needs. */
export interface MakeAttemptDeps {
  readonly deliveries: Pick<DeliveryStore, 'hold' | 'release'>;
  readonly settle: (settlement: Settlement) => Promise<SettlementResult>;
  readonly targets: Targets;
  readonly send: SendRequest;
  readonly metrics: Pick<AttemptMetrics, 'began' | 'ended'>;
  /** No attempt begins any more. */
  readonly isStopping: () => boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** The deadline of a request, and time to write its result: with less left of a claim, no request begins. */
const NEEDED_MS = 20_000;
const SETTLE_AGAIN_MS = 250;

/**
 * Makes a claimed attempt and ends it: one signed request with these bytes, unless the destination is disabled (the
 * attempt waits), deleted, or enabled again since the event became too old. Never rejects: what could not be written is
 * made again, by whoever claims it, when the claim has ended.
 */
export async function makeAttempt(
  deps: MakeAttemptDeps,
  claimed: ClaimedDelivery,
  body: Uint8Array,
): Promise<{ readonly isTimeout: boolean }> {
  try {
    return { isTimeout: (await attempt(deps, claimed, body)) === 'timeout' };
  } catch (error) {
    deps.metrics.ended('failed');
    deps.log.error({ err: error, ...namesOf(claimed) }, 'an attempt could not be made or written');
    return { isTimeout: false };
  }
}

/** Returns the code of the attempt's error. */
async function attempt(
  deps: MakeAttemptDeps,
  claimed: ClaimedDelivery,
  body: Uint8Array,
): Promise<string | null> {
  const { deliveries, targets, send, clock } = deps;
  const { accountId, destinationId, eventId, triggerId, attempts, open } = claimed;
  const found = await targets.read(destinationId);
  const target = found?.accountId === accountId ? found : undefined;
  const leftMs = open.claim.until.getTime() - clock.now().getTime();
  if (deps.isStopping() || leftMs < NEEDED_MS || target?.isEnabled === false) {
    await deliveries.release([claimed]);
    return null;
  }
  if (target === undefined)
    return await end(deps, claimed, target, withoutResponse('refused', DESTINATION_DELETED));
  if (open.cause === 'ladder' && target.resumeFrom !== null && claimed.capturedAt < target.resumeFrom) {
    await deliveries.hold(claimed);
    return null;
  }
  if (open.lostClaims >= MAX_LOST_CLAIMS)
    return await end(deps, claimed, target, withoutResponse('retryable', WORKER_LOST));
  deps.metrics.began(clock.now().getTime() - open.dueAt.getTime());
  const outcome = await send({ target, eventId, triggerId, body, attempt: attempts.length + 1 });
  return await end(deps, claimed, target, outcome);
}

function withoutResponse(verdict: AttemptOutcome['verdict'], error: string): AttemptOutcome {
  return { verdict, statusCode: null, error, durationMs: 0 };
}

async function end(
  deps: MakeAttemptDeps,
  claimed: ClaimedDelivery,
  destination: DeliveryTarget | undefined,
  outcome: AttemptOutcome,
): Promise<string | null> {
  const { log, metrics } = deps;
  const result = await settle(deps, { claimed, outcome, now: deps.clock.now(), destination });
  if (result.kind === 'fenced') {
    metrics.ended('fenced');
    log.warn(namesOf(claimed), 'dropped the result of an attempt whose claim was lost');
    return outcome.error;
  }
  const { state } = result.transition.attempt;
  metrics.ended(state);
  if (state !== 'delivered') {
    const { statusCode, error, durationMs } = outcome;
    log.info({ ...namesOf(claimed), state, statusCode, error, durationMs }, 'an attempt failed');
  }
  if (result.isDisabled) {
    const { accountId, destinationId } = claimed;
    log.warn({ accountId, destinationId }, 'disabled a destination after failures in a row');
  }
  return outcome.error;
}

/** Writes the result as long as the claim is in force: a store that is away for a moment does not repeat the request. */
async function settle(deps: MakeAttemptDeps, settlement: Settlement): Promise<SettlementResult> {
  for (;;) {
    try {
      return await deps.settle(settlement);
    } catch (error) {
      if (deps.clock.now() >= settlement.claimed.open.claim.until) throw error;
      const { promise, resolve } = Promise.withResolvers<void>();
      deps.timers.after(SETTLE_AGAIN_MS, resolve);
      await promise;
    }
  }
}

function namesOf({ accountId, eventId, destinationId, attempts }: ClaimedDelivery) {
  return { accountId, eventId, destinationId, attempt: attempts.length + 1 };
}
