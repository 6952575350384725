import { setPriority } from 'node:os';

/** A little above a pool worker's niceness (packages/worker-pool/src/process-usage.ts). */
const NICENESS = 8;

/**
 * Gives test processes about the same CPU share as the worker processes of their services. The services themselves do little, but several
 * test files run at once: otherwise a worker would get a twentieth of a core, and its calls would reach their time limits.
 */
export default function setUp(): void {
  setPriority(NICENESS);
}
