import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { processTree, pssBytesOf } from '../faults/support/processes.ts';
import { startStack } from '../setup/start-stack.ts';

/** Resources of an idle stack, per start. */
export interface Footprint {
  /** From the launcher's start to the last healthy part, with data and caches of an earlier start. */
  readonly startSeconds: readonly number[];
  /** Memory of all its processes (PSS, which counts shared pages once), once stable. */
  readonly pssGigabytes: readonly number[];
}

const LOOK_MS = 1_000;
/** A smaller change between samples counts as stable. */
const REST = 0.003;
const LONGEST_SETTLING_LOOKS = 60;

/**
 * Starts the checkouts' stacks in turn, each alone on the machine, `rounds` times after one start that fills caches. Results are in the
 * order of `roots`.
 */
export async function measureFootprints(
  roots: readonly string[],
  o: { readonly rounds: number },
): Promise<Footprint[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-starts-'));
  const trees = roots.map((root, i) => ({
    root,
    data: join(folder, String(i)),
    startSeconds: [] as number[],
    pssGigabytes: [] as number[],
  }));
  try {
    for (let round = 0; round <= o.rounds; round += 1) {
      for (const tree of round % 2 === 0 ? trees : trees.toReversed()) {
        const start = await startOnce(tree.root, tree.data);
        if (round === 0) continue;
        tree.startSeconds.push(start.seconds);
        tree.pssGigabytes.push(start.pssGigabytes);
      }
    }
    return trees;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startOnce(
  root: string,
  data: string,
): Promise<{ readonly seconds: number; readonly pssGigabytes: number }> {
  const startedAt = performance.now();
  const { stack, stop } = await startStack({ root, data });
  const seconds = (performance.now() - startedAt) / 1_000;
  try {
    return { seconds, pssGigabytes: (await settledPssBytes(stack.pid)) / 1e9 };
  } finally {
    await stop();
  }
}

/** Memory of a process and its descendants, once stable. */
async function settledPssBytes(root: number): Promise<number> {
  let before = pssBytes(root);
  for (let look = 0; look < LONGEST_SETTLING_LOOKS; look += 1) {
    await delay(LOOK_MS);
    const now = pssBytes(root);
    if (look > 2 && Math.abs(now - before) < before * REST) return now;
    before = now;
  }
  return before;
}

/** Memory of a process and its descendants, in bytes. */
function pssBytes(root: number): number {
  return processTree(root).reduce((sum, id) => sum + pssBytesOf(id), 0);
}
