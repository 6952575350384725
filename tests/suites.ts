import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

interface Suite {
  readonly name: string;
  readonly scripts: readonly string[];
  /** The minutes that it may take on two cores. */
  readonly budgetMinutes: number;
}

/** The suites of `npm test`, in the order in which they run. */
const SUITES: readonly Suite[] = [
  { name: 'check and unit', scripts: ['check', 'test:unit'], budgetMinutes: 5 },
  { name: 'integration', scripts: ['test:integration'], budgetMinutes: 8 },
  { name: 'helm', scripts: ['test:helm'], budgetMinutes: 2 },
  { name: 'contract', scripts: ['test:contract'], budgetMinutes: 8 },
  { name: 'agent executable', scripts: ['test:agent-executable'], budgetMinutes: 1 },
  { name: 'conformance', scripts: ['test:conformance'], budgetMinutes: 2 },
  { name: 'schemathesis', scripts: ['test:schemathesis'], budgetMinutes: 2 },
  { name: 'browser', scripts: ['test:e2e'], budgetMinutes: 5 },
  { name: 'observability', scripts: ['test:observability'], budgetMinutes: 1 },
  { name: 'hostile', scripts: ['test:hostile'], budgetMinutes: 6 },
];

/** Run beside the others, because they wait more than they compute. */
const BESIDE: readonly Suite[] = [{ name: 'faults', scripts: ['test:faults'], budgetMinutes: 12 }];

interface Result {
  readonly name: string;
  /** `ended`: another one had failed. */
  readonly outcome: 'passed' | 'failed' | 'ended';
  readonly minutes: number;
  readonly budgetMinutes: number;
}

/** Aborted when a suite has failed, or the run is to end. */
const rest = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => rest.abort());

/** Runs an npm script; its output appears at once, or as a whole when it ends. Resolves to whether it has passed. */
async function runScript(script: string, isShownAtEnd: boolean): Promise<boolean> {
  const { signal } = rest;
  const child = spawn('npm', ['run', script], {
    stdio: ['ignore', isShownAtEnd ? 'pipe' : 'inherit', 'inherit'],
    // A group of its own, so that all of its processes can be ended.
    detached: true,
  });
  const end = (): void => {
    // Without a pid it has not started, and the error event follows.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', end, { once: true });
  const output = child.stdout === null ? '' : text(child.stdout);
  const [status] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', end);
  process.stdout.write(await output);
  return status === 0;
}

async function runScripts(scripts: readonly string[], isShownAtEnd: boolean): Promise<Result['outcome']> {
  for (const script of scripts) {
    const hasPassed = await runScript(script, isShownAtEnd);
    if (rest.signal.aborted) return 'ended';
    if (hasPassed) continue;
    rest.abort();
    return 'failed';
  }
  return 'passed';
}

/** Runs suites one after another. The first one that fails ends those of both lanes. */
async function runLane(suites: readonly Suite[], isBeside: boolean): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const { name, scripts, budgetMinutes } of suites) {
    if (rest.signal.aborted) break;
    const startedAt = performance.now();
    const outcome = await runScripts(scripts, isBeside);
    results.push({ name, outcome, minutes: (performance.now() - startedAt) / 60_000, budgetMinutes });
  }
  return results;
}

function line({ name, outcome, minutes, budgetMinutes }: Result): string {
  const time = `${minutes.toFixed(1)} of ${budgetMinutes} min`;
  const notes = [
    ...(outcome === 'passed' ? [] : [outcome]),
    ...(minutes > budgetMinutes ? ['over its budget'] : []),
  ];
  return `${name.padEnd(16)}${time.padStart(15)}  ${notes.join(', ')}`.trimEnd();
}

// An exceeded budget fails nothing, because other load on the machine would decide.
const startedAt = performance.now();
const lanes = await Promise.all([runLane(SUITES, false), runLane(BESIDE, true)]);
const results = lanes.flat();
const minutes = (performance.now() - startedAt) / 60_000;
console.log(
  ['', ...results.map(line), `${'all'.padEnd(16)}${`${minutes.toFixed(1)} min`.padStart(15)}`].join('\n'),
);
process.exitCode = rest.signal.aborted ? 1 : 0;
