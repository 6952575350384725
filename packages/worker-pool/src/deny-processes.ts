import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import process from 'node:process';

/**
 * Permanently removes the functions of this process that act on other processes of its user, because a worker's permissions (spawnWorker)
 * do not exclude them. For worker entries that run foreign code.
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
