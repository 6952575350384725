import { setPriority } from 'node:os';

/** A little more than a worker of a pool has (packages/worker-pool/src/process-usage.ts). */
const NICENESS = 8;

/**
 * Gives the processes that run tests about the share of the processor that the worker processes of their services get. Services do little
 * beside their workers, tests run several files at once: a worker would have a twentieth of a core, and its calls would end at their limits of time.
 */
export default function setUp(): void {
  setPriority(NICENESS);
}
