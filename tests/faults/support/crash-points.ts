import { mkdtempSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type * as mongodb from 'mongodb';
import type { DevStack } from '../../setup/dev-stack.ts';
import { inspect } from '../../setup/inspector.ts';
import { processesOf, replicaCount, untilServing } from './processes.ts';

/** A place in a process at which it dies: before or after a call of a collection's method, or before it answers 202. */
export type CrashPoint = `${string}.${string}.${'before' | 'after'}` | 'answer.202.before';

/** Kills service processes at chosen places, like kill -9. */
export interface CrashPoints {
  /** Makes the first process that reaches that place of a service die there, once; resolves when all its processes watch for it. */
  arm(service: string, point: CrashPoint): Promise<void>;
  /** Whether a process has died at the last armed place. */
  hasCrashed(): boolean;
  close(): void;
}

const POLL_MS = 20;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Evaluated in a service process: it dies at a place for which a file with that name exists; it first renames the file to its own id. */
function watching(folder: string): string {
  return `(${watch.toString()})(${JSON.stringify(folder)}, ${JSON.stringify(join(ROOT, 'tests/package.json'))})`;
}

/** Runs inside the service process, without access to this module. */
function watch(folder: string, modulePath: string): void {
  const { createRequire } = process.getBuiltinModule('node:module');
  const { renameSync } = process.getBuiltinModule('node:fs');
  const { ServerResponse } = process.getBuiltinModule('node:http');
  const dieAt = (point: string): void => {
    try {
      // Renaming succeeds in only one of several processes.
      renameSync(`${folder}/${point}`, `${folder}/${process.pid}`);
    } catch {
      return;
    }
    process.kill(process.pid, 'SIGKILL');
  };
  const { Collection } = createRequire(modulePath)('mongodb') as typeof mongodb;
  type Method = (this: { collectionName: string }, ...args: unknown[]) => Promise<unknown>;
  const methods = Collection.prototype as unknown as Record<string, Method>;
  for (const name of [
    'insertOne',
    'insertMany',
    'bulkWrite',
    'updateMany',
    'updateOne',
    'findOneAndUpdate',
    'deleteOne',
  ]) {
    const original = methods[name] as Method;
    methods[name] = async function (...args) {
      // The driver calls insertMany for it.
      const isInsertMany = name === 'bulkWrite' && JSON.stringify(args[0]).startsWith('[{"insertOne"');
      if (isInsertMany) return original.apply(this, args);
      dieAt(`${this.collectionName}.${name}.before`);
      const result = await original.apply(this, args);
      dieAt(`${this.collectionName}.${name}.after`);
      return result;
    };
  }
  type WriteHead = (this: unknown, status: number, ...rest: unknown[]) => unknown;
  const answers = ServerResponse.prototype as unknown as { writeHead: WriteHead };
  const { writeHead } = answers;
  answers.writeHead = function (status, ...rest) {
    if (status === 202) dieAt('answer.202.before');
    return writeHead.call(this, status, ...rest);
  };
}

/** Lets tests choose places at which processes of the stack die. */
export function openCrashPoints(stack: Pick<DevStack, 'pid'>): CrashPoints {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-test-crash-points-'));
  const watched = new Set<number>();
  let armed = '';
  /** A process that has just died may still be listed. */
  const isReplacing = (running: readonly number[], count: number): boolean =>
    running.length < count || running.some((id) => existsSync(join(folder, String(id))));
  return {
    async arm(service, point) {
      const program = `services/${service}/src/main.ts`;
      const count = replicaCount(stack, program);
      // Wait for the restart of a process that died earlier: otherwise it would pass the place unwatched.
      while (isReplacing(processesOf(stack, program), count)) await delay(POLL_MS);
      for (const id of processesOf(stack, program)) {
        if (watched.has(id)) continue;
        // A gateway has no such check, but is running when the tests begin.
        if (service !== 'gateway') await untilServing(id);
        await inspect(id, [{ method: 'Runtime.evaluate', params: { expression: watching(folder) } }]);
        watched.add(id);
      }
      armed = join(folder, point);
      writeFileSync(armed, '');
    },
    hasCrashed: () => !existsSync(armed),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
