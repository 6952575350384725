import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { integrityOf, writeArchive } from '../testing/archives.ts';
import { fetchArchive } from './fetch-archive.ts';
import type { PinnedPackage } from './fetch-archive.ts';

let directory: string;
let programs: string;
const path = process.env['PATH'];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'connector-model-'));
  programs = join(directory, 'programs');
  await mkdir(programs);
  process.env['PATH'] = programs;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(directory, { recursive: true, force: true });
});

/** Stands in for npm or python3: records its arguments and runs a shell script. */
async function putClient(name: string, ...lines: string[]): Promise<void> {
  const file = join(programs, name);
  await writeFile(file, ['#!/bin/sh', `echo "$@" > '${directory}/arguments'`, ...lines].join('\n'));
  await chmod(file, 0o755);
}

const pinned: PinnedPackage = {
  registry: 'npm',
  package: '@acme/api',
  version: '1.0.0',
  integrity: 'sha256-AAAA',
};

describe.each([
  ['npm', 'npm', /^pack @acme\/api@1\.0\.0 .*--ignore-scripts/],
  ['pypi', 'python3', /^-m pip download .*--no-deps .*acme==1\.0\.0$/m],
] as const)('a package of %s', (registry, client, args) => {
  it("is fetched by the registry's client, and checked", async () => {
    process.env['PATH'] = path;
    const archive = join(directory, 'archive');
    await writeArchive(archive, registry, { 'a.json': '{}' });
    const target = join(directory, 'target');
    await mkdir(target);
    const integrity = await integrityOf(archive);
    process.env['PATH'] = `${programs}:${path ?? ''}`;
    await putClient(client, `cp '${archive}' '${target}/fetched'`);
    const wanted = { ...pinned, registry, package: registry === 'npm' ? '@acme/api' : 'acme' };
    expect(await fetchArchive({ ...wanted, integrity }, target)).toBe(join(target, 'fetched'));
    expect(await readFile(join(directory, 'arguments'), 'utf8')).toMatch(args);
    await copyFile(archive, join(target, 'fetched'));
    await expect(fetchArchive(wanted, target)).rejects.toThrow(
      `its archive has the digest ${integrity}, not sha256-AAAA`,
    );
  });

  it('fails with the last words of the client, or because it is not installed', async () => {
    const wanted = { ...pinned, registry };
    await expect(fetchArchive(wanted, directory)).rejects.toThrow(
      `${client} could not fetch it: it is not installed`,
    );
    await putClient(client, 'echo "first" >&2', 'echo "no network" >&2', 'exit 1');
    await expect(fetchArchive(wanted, directory)).rejects.toThrow(`${client} could not fetch it: no network`);
  });
});

it('gives up a package of npm that is not found at once, and says why', async () => {
  await putClient(
    'npm',
    'echo "npm error code ECONNREFUSED" >&2',
    'echo "npm error A complete log is elsewhere" >&2',
    'exit 1',
  );
  await expect(fetchArchive(pinned, directory)).rejects.toThrow(
    'npm could not fetch it: npm error code ECONNREFUSED',
  );
  expect(await readFile(join(directory, 'arguments'), 'utf8')).toMatch(/^view @acme\/api@1\.0\.0 /);
});
