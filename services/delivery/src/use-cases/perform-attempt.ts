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

export interface PerformAttemptDeps {
  readonly deliveries: Pick<DeliveryStore, 'hold' | 'noteBegin' | 'release' | 'renew'>;
  readonly settle: (settlement: Settlement) => Promise<SettlementResult>;
  readonly targets: Targets;
  readonly send: SendRequest;
  readonly metrics: Pick<AttemptMetrics, 'began' | 'ended'>;
  /** Whether attempts may no longer begin. */
  readonly isStopping: () => boolean;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Logger;
}

/** Time for a request and for writing its result: with less left of a claim, no request begins. */
const NEEDED_MS = 20_000;
const SETTLE_AGAIN_MS = 250;
/** Length of a renewed claim: while another transaction blocks the write of its result, it is renewed when half is left. */
const RENEWED_MS = 30_000;
/** Longer than the database keeps a dead process's transaction. */
const BLOCKED_MS = 5 * 60_000;

/** A finished request; its duration determines the destination's permits. */
export interface RequestTiming {
  readonly isTimeout: boolean;
  readonly durationMs: number;
}

/** An attempt whose request has ended, or was not made. */
export interface AttemptEnd {
  /** Undefined: no request was sent. */
  readonly request: RequestTiming | undefined;
  /** Resolves once the result is written or given up. Never rejects. */
  readonly written: Promise<void>;
}

/**
 * Makes a claimed attempt and ends it: one signed request with these bytes, unless the destination is disabled (the attempt waits), was
 * deleted, or was enabled after the event became too old. Resolves when the request has ended, so that the destination can get another one
 * while the result is written. Never rejects: an unwritten attempt is repeated by the next process that claims it.
 */
export async function performAttempt(
  deps: PerformAttemptDeps,
  claimed: ClaimedDelivery,
  body: Uint8Array,
): Promise<AttemptEnd> {
  const giveUp = (error: unknown): void => {
    deps.metrics.ended('failed');
    deps.log.error({ err: error, ...namesOf(claimed) }, 'an attempt could not be made or written');
  };
  try {
    const { settlement, isSent } = await attempt(deps, claimed, body);
    const written = settlement === null ? Promise.resolve() : end(deps, settlement).catch(giveUp);
    if (settlement === null || !isSent) return { request: undefined, written };
    const { error, durationMs } = settlement.outcome;
    return { request: { isTimeout: error === 'timeout', durationMs }, written };
  } catch (error) {
    giveUp(error);
    return { request: undefined, written: Promise.resolve() };
  }
}

/** The settlement to write (null: none), and the request that was sent, if any. */
interface AttemptResult {
  readonly settlement: Settlement | null;
  readonly isSent: boolean;
}

const NOT_MADE: AttemptResult = { settlement: null, isSent: false };

async function attempt(
  deps: PerformAttemptDeps,
  claimed: ClaimedDelivery,
  body: Uint8Array,
  isNoted = false,
): Promise<AttemptResult> {
  const { deliveries, targets, send, clock } = deps;
  const { accountId, destinationId, eventId, triggerId, attempts, open } = claimed;
  const read = async (): Promise<DeliveryTarget | undefined> => {
    const found = await targets.read(destinationId);
    return found?.accountId === accountId ? found : undefined;
  };
  const mayBegin = (): boolean =>
    !deps.isStopping() && open.claim.until.getTime() - clock.now().getTime() >= NEEDED_MS;
  // Before any read, because many attempts that have waited too long end together.
  const target = mayBegin() ? await read() : undefined;
  if (!mayBegin() || target?.isEnabled === false) {
    await deliveries.release([claimed]);
    return NOT_MADE;
  }
  const ended = (outcome: AttemptOutcome, isSent = false): AttemptResult => ({
    settlement: { claimed, outcome, now: clock.now(), destination: target },
    isSent,
  });
  if (target === undefined) return ended(withoutResponse('refused', DESTINATION_DELETED));
  const isReplay = open.cause !== 'ladder' || open.replayAfter !== undefined;
  if (!isReplay && target.resumeFrom !== null && claimed.capturedAt < target.resumeFrom) {
    // A replay was requested meanwhile; the next process that claims it makes it.
    if (!(await deliveries.hold(claimed))) await deliveries.release([claimed]);
    return NOT_MADE;
  }
  if (open.lostClaims >= MAX_LOST_CLAIMS) return ended(withoutResponse('retryable', WORKER_LOST));
  if (open.claim.isTakenOver === true && !isNoted) {
    // Only a taken-over attempt needs this write. It takes longer than a read's allowed age, so the target is read again.
    const isMine = await deliveries.noteBegin(claimed);
    return isMine ? attempt(deps, claimed, body, true) : NOT_MADE;
  }
  deps.metrics.began(clock.now().getTime() - open.dueAt.getTime());
  const renew = async (): Promise<DeliveryTarget | undefined> => {
    const next = await read();
    return next?.isEnabled === true ? next : undefined;
  };
  const outcome = await send({ target, renew, eventId, triggerId, body, attempt: attempts.length + 1 });
  // The current state of the destination decides.
  if (outcome === undefined) return attempt(deps, claimed, body, isNoted);
  return ended(outcome, true);
}

function withoutResponse(verdict: AttemptOutcome['verdict'], error: string): AttemptOutcome {
  return { verdict, statusCode: null, error, durationMs: 0 };
}

async function end(deps: PerformAttemptDeps, settlement: Settlement): Promise<void> {
  const { log, metrics } = deps;
  const { claimed, outcome } = settlement;
  const result = await settle(deps, settlement);
  if (result.kind === 'fenced') {
    metrics.ended('fenced');
    log.warn(namesOf(claimed), 'dropped the result of an attempt whose claim was lost');
    return;
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
}

/**
 * Writes the result while the claim is in force, so that a short outage of the database does not repeat the request. The same if a process
 * died while it counted a failure of this destination: the claim is extended until its transaction is aborted.
 */
async function settle(
  deps: PerformAttemptDeps,
  settlement: Settlement,
): Promise<Exclude<SettlementResult, { readonly kind: 'blocked' }>> {
  let { until } = settlement.claimed.open.claim;
  for (;;) {
    let failure: unknown;
    try {
      const result = await deps.settle(settlement);
      if (result.kind !== 'blocked') return result;
      until = await renewClaim(deps, settlement, until);
      failure = new Error('The result was blocked until its claim ended.');
    } catch (error) {
      failure = error;
    }
    if (deps.clock.now() >= until) throw failure;
    const { promise, resolve } = Promise.withResolvers<void>();
    deps.timers.after(SETTLE_AGAIN_MS, resolve);
    await promise;
  }
}

/** The end of the claim, after an extension if it would end soon. */
async function renewClaim(
  deps: PerformAttemptDeps,
  { claimed, now: endedAt }: Settlement,
  until: Date,
): Promise<Date> {
  const nowMs = deps.clock.now().getTime();
  const isSoon = until.getTime() - nowMs < RENEWED_MS / 2;
  if (!isSoon || nowMs - endedAt.getTime() > BLOCKED_MS) return until;
  const next = new Date(nowMs + RENEWED_MS);
  if (!(await deps.deliveries.renew(claimed, next))) return until;
  deps.log.info(namesOf(claimed), 'renewed the claim of an attempt whose result could not be written yet');
  return next;
}

function namesOf({ accountId, eventId, destinationId, attempts }: ClaimedDelivery) {
  return { accountId, eventId, destinationId, attempt: attempts.length + 1 };
}
