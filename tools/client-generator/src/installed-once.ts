import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder in `cache` that `install` has filled, once per `key`, which identifies its content. */
export async function installedOnce(
  cache: string,
  key: string,
  install: (folder: string) => Promise<void>,
): Promise<string> {
  const place = join(cache, createHash('sha256').update(key).digest('hex').slice(0, 16));
  if (existsSync(place)) return place;
  await mkdir(cache, { recursive: true });
  // Filled beside its place and moved there when complete, so that a broken installation is never used.
  const fresh = await mkdtemp(join(cache, 'new-'));
  try {
    await install(fresh);
    await rename(fresh, place).catch((error: unknown) => {
      // Another process was faster, with the same content.
      if (!existsSync(place)) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return place;
}
