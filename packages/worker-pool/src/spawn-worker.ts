import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { isSea } from 'node:sea';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The file descriptor of the channel in a worker, as serveJobs opens it. */
const CHANNEL_FD = 3;

/** A part of the young generation, of which there are up to three. */
const YOUNG_MB = 8;

const HOSTS_FILE = '/etc/hosts';

/** Folders with the program's code, and the hosts file for the resolver of the egress guard. */
const READABLE = [
  ...['node_modules', 'packages', 'connectors'].map(
    (folder) => `${fileURLToPath(new URL(`../../../${folder}`, import.meta.url))}/*`,
  ),
  fileURLToPath(new URL('../../../package.json', import.meta.url)),
  HOSTS_FILE,
];

/** Argument of a program that is its own entry of workers: an executable or a bundle of one file. */
export const WORKER_ARGUMENT = '--fairlead-worker';

/** A worker process and the two-way stream to it. */
export interface SpawnedWorker {
  readonly child: ChildProcess;
  readonly channel: Duplex;
}

/**
 * Starts a process that runs `entry` with an empty environment, without standard streams, and without access to files
 * other than the program's own code, to other processes, native add-ons or threads. Its heap is limited. An error to
 * start it is emitted by `child`.
 */
export function spawnWorker(entry: URL, heapMb: number): SpawnedWorker {
  const file = fileURLToPath(entry);
  const limits = [
    `--max-old-space-size=${heapMb}`,
    // Its young generation is not part of that, and would grow to more than the worker's memory otherwise.
    `--max-semi-space-size=${YOUNG_MB}`,
    '--permission',
  ];
  const child = spawn(
    process.execPath,
    isSea()
      ? // The code is in the executable.
        [`--node-options=${[...limits, ...reading([HOSTS_FILE])].join(' ')}`, WORKER_ARGUMENT]
      : isBundle(file)
        ? [...limits, ...reading([file, HOSTS_FILE]), file, WORKER_ARGUMENT]
        : [...limits, ...reading(READABLE), file],
    // What a crash prints may hold data of the account.
    { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  // Without a listener it would end this process; without file descriptors there is no channel either.
  child.on('error', () => undefined);
  const channel: unknown = Array.isArray(child.stdio) ? child.stdio[CHANNEL_FD] : undefined;
  if (!(channel instanceof Duplex)) throw new Error('The worker has no channel.');
  return { child, channel };
}

function reading(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `--allow-fs-read=${path}`);
}

/** Whether it is a program in one file, which is CommonJS and needs that file only. */
function isBundle(entry: string): boolean {
  return entry.endsWith('.cjs');
}
