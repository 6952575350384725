import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { processOf, processesOf, pssBytesOf } from '../../faults/support/processes.ts';
import { collectGarbage } from './collect-garbage.ts';
import type { DevStack } from '../../setup/dev-stack.ts';

const NAMES = ['gateway', ...SERVICE_NAMES];
const LOOK_MS = 200;
const LOOKS = 5;

/** A number per service of a stack, the gateway included. */
type PerService = Readonly<Record<string, number>>;

/** A stack's processes, observed from outside through proc(5). */
export interface ServiceProcesses {
  /** All processes of the launcher, by id; changes if one ends, even if it is restarted. */
  running(): readonly number[];
  /** CPU time used by each main thread, in milliseconds. */
  mainThreadMs(): PerService;
  /** Memory of each service without its workers, in bytes, after a garbage collection. */
  settledMemory(): Promise<PerService>;
}

/** Observes the processes of a stack. */
export function serviceProcesses(stack: DevStack): ServiceProcesses {
  const ids = NAMES.map((name) => [name, processOf(stack, `services/${name}/src/main.ts`)] as const);
  const each = (read: (id: number) => number): PerService =>
    Object.fromEntries(ids.map(([name, id]) => [name, read(id)]));
  return {
    running: () => processesOf(stack, '').toSorted((a, b) => a - b),
    mainThreadMs: () => each(mainThreadMs),
    async settledMemory() {
      for (const [, id] of ids) await collectGarbage(id);
      let least = each(pssBytesOf);
      for (let look = 0; look < LOOKS; look += 1) {
        await delay(LOOK_MS);
        const now = each(pssBytesOf);
        least = Object.fromEntries(
          Object.entries(now).map(([name, bytes]) => [name, Math.min(bytes, least[name] ?? bytes)]),
        );
      }
      return least;
    },
  };
}

/** The first number of schedstat is CPU time in nanoseconds; the main thread has the process's id. */
function mainThreadMs(id: number): number {
  return Number(readFileSync(`/proc/${id}/task/${id}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
}
