import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { CanaryChange } from './change.ts';
import type { CanaryChanges, StoredChange } from './changes.ts';
import type { CanaryReport } from './reports.ts';
import type { CanaryState } from './track.ts';
import { NatsUnavailableError } from '../nats/unavailable.ts';
import { untilApplied } from './until-obeyed.ts';
import type { CollectReports } from './until-obeyed.ts';

/** The canary of one service, with a report of every process that answers. */
export interface CanaryOverview {
  readonly service: string;
  /** The state that this gateway obeys. */
  readonly state: CanaryState;
  readonly reports: readonly CanaryReport[];
}

/** A canary after a change. */
export interface ChangedCanary extends CanaryOverview {
  /** Processes that did not obey the change in time. */
  readonly lagging: readonly CanaryReport[];
}

/** Who aborts a canary. */
type Aborter = Exclude<CanaryChange['by'], 'route'>;

/**
 * The operator's operations on canaries. A change is answered when every process that answers obeys it, after at most half a minute.
 * Rejects with NOT_FOUND for a service without a canary, with CONFLICT where no service can have one, and with UNAVAILABLE.
 */
export interface CanaryOperations {
  list(): Promise<readonly CanaryOverview[]>;
  /** Sends a percentage of the accounts to the canary, also after it was aborted. */
  setWeight(service: string, weight: number): Promise<ChangedCanary>;
  /** Sends everything to stable. */
  abort(service: string, by: Aborter): Promise<ChangedCanary>;
}

/** Most of the time for which a change waits for other processes. */
const LIMIT_MS = 30_000;

/** The canaries of an installation, and how they are changed. */
interface CanaryControl {
  readonly canaries: { current(): ReadonlyMap<string, CanaryState> };
  readonly changes: Pick<CanaryChanges, 'write'>;
  readonly collect: CollectReports;
  readonly limitMs?: number;
}

const NOT_IN_USE = 'No service can have a canary, because CANARY_RULES is not set.';

/** The operations; undefined: canaries are not in use. */
export function createCanaryOperations(steered: CanaryControl | undefined): CanaryOperations {
  if (steered === undefined) {
    const refuse = () => Promise.reject(new ApiError('CONFLICT', NOT_IN_USE));
    return { list: () => Promise.resolve([]), setWeight: refuse, abort: refuse };
  }
  const { canaries, changes, collect, limitMs = LIMIT_MS } = steered;

  function stateOf(service: string): CanaryState {
    const state = canaries.current().get(service);
    if (state === undefined) throw notFound('canary', service);
    return state;
  }

  async function change(
    service: string,
    next: (state: CanaryState) => Pick<CanaryChange, 'weight' | 'isAborted' | 'by'>,
  ): Promise<ChangedCanary> {
    stateOf(service);
    // Asked at the same time: an abort does not wait for the answers.
    const reports = collect().catch(() => []);
    const written = await available(
      changes.write(service, (newest) => {
        const state = stateOf(service);
        return {
          ...next(state),
          of: state.digest,
          // The route decides again once it is changed.
          ...(newest?.routeGeneration !== undefined && { routeGeneration: newest.routeGeneration }),
          ...(newest?.routeUid !== undefined && { routeUid: newest.routeUid }),
        };
      }),
    );
    const present = await reports;
    const obedience = await untilApplied({ service, change: stored(written), collect, present, limitMs });
    if (obedience.reports.length === 0)
      throw new ApiError(
        'UNAVAILABLE',
        'The change is stored, but no process has confirmed that it applies it.',
      );
    return { service, state: stateOf(service), ...obedience };
  }

  return {
    async list() {
      const reports = await available(collect());
      return [...canaries.current()].map(([service, state]) => ({ service, state, reports }));
    },
    setWeight: (service, weight) => change(service, () => ({ weight, isAborted: false, by: 'operator' })),
    abort: (service, by) =>
      change(service, ({ change: former, rule }) => ({
        weight: former?.weight ?? rule.weight,
        isAborted: true,
        by,
      })),
  };
}

function stored(change: StoredChange | undefined): StoredChange {
  if (change === undefined) throw new Error('A change was not written.');
  return change;
}

async function available<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof NatsUnavailableError)) throw error;
    throw new ApiError('UNAVAILABLE', 'The changes of canaries are unavailable, because NATS is.', {
      cause: error,
    });
  }
}
