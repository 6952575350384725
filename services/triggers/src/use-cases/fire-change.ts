import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { changePayload } from '../domain/connection-change.ts';
import type { ConnectionChange } from '../domain/connection-change.ts';
import type { Firing } from '../domain/event.ts';
import type { Filters } from '../ports/filters.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { Capture } from './capture-firings.ts';

/** What fireChange needs. */
export interface FireChangeDeps {
  readonly firings: Pick<FiringStore, 'findOfType' | 'noteFired' | 'noteError'>;
  readonly filters: Pick<Filters, 'run'>;
  readonly capture: Pick<Capture, 'captureFirings'>;
  readonly clock: Clock;
}

/** What is left of a change. */
export type FiredChange =
  | { readonly kind: 'done' }
  /** Triggers after that one have not fired yet. */
  | { readonly kind: 'more'; readonly firedUntil: string }
  /** It has to be tried again. */
  | { readonly kind: 'later' };

/** Triggers that fire at a time: their filters take far less than a claim lasts. */
const PAGE = 20;

/**
 * Fires the next triggers of a change of a connection: those of its type that were enabled when it happened. Each fires once for
 * a change, however often this is called.
 */
export async function fireChange(
  { firings, filters, capture, clock }: FireChangeDeps,
  change: ConnectionChange,
  firedUntil: string | null,
  signal: AbortSignal,
): Promise<FiredChange> {
  const { accountId, triggerTypeSlug, occurredAt } = change;
  const triggers = await firings.findOfType(accountId, triggerTypeSlug, firedUntil, PAGE);
  const payload = changePayload(change);
  const fired: FiringTrigger[] = [];
  for (const trigger of triggers) {
    if (trigger.enabledAt === null || trigger.enabledAt > occurredAt) continue;
    if (trigger.filter !== null) {
      const verdict = await filters.run(trigger.filter, payload, { accountId, signal }).catch(refusalOf);
      if (verdict === undefined) return { kind: 'later' };
      if (verdict.kind === 'failed') await firings.noteError(trigger, verdict.message);
      if (verdict.kind !== 'passed') continue;
    }
    fired.push(trigger);
  }
  await capture.captureFirings(fired.map((trigger) => firingOf(trigger, change, payload)));
  await firings.noteFired(fired, clock.now());
  const last = triggers.at(-1);
  return last === undefined || triggers.length < PAGE
    ? { kind: 'done' }
    : { kind: 'more', firedUntil: last.id };
}

/** Undefined: the filter could not be run in time. */
function refusalOf(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}

function firingOf(
  { accountId, id: triggerId, triggerTypeSlug: triggerType, destinationIds }: FiringTrigger,
  { id, occurredAt }: ConnectionChange,
  payload: Uint8Array,
): Firing {
  return {
    accountId,
    triggerId,
    triggerType,
    destinationIds,
    occurredAt,
    payload,
    firingKey: `change:${id}`,
  };
}
