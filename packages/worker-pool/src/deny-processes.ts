import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import process from 'node:process';

/**
 * Takes from this process, for good, the functions that act on other processes of its user, which the permissions of a worker
 * (spawnWorker) leave it. For the entries of workers that run foreign code.
 */
export function denyProcesses(): void {
  const places: readonly (readonly [holder: object, names: readonly string[]])[] = [
    [process, ['kill', '_kill', '_debugProcess', '_debugEnd', 'setuid', 'setgid', 'chdir', 'umask']],
    [os, ['setPriority']],
  ];
  for (const [holder, names] of places)
    for (const name of names)
      Object.defineProperty(holder, name, { value: refuse, writable: false, configurable: false });
  syncBuiltinESMExports();
}

function refuse(): never {
  throw new Error('Access to other processes is restricted in this process.');
}
