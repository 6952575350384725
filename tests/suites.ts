// `npm test`: the check and all suites. `npm test -- <suite>` runs one of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The commands of each suite. `npm test -- <suite>` runs one, with the arguments after its name. */
const COMMANDS: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  check: ['npm', 'run', 'check'],
  unit: vitest('unit'),
  integration: vitest('integration', 'integration-grpc'),
  helm: vitest('helm'),
  contract: vitest('contract', 'contract-alone'),
  'agent-executable': ['node', 'tests/agent-executable.ts'],
  conformance: vitest('conformance'),
  schemathesis: ['node', 'tests/schemathesis/run.ts'],
  browser: vitest('e2e'),
  observability: vitest('observability'),
  vendors: vitest('vendors'),
  hostile: vitest('hostile'),
  faults: vitest('faults'),
  // Not part of the whole: they take long, or need a cluster or packages of others.
  releases: ['node', 'tests/releases/main.ts'],
  cluster: ['node', 'tests/cluster/main.ts'],
  'vendor-sdks': vitest('vendor-sdks'),
};

function vitest(...projects: readonly string[]): [string, ...string[]] {
  return ['vitest', 'run', ...projects.flatMap((project) => ['--project', project])];
}

interface Step {
  readonly name: string;
  readonly suites: readonly (keyof typeof COMMANDS)[];
  /** The minutes that it may take on two cores. */
  readonly budgetMinutes: number;
}

/** The steps of `npm test`, in the order in which they run: the longest but the faults. The hostile tests come last, when little runs beside them. */
const STEPS: readonly Step[] = [
  { name: 'unit', suites: ['unit'], budgetMinutes: 5 },
  { name: 'integration', suites: ['integration'], budgetMinutes: 10 },
  { name: 'contract', suites: ['contract'], budgetMinutes: 8 },
  { name: 'hostile', suites: ['hostile'], budgetMinutes: 8 },
];

/** Run beside the others: the check, because it fails first, the faults, because they wait more than they compute, and then what is short. */
const BESIDE: readonly Step[] = [
  { name: 'check', suites: ['check'], budgetMinutes: 4 },
  { name: 'faults', suites: ['faults'], budgetMinutes: 12 },
  { name: 'browser', suites: ['browser'], budgetMinutes: 5 },
  { name: 'conformance', suites: ['conformance'], budgetMinutes: 2 },
  { name: 'schemathesis', suites: ['schemathesis'], budgetMinutes: 2 },
  { name: 'helm', suites: ['helm'], budgetMinutes: 2 },
  { name: 'agent executable', suites: ['agent-executable'], budgetMinutes: 1 },
  { name: 'observability', suites: ['observability'], budgetMinutes: 1 },
  { name: 'vendors', suites: ['vendors'], budgetMinutes: 1 },
];

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

/** Runs a command; its output appears at once, or as a whole when it ends. Resolves to whether it has passed. */
async function run([program, ...args]: readonly string[], isShownAtEnd: boolean): Promise<boolean> {
  const { signal } = rest;
  const child = spawn(program ?? '', args, {
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

async function runSuites(suites: Step['suites'], isShownAtEnd: boolean): Promise<Result['outcome']> {
  for (const suite of suites) {
    const hasPassed = await run(COMMANDS[suite] ?? [], isShownAtEnd);
    if (rest.signal.aborted) return 'ended';
    if (hasPassed) continue;
    rest.abort();
    return 'failed';
  }
  return 'passed';
}

/** Runs steps one after another. The first one that fails ends those of both lanes. */
async function runLane(steps: readonly Step[], isBeside: boolean): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const { name, suites, budgetMinutes } of steps) {
    if (rest.signal.aborted) break;
    const startedAt = performance.now();
    const outcome = await runSuites(suites, isBeside);
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

/** Runs one suite with the arguments after its name. */
async function runOne(suite: string, args: readonly string[]): Promise<void> {
  const command = COMMANDS[suite];
  if (command === undefined) {
    console.error(`There is no suite ${suite}. The suites are ${Object.keys(COMMANDS).join(', ')}.`);
    process.exitCode = 2;
  } else if (!(await run([...command, ...args], false))) process.exitCode = 1;
}

async function runAll(): Promise<void> {
  const startedAt = performance.now();
  const lanes = await Promise.all([runLane(STEPS, false), runLane(BESIDE, true)]);
  const minutes = (performance.now() - startedAt) / 60_000;
  const all = `${'all'.padEnd(16)}${`${minutes.toFixed(1)} min`.padStart(15)}`;
  // An exceeded budget fails nothing, because other load on the machine would decide.
  console.log(['', ...lanes.flat().map(line), all].join('\n'));
  process.exitCode = rest.signal.aborted ? 1 : 0;
}

const [suite, ...args] = process.argv.slice(2);
await (suite === undefined ? runAll() : runOne(suite, args));
