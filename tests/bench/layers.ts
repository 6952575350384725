// `npm run bench`: starts its own stack, measures, and prints the tables of docs/performance.md. With `--against <commit>` it also measures
// that commit, in alternating rounds.
import { parseArgs } from 'node:util';
import { givenOrStartedStack, startStack } from '../setup/start-stack.ts';
import { measureSides, reportOf } from './bench.ts';
import type { BenchOptions } from './bench.ts';
import { ROOT, checkOut } from './checkout.ts';
import { describeComparison } from './compare.ts';
import { measureFootprints } from './footprint.ts';
import { describeFootprint, describeReport } from './report.ts';

/** Few, because stack starts take long and vary little. */
const STARTS = 3;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string', default: '1.5' },
    against: { type: 'string' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const { against } = values;
if (against === undefined) await measureThis({ rounds: Number(values.rounds ?? 7), durationMs });
else await measureAgainst(against, { rounds: Number(values.rounds ?? 5), durationMs });

async function measureThis(o: BenchOptions): Promise<void> {
  // Not for a stack that is already running, because it is not idle.
  const isGiven = process.env['FAIRLEAD_DEV_JSON'] !== undefined;
  const [footprint] = isGiven ? [] : await measureFootprints([ROOT], { rounds: STARTS });
  const { stack, stop } = await givenOrStartedStack();
  try {
    const [measured] = await measureSides([{ stack }], o);
    if (measured !== undefined) console.log(describeReport(reportOf(measured)));
    if (footprint !== undefined) console.log(`\n${describeFootprint(footprint)}`);
  } finally {
    await stop();
  }
}

async function measureAgainst(commit: string, o: BenchOptions): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const older = await checkOut(commit);
    stops.push(() => older.remove());
    const [before, after] = await measureFootprints([older.root, ROOT], { rounds: STARTS });
    const olderStack = await startStack({ root: older.root });
    stops.push(olderStack.stop);
    const ownStack = await startStack();
    stops.push(ownStack.stop);
    const [beforeRounds, afterRounds] = await measureSides(
      [{ stack: olderStack.stack, root: older.root }, { stack: ownStack.stack }],
      o,
    );
    if (!before || !after || !beforeRounds || !afterRounds) throw new Error('Not both trees were measured.');
    console.log(
      describeComparison({ ...beforeRounds, footprint: before }, { ...afterRounds, footprint: after }),
    );
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}
