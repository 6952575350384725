import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { findCircles, readImportGraph, readTypeGraph } from './import-graph.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('no modules load each other in a circle', async () => {
  const graph = await readImportGraph(ROOT);
  // The graph must contain relative imports and those between packages; an empty graph would have no cycles either.
  expect(graph.get('services/gateway/src/main.ts')).toContain('services/gateway/src/app.ts');
  expect(graph.get('services/gateway/src/limits/limits.ts')).toContain('packages/limiter/src/limiter.ts');
  expect(findCircles(graph)).toEqual([]);
});

test('no modules import each other in a circle, not even their types', async () => {
  const graph = await readTypeGraph(ROOT);
  expect(graph.get('packages/egress/src/open-egress.ts')).toContain('packages/egress/src/egress.ts');
  expect(findCircles(graph)).toEqual([]);
});

/** A workspace tree with these files, each `packages/<name>/src/…` of the package `@fairlead/<name>`. */
function seededTree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'fairlead-circles-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('package.json', JSON.stringify({ workspaces: ['packages/*'] }));
  mkdirSync(join(root, 'node_modules/@fairlead'), { recursive: true });
  for (const name of new Set(Object.keys(files).map((path) => path.split('/')[0]))) {
    const exports = { './*': './src/*.ts' };
    write(
      `packages/${name}/package.json`,
      JSON.stringify({ name: `@fairlead/${name}`, type: 'module', exports }),
    );
    symlinkSync(join(root, `packages/${name}`), join(root, `node_modules/@fairlead/${name}`));
  }
  for (const [path, text] of Object.entries(files)) write(`packages/${path}`, text);
  return root;
}

const circlesOf = async (files: Readonly<Record<string, string>>): Promise<unknown> =>
  findCircles(await readImportGraph(seededTree(files)));

test('a cycle through a re-export, an import() and another package is found', async () => {
  const files = {
    'a/src/one.ts': "export { two } from './two.ts';\nexport const one = 1;\n",
    'a/src/two.ts': "export const two = async () => (await import('@fairlead/b/folder/three')).three;\n",
    'b/src/folder/three.ts': "import { one } from '@fairlead/a/one';\nexport const three = one;\n",
    'b/src/outside.ts': "import '@fairlead/a/one';\n",
  };
  expect(await circlesOf(files)).toEqual([
    ['packages/a/src/one.ts', 'packages/a/src/two.ts', 'packages/b/src/folder/three.ts'],
  ]);
});

test('two cycles are distinguished, and a module that loads itself is one', async () => {
  const files = {
    'a/src/one.ts': "import './two.ts';\nimport './three.ts';\n",
    'a/src/two.ts': "import './one.ts';\n",
    'a/src/three.ts': "import './four.ts';\n",
    'a/src/four.ts': "import './three.ts';\nimport './five.ts';\n",
    'a/src/five.ts': "import './five.ts';\n",
  };
  expect(await circlesOf(files)).toEqual([
    ['packages/a/src/five.ts'],
    ['packages/a/src/four.ts', 'packages/a/src/three.ts'],
    ['packages/a/src/one.ts', 'packages/a/src/two.ts'],
  ]);
});

test('a circle of types is one of imports, and loads nothing', async () => {
  const files = {
    'a/src/one.ts': "import type { Two } from './two.ts';\nexport const one: Two | 1 = 1;\n",
    'a/src/two.ts': "import { one } from './one.ts';\nexport type Two = typeof one;\n",
    'b/src/three.ts': "import type {\n  Four,\n} from '@fairlead/b/four';\nexport type Three = Four;\n",
    'b/src/four.ts': "export type Four = import('./three.ts').Three;\n",
  };
  expect(await circlesOf(files)).toEqual([]);
  expect(findCircles(await readTypeGraph(seededTree(files)))).toEqual([
    ['packages/a/src/one.ts', 'packages/a/src/two.ts'],
    ['packages/b/src/four.ts', 'packages/b/src/three.ts'],
  ]);
});

test('an import that leads nowhere is an error', async () => {
  await expect(circlesOf({ 'a/src/one.ts': "import '@fairlead/nobody/one';\n" })).rejects.toThrow(
    '@fairlead/nobody',
  );
});
