import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** A check in the suite's report. */
const check = z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional() });

/** The Model Context Protocol's conformance suite, installed by npm. */
const suite = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/package.json'))),
  'dist/index.js',
);

/** Folders are named by leg, scenario and time. */
const FOLDER = /^(?:server-)?(.*)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** The report of a run of the suite. */
export interface SuiteReport {
  /** The scenarios that ran, each with its failed checks: ids and the suite's messages. */
  readonly scenarios: ReadonlyMap<string, readonly string[]>;
  readonly output: string;
}

/** Runs the suite with these arguments. */
export async function runSuite(
  args: readonly string[],
  {
    env = {},
    niceness = 0,
  }: { readonly env?: Readonly<Record<string, string>>; readonly niceness?: number } = {},
): Promise<SuiteReport> {
  const results = await mkdtemp(join(tmpdir(), 'fairlead-conformance-'));
  const run = spawn(process.execPath, [suite, ...args, '--output-dir', results], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (run.pid !== undefined) setPriority(run.pid, niceness);
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  try {
    await new Promise((resolve) => run.once('close', resolve));
    return { scenarios: await readScenarios(results), output };
  } finally {
    run.kill();
    await rm(results, { recursive: true, force: true });
  }
}

async function readScenarios(directory: string): Promise<SuiteReport['scenarios']> {
  const files = (await readdir(directory, { recursive: true })).filter((file) =>
    file.endsWith('checks.json'),
  );
  const entries = files.map(async (file) => {
    const checks = z.array(check).parse(JSON.parse(await readFile(join(directory, file), 'utf8')));
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    const errors = failed.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`);
    return [dirname(file).replace(FOLDER, '$1'), errors] as const;
  });
  return new Map(await Promise.all(entries));
}

/** Scenarios that failed without a listed reason, and scenarios that passed in spite of one. */
export function compare(
  { scenarios }: SuiteReport,
  known: ReadonlyMap<string, string>,
): { readonly failed: Readonly<Record<string, readonly string[]>>; readonly passed: readonly string[] } {
  const failed = [...scenarios].filter(([name, errors]) => errors.length > 0 && !known.has(name));
  const passed = [...known.keys()].filter((name) => (scenarios.get(name) ?? []).length === 0);
  return { failed: Object.fromEntries(failed), passed };
}
