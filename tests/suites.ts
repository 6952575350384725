import { spawnSync } from 'node:child_process';

/** Kinds of tests as `npm test` runs them, with the minutes that each may take on two cores. */
const SUITES = [
  { name: 'check and unit', scripts: ['check', 'test:unit'], budgetMinutes: 3 },
  { name: 'integration', scripts: ['test:integration'], budgetMinutes: 5 },
  { name: 'helm', scripts: ['test:helm'], budgetMinutes: 2 },
  { name: 'contract', scripts: ['test:contract'], budgetMinutes: 6 },
  { name: 'agent executable', scripts: ['test:agent-executable'], budgetMinutes: 1 },
  { name: 'conformance', scripts: ['test:conformance'], budgetMinutes: 2 },
  { name: 'schemathesis', scripts: ['test:schemathesis'], budgetMinutes: 2 },
  { name: 'browser', scripts: ['test:e2e'], budgetMinutes: 3 },
  { name: 'observability', scripts: ['test:observability'], budgetMinutes: 1 },
  { name: 'hostile', scripts: ['test:hostile'], budgetMinutes: 2 },
  { name: 'faults', scripts: ['test:faults'], budgetMinutes: 7 },
] as const;

interface Result {
  readonly name: string;
  readonly hasPassed: boolean;
  readonly minutes: number;
  readonly budgetMinutes: number;
}

function run({ name, scripts, budgetMinutes }: (typeof SUITES)[number]): Result {
  const startedAt = performance.now();
  const hasPassed = scripts.every((script) => {
    const { status, error } = spawnSync('npm', ['run', script], { stdio: 'inherit' });
    if (error !== undefined) throw error;
    return status === 0;
  });
  return { name, hasPassed, minutes: (performance.now() - startedAt) / 60_000, budgetMinutes };
}

function line({ name, hasPassed, minutes, budgetMinutes }: Result): string {
  const time = `${minutes.toFixed(1)} of ${budgetMinutes} min`;
  const notes = [...(hasPassed ? [] : ['failed']), ...(minutes > budgetMinutes ? ['over its budget'] : [])];
  return `${name.padEnd(16)}${time.padStart(15)}  ${notes.join(', ')}`.trimEnd();
}

// A failed suite ends the run. An exceeded budget never does, because other load on the machine would decide.
const results: Result[] = [];
for (const suite of SUITES) {
  const result = run(suite);
  results.push(result);
  if (!result.hasPassed) break;
}
const minutes = results.reduce((sum, result) => sum + result.minutes, 0);
console.log(
  ['', ...results.map(line), `${'all'.padEnd(16)}${`${minutes.toFixed(1)} min`.padStart(15)}`].join('\n'),
);
process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1;
