// `npm run hostile -- cost`: starts a stack and prints the CPU time that one attacking call takes on the main thread of each process, for
// the costliest accepted inputs. Exits with 1 if the median of an attack's calls exceeds the limit.
import { parseArgs } from 'node:util';
import { median } from '../bench/statistics.ts';
import { openCostlyCalls } from './support/costly-calls.ts';
import { startHostileStack } from './support/hostile-stack.ts';
import { serviceProcesses } from './support/service-processes.ts';

/** CPU time of a main thread that one call may take on a quiet machine, in milliseconds. */
const MAX_MS = 50;
/** Cheaper calls are not printed. */
const SHOWN_MS = 10;

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10' },
    /** Runs only attacks whose name matches this pattern. */
    only: { type: 'string', default: '' },
  },
});

const { stack, stop } = await startHostileStack();
const attacks = await openCostlyCalls(stack);
try {
  const processes = serviceProcesses(stack);
  for (const { name, prepare } of attacks.calls.filter((attack) =>
    new RegExp(values.only, 'u').test(attack.name),
  )) {
    const spent: Record<string, number>[] = [];
    const statuses = new Set<string>();
    for (let at = 0; at < Number(values.calls); at += 1) {
      const call = prepare();
      const before = processes.mainThreadMs();
      statuses.add(await call());
      const after = processes.mainThreadMs();
      spent.push(Object.fromEntries(Object.entries(after).map(([of, ms]) => [of, ms - (before[of] ?? 0)])));
    }
    const perService = Object.keys(spent[0] ?? {}).map((of) => {
      const all = spent.map((each) => each[of] ?? 0);
      return { of, ms: median(all), most: Math.max(...all) };
    });
    const tooMuch = perService.some(({ ms }) => ms > MAX_MS);
    if (tooMuch) process.exitCode = 1;
    const shown = perService.filter(({ ms }) => ms >= SHOWN_MS);
    const costs = shown.map(({ of, ms, most }) => `${of} ${ms.toFixed(0)} (${most.toFixed(0)})`).join(', ');
    const answers = [...statuses].join(' | ');
    console.log(`${tooMuch ? 'TOO MUCH ' : ''}${name.padEnd(60)} ${costs || 'little'}; ${answers}`);
  }
} finally {
  await attacks.close();
  await stop();
}
