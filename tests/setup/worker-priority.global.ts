import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { processTree } from '../faults/support/processes.ts';
import yieldToWorkers from './priority.global.ts';

const EVERY_MS = 250;

/**
 * Gives the worker processes of the services under test the priority of these tests again, which their pools take from them. Beside a stack
 * that another suite has started they would have a hundredth of a core, and calls that are to succeed would end at their limits of time.
 * Only root may do so; otherwise the tests yield to them.
 */
export default function setUp(): () => void {
  if (process.getuid?.() !== 0) {
    yieldToWorkers();
    return () => undefined;
  }
  const own = getPriority();
  const timer = setInterval(() => {
    for (const id of processTree(process.pid)) raise(id, own);
  }, EVERY_MS);
  return () => clearInterval(timer);
}

/** On Linux each thread of a process has its own. */
function raise(id: number, priority: number): void {
  try {
    for (const thread of readdirSync(`/proc/${id}/task`).map(Number))
      if (getPriority(thread) > priority) setPriority(thread, priority);
  } catch {
    // The process or a thread of it ended between the listing and the call.
  }
}
