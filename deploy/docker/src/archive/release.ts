import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** The version of the checkout at `root`, which is the default tag of its images. */
export async function readRelease(root: string): Promise<string> {
  return manifest.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).version;
}
