import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { productionClosure, readLockFile } from './lock-file.ts';
import { billOf, npmBillOfMaterials } from './sbom.ts';
import { programFolders } from './stage.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const packages = readLockFile(readFileSync(`${ROOT}package-lock.json`, 'utf8'));
const { workspaces, libraries } = productionClosure(packages, await programFolders(ROOT));

/** Permissive licences, whose texts are shipped with the libraries. Adding another one is a decision. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  '(AFL-2.1 OR BSD-3-Clause)',
  '(Apache-2.0 AND BSD-3-Clause)',
  '(MIT OR CC0-1.0)',
];

it('each library in the image, or in a file that it serves, has a permissive licence', () => {
  const others = libraries.map((folder) => `${folder}: ${packages.get(folder)?.license ?? '(none)'}`);
  expect(others.filter((text) => !ALLOWED.includes(text.split(': ')[1] ?? ''))).toEqual([]);
});

it('the bill of materials lists each package of the image with its licence, and nothing else', async () => {
  const bill = billOf(await npmBillOfMaterials(ROOT), packages, [...workspaces, ...libraries]);
  const components = bill['components'] as { 'bom-ref': string; licenses?: unknown[] }[];
  const names = components.map((component) => component['bom-ref']);
  expect(names).toEqual(
    expect.arrayContaining([expect.stringMatching(/^mongodb@7/), expect.stringMatching(/^vue@3/)]),
  );
  expect(names.filter((name) => /^(?:node|vitest|typescript)@/.test(name))).toEqual([]);
  expect(components.filter(({ licenses }) => (licenses ?? []).length === 0)).toEqual([]);
  expect(new Set(names).size).toBeGreaterThan(new Set(libraries).size / 2);
  const text = JSON.stringify(bill);
  expect(text).not.toMatch(/serialNumber|timestamp/);
  // Every reference has a component.
  const known = new Set([...names, 'fairlead@0.1.0']);
  const dependencies = bill['dependencies'] as { ref: string; dependsOn: string[] }[];
  expect(
    dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !known.has(ref)),
  ).toEqual([]);
});
