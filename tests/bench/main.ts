// `npm run bench`: starts a stack of its own, measures, prints the tables of docs/performance.md.
import { parseArgs } from 'node:util';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { runBench } from './bench.ts';
import { describeReport } from './report.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
  },
});
const { stack, stop } = await givenOrStartedStack();
try {
  const report = await runBench(stack, {
    rounds: Number(values.rounds),
    durationMs: Number(values.seconds) * 1_000,
  });
  console.log(describeReport(report));
} finally {
  await stop();
}
