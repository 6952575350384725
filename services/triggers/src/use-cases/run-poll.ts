import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { prefixedId } from '@fairlead/service-kit/ids';
import { composeEvent } from '../domain/event.ts';
import type { Firing } from '../domain/event.ts';
import { nextPollAt, pollPeriodMs } from '../domain/poll.ts';
import type { PollState } from '../domain/poll.ts';
import type { TriggerType } from '../domain/trigger.ts';
import type { CallResult, PolledItem, PollRead, TriggerCalls } from '../ports/trigger-calls.ts';
import type { ClaimedTrigger, RunResult, TriggerRuns } from '../ports/trigger-store.ts';
import type { TriggerTypes } from '../ports/trigger-types.ts';
import { runFilters } from './run-filters.ts';
import type { RunFiltersDeps } from './run-filters.ts';

interface RunPollDeps extends RunFiltersDeps {
  readonly types: TriggerTypes;
  readonly calls: Pick<TriggerCalls, 'readPoll'>;
  readonly runs: TriggerRuns;
}

/** The run of a polling trigger. */
type ClaimedPoll = ClaimedTrigger & { readonly poll: PollState };

/** Our own failures, which say nothing about the trigger. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'TIMEOUT',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL',
]);

/**
 * Asks a poll's application for new items and captures them. Events, cursor and next run are written in one transaction; so is the filter's
 * progress, if it is too slow for all items. A refusal by the application becomes the trigger's `lastError`, and the cursor stays. False:
 * nothing was written, because the trigger was changed or claimed by another process.
 */
export async function runPoll(deps: RunPollDeps, ctx: RequestContext, run: ClaimedPoll): Promise<boolean> {
  const type = await deps.types.resolve(ctx, run.trigger.triggerTypeSlug);
  const read = await readNew(deps, ctx, run);
  const result = read.isSuccess
    ? await captureItems(deps, ctx, run, type, read.value)
    : failed(deps, run, type, read.errorMessage);
  return deps.runs.commit(run, result);
}

async function captureItems(
  deps: RunPollDeps,
  ctx: RequestContext,
  run: ClaimedPoll,
  type: TriggerType,
  { items, cursor, hasMore, gaps }: PollRead,
): Promise<RunResult> {
  const { passed, error, decided, isWhole } = await filterItems(deps, ctx, run, items);
  const now = deps.clock.now();
  const isWellAgain = run.poll.failures > 0 || passed.length > 0;
  return {
    events: passed.map((item) => composeEvent(firingOf(run, item), prefixedId('te'), now)),
    dueAt:
      hasMore || !isWhole
        ? now
        : nextPollAt(now, pollPeriodMs(type, run.trigger.configuration.parseObject()), 0),
    // The rest is read again in the next run, with the gaps.
    poll: isWhole ? { cursor, failures: 0 } : { cursor: run.poll.cursor, failures: 0, filtered: decided },
    gaps: isWhole ? gaps : [],
    ...(error !== undefined ? { lastError: error } : isWellAgain && { lastError: null }),
  };
}

/** `message` undefined: a temporary failure, which does not lengthen the pause. */
function failed(
  { clock }: RunPollDeps,
  { trigger, poll }: ClaimedPoll,
  type: TriggerType,
  message: string | undefined,
): RunResult {
  const failures = message === undefined ? 0 : poll.failures + 1;
  return {
    events: [],
    dueAt: nextPollAt(clock.now(), pollPeriodMs(type, trigger.configuration.parseObject()), failures),
    poll: { ...poll, failures },
    ...(message !== undefined && { lastError: message }),
  };
}

/** Reads the new items. A refusal becomes a failure, with its message unless it is temporary. */
async function readNew(
  { calls }: RunPollDeps,
  ctx: RequestContext,
  { trigger, poll }: ClaimedPoll,
): Promise<CallResult<PollRead> | { readonly isSuccess: false; readonly errorMessage: undefined }> {
  try {
    return await calls.readPoll(ctx, trigger, poll.cursor);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { isSuccess: false, errorMessage: PASSING.has(error.code) ? undefined : error.message };
  }
}

/** The filter's results, in this run and in earlier ones from the same cursor. */
interface FilterResult {
  /** Items of this run for which the filter was true. */
  readonly passed: readonly PolledItem[];
  /** Why the filter failed for other items. */
  readonly error: string | undefined;
  /** Keys of the items that the filter has decided. */
  readonly decided: readonly string[];
  readonly isWhole: boolean;
}

async function filterItems(
  deps: RunPollDeps,
  { signal }: RequestContext,
  { trigger: { accountId, filter }, poll }: ClaimedPoll,
  items: readonly PolledItem[],
): Promise<FilterResult> {
  const before = new Set(poll.filtered);
  const left = items.filter(({ key }) => !before.has(key));
  const runs = left.map(({ payload }) => ({ filter, payload }));
  const verdicts = await runFilters(deps, runs, { accountId, signal });
  const undecided = new Set(left.slice(verdicts.length).map(({ key }) => key));
  return {
    passed: left.filter((_, at) => verdicts[at]?.kind === 'passed'),
    error: verdicts.flatMap((verdict) => (verdict.kind === 'failed' ? [verdict.message] : [])).at(-1),
    decided: items.flatMap(({ key }) => (undecided.has(key) ? [] : [key])),
    isWhole: undecided.size === 0,
  };
}

function firingOf({ trigger }: ClaimedPoll, { key, occurredAt, payload }: PolledItem): Firing {
  const { accountId, id: triggerId, triggerTypeSlug: triggerType, destinationIds } = trigger;
  const same = { accountId, triggerId, triggerType, destinationIds };
  return { ...same, occurredAt, payload, firingKey: `item:${key}` };
}
