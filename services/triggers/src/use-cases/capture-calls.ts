import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { hookFiringKey, hookPayload } from '../domain/hook-call.ts';
import type { HookCall, HookOutcome } from '../domain/hook-call.ts';
import type { Filters } from '../ports/filters.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { Capture } from './capture-firings.ts';

/** What captureCalls needs. */
export interface CaptureCallsDeps {
  readonly firings: FiringStore;
  readonly filters: Pick<Filters, 'run'>;
  readonly capture: Pick<Capture, 'captureFirings'>;
  readonly clock: Clock;
}

/**
 * Makes events of calls to the addresses of triggers, each by itself, in their order. A call of a disabled trigger is as one
 * of an unknown token.
 */
export async function captureCalls(
  deps: CaptureCallsDeps,
  ctx: RequestContext,
  calls: readonly HookCall[],
): Promise<readonly HookOutcome[]> {
  const { firings, clock } = deps;
  const found = await firings.findByHooks([...new Set(calls.map(({ tokenHash }) => tokenHash))]);
  const fired: FiringTrigger[] = [];
  const outcomes = await Promise.all(
    calls.map(async (call): Promise<HookOutcome> => {
      const trigger = found.get(call.tokenHash);
      if (trigger?.isEnabled !== true) return { kind: 'notFound' };
      try {
        const outcome = await captureCall(deps, ctx, trigger, call);
        if (outcome.kind === 'captured') fired.push(trigger);
        return outcome;
      } catch (error) {
        ctx.log.warn({ err: error, triggerId: trigger.id }, 'a call to a trigger could not be captured');
        return { kind: 'unavailable' };
      }
    }),
  );
  await firings.noteFired(fired, clock.now()).catch((error: unknown) => {
    // The events are captured all the same.
    ctx.log.warn({ err: error }, 'could not note when triggers fired');
  });
  return outcomes;
}

async function captureCall(
  { firings, filters, capture, clock }: CaptureCallsDeps,
  ctx: RequestContext,
  trigger: FiringTrigger,
  call: HookCall,
): Promise<HookOutcome> {
  const { accountId, id: triggerId, triggerTypeSlug: triggerType, destinationIds, filter } = trigger;
  const occurredAt = clock.now();
  const payload = hookPayload(call);
  if (filter !== null) {
    const verdict = await filters.run(filter, payload, { accountId, signal: ctx.signal });
    if (verdict.kind === 'failed') await firings.noteError(trigger, verdict.message);
    if (verdict.kind !== 'passed') return { kind: 'filtered' };
  }
  const firingKey = call.key === undefined ? `once:${uuidv7(occurredAt)}` : hookFiringKey(call.key);
  const same = { accountId, triggerId, triggerType, destinationIds, payload };
  const [captured] = await capture.captureFirings([{ ...same, occurredAt, firingKey }]);
  if (captured === undefined) throw new Error('The capture returned nothing for a firing.');
  return { kind: 'captured', eventId: captured.id };
}
