import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { expect, test } from 'vitest';
import type { FilterVerdict } from '../ports/filters.ts';
import { MADE_AT } from '../testing/triggers.ts';
import { runFilters } from './run-filters.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const passed: FilterVerdict = { kind: 'passed' };

/** Runs one filter for each payload; each run takes `filterMs` and has the given result. */
async function run(
  answers: readonly (FilterVerdict | Error)[],
  { filterMs = 0, filter = 'x' }: { readonly filterMs?: number; readonly filter?: string | null } = {},
): Promise<{ readonly verdicts: readonly FilterVerdict[]; readonly asked: number }> {
  const clock = new ManualClock(MADE_AT);
  let asked = 0;
  const filters = {
    run(): Promise<FilterVerdict> {
      const answer = answers[asked];
      asked += 1;
      clock.advance(filterMs);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? passed);
    },
  };
  const runs = answers.map(() => ({ filter, payload: bytes('{}') }));
  const options = { accountId: 'acc_1', signal: new AbortController().signal };
  const verdicts = await runFilters({ filters, clock }, runs, options);
  return { verdicts, asked };
}

test('each payload gets the verdict of its filter, in order; without a filter all pass, and none is run', async () => {
  const refused: FilterVerdict = { kind: 'refused' };
  expect(await run([passed, refused, passed])).toEqual({ verdicts: [passed, refused, passed], asked: 3 });
  expect(await run([refused, refused], { filter: null })).toEqual({ verdicts: [passed, passed], asked: 0 });
  expect(await run([])).toEqual({ verdicts: [], asked: 0 });
});

test('what takes too long ends after the first ones, and never before the first', async () => {
  expect(await run([passed, passed, passed, passed], { filterMs: 5_000 })).toEqual({
    verdicts: [passed, passed],
    asked: 2,
  });
  expect(await run([passed, passed], { filterMs: 60_000 })).toEqual({ verdicts: [passed], asked: 1 });
});

test('a filter that could not be run in time ends with the verdicts before it; the first one fails', async () => {
  const busy = overloaded('Busy.');
  expect(await run([passed, busy, passed])).toEqual({ verdicts: [passed], asked: 2 });
  await expect(run([busy])).rejects.toThrow(busy);
  const broken = new ApiError('INTERNAL', 'broken');
  await expect(run([passed, broken])).rejects.toThrow(broken);
});
