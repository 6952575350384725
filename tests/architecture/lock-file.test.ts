import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

interface LockFile {
  readonly packages: Readonly<
    Record<string, { readonly optionalDependencies?: Readonly<Record<string, string>> }>
  >;
}

/** The places where Node, and so npm, looks for a dependency of the package at `place`, nearest first. */
function candidates(place: string, name: string): string[] {
  const above = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1));
  const here = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
  return place === '' ? [here] : [here, ...candidates(above, name)];
}

test('the lock file names every optional package of every platform: without one of them `npm ci` refuses it', async () => {
  const text = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as LockFile; // of version 3, as npm documents it
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !candidates(place, name).some((candidate) => candidate in packages))
      .map(([name, version]) => `${name}@${version}`),
  );
  expect(missing).toEqual([]);
});
