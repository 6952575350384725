import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { FilterOptions, Filters, FilterVerdict } from '../ports/filters.ts';

export interface RunFiltersDeps {
  readonly filters: Pick<Filters, 'run'>;
  readonly clock: Clock;
}

/** A filter (null: none) and its payload. */
export interface FilterRun {
  readonly filter: string | null;
  readonly payload: Uint8Array;
}

/** Total time for running filters in sequence; far less than a claim lasts. */
const MOST_MS = 10_000;
const PASSED: FilterVerdict = { kind: 'passed' };

/**
 * Runs filters of one account in order, for some seconds. Returns the verdicts of the first ones, at least one if there is any: the caller
 * stores its progress and continues from there. RATE_LIMIT_EXCEEDED if the first one could not be run in time.
 */
export async function runFilters(
  { filters, clock }: RunFiltersDeps,
  runs: readonly FilterRun[],
  o: FilterOptions,
): Promise<readonly FilterVerdict[]> {
  const endMs = clock.now().getTime() + MOST_MS;
  const verdicts: FilterVerdict[] = [];
  for (const { filter, payload } of runs) {
    if (verdicts.length > 0 && clock.now().getTime() >= endMs) break;
    try {
      verdicts.push(filter === null ? PASSED : await filters.run(filter, payload, o));
    } catch (error) {
      if (verdicts.length > 0 && isBusy(error)) break;
      throw error;
    }
  }
  return verdicts;
}

function isBusy(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'RATE_LIMIT_EXCEEDED';
}
