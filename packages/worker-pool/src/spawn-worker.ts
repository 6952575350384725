import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { isSea } from 'node:sea';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** File descriptor of the channel in a worker, which serveJobs opens. */
const CHANNEL_FD = 3;

/** Size of a semi-space; the young generation has up to three. */
const YOUNG_MB = 8;

const HOSTS_FILE = '/etc/hosts';

/** Readable paths: the program's code, and the hosts file for the egress guard's resolver. */
const READABLE = [
  ...['node_modules', 'packages', 'connectors'].map(
    (folder) => `${fileURLToPath(new URL(`../../../${folder}`, import.meta.url))}/*`,
  ),
  fileURLToPath(new URL('../../../package.json', import.meta.url)),
  HOSTS_FILE,
];

/** Argument that starts a worker, if the program is its own entry (an executable or a bundle of one file). */
export const WORKER_ARGUMENT = '--fairlead-worker';

/** A worker process and the two-way stream to it. */
export interface SpawnedWorker {
  readonly child: ChildProcess;
  readonly channel: Duplex;
}

/**
 * Starts a process that runs `entry` with an empty environment, without standard streams, and with a limited heap. It can read only the
 * program's code and the files below `folders`, and has no access to other processes, native add-ons or threads. If it cannot be started,
 * `child` emits an error.
 */
export function spawnWorker(entry: URL, heapMb: number, folders: readonly string[] = []): SpawnedWorker {
  const file = fileURLToPath(entry);
  const limits = [
    `--max-old-space-size=${heapMb}`,
    // The heap limit does not include the young generation, which could otherwise exceed the worker's memory.
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
        : [...limits, ...reading([...READABLE, ...folders.map((folder) => `${folder}/*`)]), file],
    // Standard error is dropped, because a crash report may contain the account's data.
    { env: {}, cwd: '/', stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  // An error event without a listener would end this process. Without free file descriptors there is no channel
  // either.
  child.on('error', () => undefined);
  const channel: unknown = Array.isArray(child.stdio) ? child.stdio[CHANNEL_FD] : undefined;
  if (!(channel instanceof Duplex)) throw new Error('The worker has no channel.');
  return { child, channel };
}

function reading(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `--allow-fs-read=${path}`);
}

/** Whether the program is a single CommonJS file, which needs no other file. */
function isBundle(entry: string): boolean {
  return entry.endsWith('.cjs');
}
