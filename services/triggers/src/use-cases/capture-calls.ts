import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { uuidv7 } from '@fairlead/service-kit/ids';
import { hookFiringKey } from '../domain/hook-call.ts';
import type { CallReport, HookCall, HookOutcome } from '../domain/hook-call.ts';
import { isWanted } from '../domain/vendor-webhook.ts';
import type { Filters } from '../ports/filters.ts';
import type { Payloads } from '../ports/payloads.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import type { WebhookStore } from '../ports/webhook-store.ts';
import type { Capture } from './capture-firings.ts';
import { readVendorCall } from './read-vendor-call.ts';

/** What captureCalls needs. */
export interface CaptureCallsDeps {
  readonly firings: Pick<FiringStore, 'findByHooks' | 'findMany' | 'noteFired' | 'noteError'>;
  readonly filters: Pick<Filters, 'run'>;
  readonly capture: Pick<Capture, 'captureFirings'>;
  readonly webhooks: Pick<WebhookStore, 'findByTokens' | 'secretsOf'>;
  readonly types: TriggerTypes;
  readonly payloads: Payloads;
  readonly clock: Clock;
}

/**
 * Makes events of calls to the addresses of triggers, each by itself, in their order. A call of a disabled trigger is as one
 * of an unknown token. A vendor's call needs the signature of its registration.
 */
export async function captureCalls(
  deps: CaptureCallsDeps,
  ctx: RequestContext,
  calls: readonly HookCall[],
): Promise<readonly HookOutcome[]> {
  const { firings, webhooks, clock } = deps;
  const hashes = [...new Set(calls.map(({ tokenHash }) => tokenHash))];
  const found = await firings.findByHooks(hashes);
  const others = hashes.filter((hash) => !found.has(hash));
  const registered = others.length === 0 ? new Map<string, never>() : await webhooks.findByTokens(others);
  const reporting = await firings.findMany([...registered.values()]);
  const fired: FiringTrigger[] = [];
  const outcomes = await Promise.all(
    calls.map(async (call): Promise<HookOutcome> => {
      const webhook = registered.get(call.tokenHash);
      const trigger = webhook === undefined ? found.get(call.tokenHash) : reporting.get(webhook.triggerId);
      if (trigger?.isEnabled !== true) return { kind: 'notFound' };
      if (webhook !== undefined && !isWanted(webhook, trigger)) return { kind: 'notFound' };
      try {
        const report =
          webhook === undefined
            ? await callReport(deps, trigger.accountId, call)
            : await readVendorCall(deps, ctx, { webhook, trigger, call });
        if ('kind' in report) return report;
        const outcome = await captureReport(deps, ctx, trigger, { ...report, traceparent: call.traceparent });
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
  return { kind: 'captured', eventId: captured.id };
}

/** A call to the address that people gave to whom they like. */
async function callReport(
  { clock, payloads }: Pick<CaptureCallsDeps, 'clock' | 'payloads'>,
  accountId: string,
  call: HookCall,
): Promise<CallReport> {
  const occurredAt = clock.now();
  const firingKey = call.key === undefined ? `once:${uuidv7(occurredAt)}` : hookFiringKey(call.key);
  return { payload: await payloads.of(accountId, call), occurredAt, firingKey };
}
