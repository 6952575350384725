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
  return ['node', 'tests/vitest.ts', ...projects.flatMap((project) => ['--project', project])];
}

interface Step {
  readonly suite: keyof typeof COMMANDS;
  /** The minutes that it may take on two cores. */
  readonly budgetMinutes: number;
}

/** The suites of `npm test` in the order in which they run: the longest but the faults. The hostile tests come last, when little runs beside them. */
const STEPS: readonly Step[] = [
  { suite: 'unit', budgetMinutes: 5 },
  { suite: 'integration', budgetMinutes: 10 },
  { suite: 'contract', budgetMinutes: 8 },
  { suite: 'hostile', budgetMinutes: 8 },
];

/** Run beside the others: the check, because it fails first, the faults, because they wait more than they compute, and then the short ones. */
const BESIDE: readonly Step[] = [
  { suite: 'check', budgetMinutes: 4 },
  { suite: 'faults', budgetMinutes: 12 },
  { suite: 'browser', budgetMinutes: 5 },
  { suite: 'conformance', budgetMinutes: 2 },
  { suite: 'schemathesis', budgetMinutes: 2 },
  { suite: 'helm', budgetMinutes: 2 },
  { suite: 'agent-executable', budgetMinutes: 1 },
  { suite: 'observability', budgetMinutes: 1 },
  { suite: 'vendors', budgetMinutes: 1 },
];

/** A file of tests that failed. */
export interface FailedFile {
  readonly path: string;
  /** Its tests that failed, and set-ups that did. */
  readonly failures: readonly { readonly name: string; readonly errors: readonly string[] }[];
}

/** The failures of a suite of vitest. */
export interface Failures {
  readonly files: readonly FailedFile[];
  /** Whether nothing but these files failed: no error outside of a test, and none while the set-up was taken down. */
  readonly isComplete: boolean;
}

interface Result extends Step {
  /** `flaky`: files failed, and passed when they ran again alone. `ended`: another suite had failed. */
  readonly outcome: 'passed' | 'flaky' | 'failed' | 'ended';
  readonly minutes: number;
  readonly failedFiles: readonly FailedFile[];
}

/** Files that run again in a whole run. More of them are no accident. */
const MAX_FILES_TRIED_AGAIN = 6;

/** Aborted when a suite has failed, or the run is to end. */
const rest = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => rest.abort());

/** Runs a suite; its output appears at once, or as a whole when it ends, unless it was ended. Resolves to undefined if it has passed. */
async function run(
  suite: string,
  args: readonly string[],
  isShownAtEnd: boolean,
): Promise<Failures | undefined> {
  const { signal } = rest;
  const [program = '', ...own] = COMMANDS[suite] ?? [];
  const child = spawn(program, [...own, ...args], {
    stdio: ['ignore', isShownAtEnd ? 'pipe' : 'inherit', 'inherit', 'ipc'],
    // A group of its own, so that all of its processes can be ended.
    detached: true,
  });
  let failures: Failures = { files: [], isComplete: false };
  child.on('message', (message) => (failures = message as Failures));
  const end = (): void => {
    // Without a pid it has not started, and the error event follows.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  };
  signal.addEventListener('abort', end, { once: true });
  const output = child.stdout === null ? '' : text(child.stdout);
  const [status] = (await once(child, 'close')) as [number | null];
  signal.removeEventListener('abort', end);
  // The output of the suite that failed is to be the last.
  if (!signal.aborted) process.stdout.write(await output);
  return status === 0 ? undefined : failures;
}

/** Whether the files that failed, and nothing else did, run again alone at the end. */
function mayTryAgain({ files, isComplete }: Failures, earlier: readonly Result[]): boolean {
  const count = [...earlier.flatMap(({ failedFiles }) => failedFiles), ...files].length;
  return isComplete && files.length > 0 && count <= MAX_FILES_TRIED_AGAIN;
}

/** Runs steps one after another. A failure that may not be tried again ends the steps of both lanes. */
async function runLane(steps: readonly Step[], isBeside: boolean, results: Result[]): Promise<void> {
  for (const step of steps) {
    if (rest.signal.aborted) return;
    const startedAt = performance.now();
    const failures = await run(step.suite, [], isBeside);
    const minutes = (performance.now() - startedAt) / 60_000;
    const outcome = failures === undefined ? 'passed' : rest.signal.aborted ? 'ended' : 'failed';
    if (outcome === 'failed' && failures !== undefined && !mayTryAgain(failures, results)) rest.abort();
    results.push({ ...step, outcome, minutes, failedFiles: failures?.files ?? [] });
  }
}

/** Runs the files that failed again, when nothing else runs. */
async function tryAgain(result: Result): Promise<Result> {
  if (result.outcome !== 'failed' || rest.signal.aborted) return result;
  const failures = await run(
    result.suite,
    result.failedFiles.map(({ path }) => path),
    false,
  );
  return { ...result, outcome: failures === undefined ? 'flaky' : 'failed' };
}

function line({ suite, outcome, minutes, budgetMinutes, failedFiles }: Result): string {
  const time = `${minutes.toFixed(1)} of ${budgetMinutes} min`;
  const notes = [
    ...(outcome === 'passed' ? [] : [outcome]),
    ...(minutes > budgetMinutes ? ['over its budget'] : []),
  ];
  const tests = failedFiles.flatMap((file) =>
    file.failures.map(({ name, errors }) => `  ${file.path} > ${name}: ${shorten(errors.join('; '))}`),
  );
  return [`${suite.padEnd(18)}${time.padStart(15)}  ${notes.join(', ')}`.trimEnd(), ...tests].join('\n');
}

/** One line with the beginning and the end of a long text. */
function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= 900 ? line : `${line.slice(0, 300)} … ${line.slice(-600)}`;
}

/** Runs one suite with the arguments after its name. */
async function runOne(suite: string, args: readonly string[]): Promise<void> {
  if (COMMANDS[suite] === undefined) {
    console.error(`There is no suite ${suite}. The suites are ${Object.keys(COMMANDS).join(', ')}.`);
    process.exitCode = 2;
  } else if ((await run(suite, args, false)) !== undefined) process.exitCode = 1;
}

async function runAll(): Promise<void> {
  const startedAt = performance.now();
  const first: Result[] = [];
  await Promise.all([runLane(STEPS, false, first), runLane(BESIDE, true, first)]);
  const results: Result[] = [];
  for (const result of first) results.push(await tryAgain(result));
  const minutes = (performance.now() - startedAt) / 60_000;
  const all = `${'all'.padEnd(18)}${`${minutes.toFixed(1)} min`.padStart(15)}`;
  // An exceeded budget fails nothing, because other load on the machine would decide.
  console.log(['', ...results.map(line), all].join('\n'));
  const hasPassed = results.every(({ outcome }) => outcome === 'passed' || outcome === 'flaky');
  process.exitCode = hasPassed && !rest.signal.aborted ? 0 : 1;
}

const [suite, ...args] = process.argv.slice(2);
await (suite === undefined ? runAll() : runOne(suite, args));
