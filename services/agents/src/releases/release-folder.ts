import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A built installer. */
export interface Installer {
  readonly version: string;
  readonly file: string;
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly releasedAt: Date;
}

/** The output folder of `npm run agent:release`. */
export interface ReleaseFolder {
  /** Undefined: the release has no installer for the platform. */
  findInstaller(platform: string): Promise<Installer | undefined>;
  /** Path of a file of the release; undefined for any other name. */
  findFile(name: string): Promise<string | undefined>;
}

const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const SUMS = 'SHA256SUMS';

const manifestForm = z.object({
  version: z.string().min(1),
  releasedAt: z.iso.datetime().transform((text) => new Date(text)),
  installers: z.record(
    z.string(),
    z.object({
      file: z.string().regex(FILE_NAME),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      sizeBytes: z.int().min(1),
    }),
  ),
});

/** Opens the folder. It is read for each request, so that a new release needs no restart. Undefined: no folder is configured. */
export function openReleaseFolder(folder: string | undefined): ReleaseFolder {
  const textOf = async (name: string): Promise<string | undefined> => {
    if (folder === undefined) return undefined;
    try {
      return await readFile(join(folder, name), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  };
  return {
    async findInstaller(platform) {
      const text = await textOf('manifest.json');
      if (text === undefined) return undefined;
      const manifest = manifestForm.safeParse(parsed(text));
      // The record is then degraded, as without a release.
      if (!manifest.success) return undefined;
      const { installers, ...release } = manifest.data;
      const installer = Object.hasOwn(installers, platform) ? installers[platform] : undefined;
      return installer && { ...release, ...installer };
    },
    async findFile(name) {
      if (folder === undefined || !FILE_NAME.test(name)) return undefined;
      const sums = (await textOf(SUMS)) ?? '';
      const isListed = name === SUMS || sums.split('\n').some((line) => line.endsWith(`  ${name}`));
      return isListed ? join(folder, name) : undefined;
    },
  };
}

/** Undefined: the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
