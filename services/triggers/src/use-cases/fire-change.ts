import { ApiError } from '@fairlead/errors/api-error';
import { changePayload } from '../domain/connection-change.ts';
import type { ConnectionChange } from '../domain/connection-change.ts';
import type { Firing } from '../domain/event.ts';
import type { FiringStore, FiringTrigger } from '../ports/trigger-store.ts';
import type { Capture } from './capture-firings.ts';
import { runFilters } from './run-filters.ts';
import type { RunFiltersDeps } from './run-filters.ts';

export interface FireChangeDeps extends RunFiltersDeps {
  readonly firings: Pick<FiringStore, 'findOfType' | 'noteFired' | 'noteError'>;
  readonly capture: Pick<Capture, 'captureFirings'>;
}

/** The remaining firings of a change. */
export type FiredChange =
  | { readonly kind: 'done' }
  /** Triggers after this id have not fired yet. */
  | { readonly kind: 'more'; readonly firedUntil: string }
  /** Retry later. */
  | { readonly kind: 'later' };

/** Triggers read at once; fewer fire if their filters are slow. */
const PAGE = 20;

/**
 * Fires the next triggers for a change of a connection: those of its type that were enabled when it happened. Each fires once per change,
 * however often this is called.
 */
export async function fireChange(
  deps: FireChangeDeps,
  change: ConnectionChange,
  firedUntil: string | null,
  signal: AbortSignal,
): Promise<FiredChange> {
  const { firings, capture, clock } = deps;
  const { accountId, triggerTypeSlug, occurredAt } = change;
  const triggers = await firings.findOfType(accountId, triggerTypeSlug, firedUntil, PAGE);
  const payload = changePayload(change);
  const enabled = triggers.filter(({ enabledAt }) => enabledAt !== null && enabledAt <= occurredAt);
  const runs = enabled.map(({ filter }) => ({ filter, payload }));
  const verdicts = await runFilters(deps, runs, { accountId, signal }).catch(refusalOf);
  if (verdicts === undefined) return { kind: 'later' };
  const decided = enabled.slice(0, verdicts.length);
  const fired: FiringTrigger[] = [];
  for (const [at, trigger] of decided.entries()) {
    const verdict = verdicts[at];
    if (verdict?.kind === 'failed') await firings.noteError(trigger, verdict.message);
    if (verdict?.kind === 'passed') fired.push(trigger);
  }
  await capture.captureFirings(fired.map((trigger) => firingOf(trigger, change, payload)));
  await firings.noteFired(fired, clock.now());
  const isWhole = decided.length === enabled.length;
  const last = (isWhole ? triggers : decided).at(-1);
  return last === undefined || (isWhole && triggers.length < PAGE)
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
