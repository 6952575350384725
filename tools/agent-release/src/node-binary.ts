import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';

/** Platforms that executables are built for. */
export const PLATFORMS = ['linux-x64', 'linux-arm64'] as const;

/** A platform that executables are built for. */
export type Platform = (typeof PLATFORMS)[number];

/** Downloads this process's version of Node for a platform from npm, verified by the registry's integrity; returns its path. */
export async function nodeBinary(platform: Platform, folder: string): Promise<string> {
  const name = `node-${platform}@${process.versions.node}`;
  const stated: unknown = JSON.parse(await run('npm', ['view', name, 'dist.integrity', '--json'], folder));
  const packed: unknown = JSON.parse(await run('npm', ['pack', name, '--json'], folder));
  const file = join(folder, fileNameOf(packed));
  const digest = createHash('sha512')
    .update(await readFile(file))
    .digest('base64');
  if (stated !== `sha512-${digest}`) throw new Error(`${name} is not what the registry states`);
  await run('tar', ['-xzf', file, 'package/bin/node'], folder);
  return join(folder, 'package', 'bin', 'node');
}

function fileNameOf(packed: unknown): string {
  const first: unknown = Array.isArray(packed) ? packed.at(0) : undefined;
  if (typeof first !== 'object' || first === null || !('filename' in first))
    throw new Error('npm pack names no file');
  return String(first.filename);
}
