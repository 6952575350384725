import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { hookFiringKey } from '../domain/hook-call.ts';
import type { CallReport, HookCall, HookOutcome } from '../domain/hook-call.ts';
import type { Filters } from '../ports/filters.ts';
import type { Payloads } from '../ports/payloads.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import type { Capture } from './capture-firings.ts';
import { findHooks } from './find-hooks.ts';
import type { FindHooksDeps } from './find-hooks.ts';
import { readVendorCall } from './read-vendor-call.ts';

export interface CaptureCallsDeps extends FindHooksDeps {
  readonly firings: FindHooksDeps['firings'] & Pick<FiringStore, 'noteFired' | 'noteError'>;
  readonly filters: Pick<Filters, 'run'>;
  readonly capture: Pick<Capture, 'captureFirings'>;
  readonly types: TriggerTypes;
  readonly payloads: Payloads;
  readonly clock: Clock;
}

/**
 * Captures calls to triggers' addresses individually, in order. A call of a disabled trigger is treated like an unknown token. A vendor's
 * call needs the signature of its registration. With `onlyQuick`, a slow call is not captured but only reported as slow: all calls are
 * answered together, so one would delay the others.
 */
export async function captureCalls(
  deps: CaptureCallsDeps,
  ctx: RequestContext,
  calls: readonly HookCall[],
  { onlyQuick }: { readonly onlyQuick: boolean },
): Promise<readonly HookOutcome[]> {
  const { firings, clock } = deps;
  const hooks = await findHooks(deps, [...new Set(calls.map(({ tokenHash }) => tokenHash))]);
  const fired: FiringTrigger[] = [];
  const outcomes = await Promise.all(
    calls.map(async (call): Promise<HookOutcome> => {
      const hook = hooks.get(call.tokenHash);
      if (hook?.trigger === undefined) return { kind: 'notFound' };
      if (onlyQuick && hook.takesTime) return { kind: 'takesTime' };
      const { trigger, webhook } = hook;
      try {
        const report =
          webhook === undefined
            ? await callReport(deps, trigger.accountId, call)
            : await readVendorCall(deps, ctx, { webhook, trigger, call });
        if ('kind' in report) return report;
        const outcome = await captureReport(deps, ctx, trigger, { ...report, traceparent: call.traceparent });
        if (outcome.kind === 'captured' && outcome.isNew) fired.push(trigger);
        return outcome;
      } catch (error) {
        ctx.log.warn({ err: error, triggerId: trigger.id }, 'a call to a trigger could not be captured');
        return { kind: 'unavailable' };
      }
    }),
  );
  await firings.noteFired(fired, clock.now()).catch((error: unknown) => {
    // The events are captured even if the firing cannot be recorded.
    ctx.log.warn({ err: error }, 'could not record that triggers fired');
  });
  return outcomes;
}

async function captureReport(
  { firings, filters, capture }: CaptureCallsDeps,
  ctx: RequestContext,
  trigger: FiringTrigger,
  { payload, occurredAt, firingKey, traceparent }: CallReport & Pick<HookCall, 'traceparent'>,
): Promise<HookOutcome> {
  const { accountId, id: triggerId, triggerTypeSlug: triggerType, destinationIds, filter } = trigger;
  if (filter !== null) {
    const verdict = await filters.run(filter, payload, { accountId, signal: ctx.signal });
    if (verdict.kind === 'failed') await firings.noteError(trigger, verdict.message);
    if (verdict.kind !== 'passed') return { kind: 'filtered' };
  }
  const same = { accountId, triggerId, triggerType, destinationIds, payload };
  const [captured] = await capture.captureFirings([{ ...same, occurredAt, firingKey, traceparent }]);
  if (captured === undefined) throw new Error('The capture returned nothing for a firing.');
  return { kind: 'captured', eventId: captured.id, isNew: captured.isNew };
}

/** A call to a public address, which users pass on to anybody. */
async function callReport(
  { clock, payloads }: Pick<CaptureCallsDeps, 'clock' | 'payloads'>,
  accountId: string,
  call: HookCall,
): Promise<CallReport> {
  const occurredAt = clock.now();
  const firingKey = call.key === undefined ? `once:${uuidv7(occurredAt)}` : hookFiringKey(call.key);
  return { payload: await payloads.of(accountId, call), occurredAt, firingKey };
}
