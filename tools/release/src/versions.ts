import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const object = z.record(z.string(), z.unknown());
const manifest = z.looseObject({ version: z.string() });
const root = z.looseObject({ workspaces: z.array(z.string()) });
const DEPENDENCIES: readonly string[] = ['dependencies', 'devDependencies', 'peerDependencies'];

const PYTHON = 'clients/python/pyproject.toml';
const PYTHON_VERSION = /^version = "([^"]+)"$/m;

/** The files that contain the version of the packages, by path from the root, with the versions in them. */
export function currentVersions(folder: string): ReadonlyMap<string, string | undefined> {
  const files = manifestPaths(folder).map(
    (path) => [path, manifest.parse(readJson(folder, path)).version] as const,
  );
  return new Map([...files, [PYTHON, PYTHON_VERSION.exec(read(folder, PYTHON))?.[1]]]);
}

/** The texts of all files that contain the packages' version, with another version. Writes nothing. */
export function withVersion(folder: string, version: string): ReadonlyMap<string, string> {
  const manifests = manifestPaths(folder).map(
    (path) => [path, jsonText(raised(object.parse(readJson(folder, path)), version))] as const,
  );
  const lock = object.parse(readJson(folder, 'package-lock.json'));
  const packages = Object.entries(object.parse(lock['packages'])).map(([path, entry]) => {
    const isOwn = !path.includes('node_modules');
    return [path, isOwn ? raised(object.parse(entry), version) : entry] as const;
  });
  const python = read(folder, PYTHON).replace(PYTHON_VERSION, `version = "${version}"`);
  return new Map([
    ...manifests,
    ['package-lock.json', jsonText({ ...lock, version, packages: Object.fromEntries(packages) })],
    [PYTHON, python],
  ]);
}

/** A manifest with another version, for itself and for our packages among its dependencies. The order of members stays. */
function raised(source: Readonly<Record<string, unknown>>, version: string): object {
  return Object.fromEntries(
    Object.entries(source).map(([name, value]) => {
      if (name === 'version') return [name, version];
      return [name, DEPENDENCIES.includes(name) ? renewed(object.parse(value), version) : value];
    }),
  );
}

function renewed(dependencies: Readonly<Record<string, unknown>>, version: string): object {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [
      name,
      name.startsWith('@fairlead') ? version : range,
    ]),
  );
}

function manifestPaths(folder: string): readonly string[] {
  const { workspaces } = root.parse(readJson(folder, 'package.json'));
  const found = workspaces.flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: folder }));
  return ['package.json', ...found.toSorted()];
}

function readJson(folder: string, path: string): unknown {
  return JSON.parse(read(folder, path));
}

function read(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
