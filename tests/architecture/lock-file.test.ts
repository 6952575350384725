import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';

interface LockEntry {
  readonly optional?: boolean;
  /** Whether it is one of our own packages, linked into node_modules. */
  readonly link?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Entries by location; '' is the root. */
type Packages = Readonly<Record<string, LockEntry>>;

/**
 * Packages of other platforms that the registry did not serve when the lock file was written: npm checks no integrity
 * where one of them is installed. Never add a package that the registry serves; run `npm install` against it instead.
 */
const NOT_SERVED: readonly string[] = [
  ...['darwin-arm64', 'darwin-x64', 'linux-armv7', 'win32-arm64', 'win32-x64'].map(
    (platform) => `@bufbuild/buf-${platform}`,
  ),
  ...[
    'android-arm-eabi',
    'android-arm64',
    'darwin-arm64',
    'darwin-x64',
    'freebsd-x64',
    'linux-arm-gnueabihf',
    'linux-arm-musleabihf',
    'linux-ppc64-gnu',
    'linux-riscv64-gnu',
    'linux-riscv64-musl',
    'linux-s390x-gnu',
    'openharmony-arm64',
    'win32-arm64-msvc',
    'win32-ia32-msvc',
    'win32-x64-msvc',
  ].flatMap((platform) => [`@oxc-parser/binding-${platform}`, `@oxlint/binding-${platform}`]),
  ...['linux-arm64-musl', 'linux-x64-musl'].map((platform) => `@oxlint/binding-${platform}`),
  ...['darwin-arm64', 'darwin-x64', 'win32-arm64', 'win32-x64'].map(
    (platform) => `@oxlint-tsgolint/${platform}`,
  ),
  'lefthook-android-arm64',
];

/** The lock files, each with its packages that the registry did not serve. */
const LOCK_FILES: readonly { readonly file: string; readonly notServed: readonly string[] }[] = [
  { file: 'package-lock.json', notServed: NOT_SERVED },
  {
    file: 'tests/contract/mcp-clients/package-lock.json',
    notServed: ['napi-windows-process-start-time'],
  },
];

async function lockedPackages(file: string): Promise<Packages> {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
  const { packages } = JSON.parse(text) as { readonly packages: Packages }; // of version 3, as npm documents it
  return packages;
}

/** The packages that npm downloads: the entries that are neither our own packages nor links to them, with the package's name. */
function downloaded(packages: Packages): readonly (LockEntry & { readonly name: string })[] {
  const mark = 'node_modules/';
  return Object.entries(packages)
    .filter(([place, { link }]) => place.includes(mark) && link !== true)
    .map(([place, entry]) => ({ ...entry, name: place.slice(place.lastIndexOf(mark) + mark.length) }));
}

/** The places where Node, and so npm, looks for a dependency of the package at `place`, nearest first. */
function candidates(place: string, name: string): string[] {
  const above = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1));
  const here = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
  return place === '' ? [here] : [here, ...candidates(above, name)];
}

describe.each(LOCK_FILES)('$file', ({ file, notServed }) => {
  test('it names every optional package of every platform: without one of them `npm ci` refuses it', async () => {
    const packages = await lockedPackages(file);
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.entries(optionalDependencies)
        .filter(([name]) => !candidates(place, name).some((candidate) => candidate in packages))
        .map(([name, version]) => `${name}@${version}`),
    );
    expect(missing).toEqual([]);
  });

  test('npm checks the integrity of all that it downloads, but for optional packages of other platforms', async () => {
    const unchecked = downloaded(await lockedPackages(file)).filter(
      ({ integrity }) => integrity === undefined,
    );
    expect(unchecked.map(({ name }) => name).toSorted()).toEqual(notServed.toSorted());
    expect(unchecked.filter(({ optional }) => optional !== true)).toEqual([]);
  });

  test('integrity is a SHA-512, and no address of another registry or of a file stands in it', async () => {
    const entries = downloaded(await lockedPackages(file));
    expect(
      entries.filter(({ integrity }) => integrity !== undefined && !/^sha512-[\w+/]{86}==$/.test(integrity)),
    ).toEqual([]);
    expect(
      entries.filter(({ resolved }) => resolved?.startsWith('https://registry.npmjs.org/') === false),
    ).toEqual([]);
  });
});
