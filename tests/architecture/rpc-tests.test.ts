import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { readImportGraph } from './import-graph.ts';
import type { ImportGraph } from './import-graph.ts';

/** The only module that opens peers with the tested transport. */
const TEST_PEER = 'packages/service-kit/src/testing/peer.ts';

let graph: ImportGraph;
beforeAll(async () => {
  graph = await readImportGraph(fileURLToPath(new URL('../..', import.meta.url)));
});

/** Whether `file` loads `target`, directly or indirectly. */
function loads(file: string, target: string): boolean {
  const seen = new Set([file]);
  for (const module of seen) for (const imported of graph.get(module) ?? []) seen.add(imported);
  return seen.has(target);
}

test('integration files that open a peer, and no others, are named *.rpc.integration.test.ts and so run on both transports', () => {
  const files = [...graph.keys()].filter((file) => file.endsWith('.integration.test.ts'));
  const named = files.filter((file) => file.endsWith('.rpc.integration.test.ts'));
  expect(named).not.toEqual([]);
  expect(files.filter((file) => loads(file, TEST_PEER))).toEqual(named);
});

test('no other helper or integration file opens peers, but the one at which nobody listens', () => {
  const openers = [...graph].filter(
    ([file, imported]) =>
      /\/testing\/|\.integration\.test\.ts$/.test(file) &&
      imported.includes('packages/service-kit/src/rpc/peer.ts'),
  );
  expect(openers.map(([file]) => file)).toEqual([TEST_PEER, 'services/gateway/src/testing/edge.ts']);
});
