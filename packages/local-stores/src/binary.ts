import { access, chmod, constants, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreSettings } from './config.ts';
import { checkBinary } from './shared-libraries.ts';

/** A program that is already installed on this machine. */
export interface InstalledBinary {
  readonly path: string;
  readonly version: string;
}

/**
 * The first program of that name on PATH that runs and is new enough; skipped ones are logged. `versionIn` reads the version from the
 * output of `<program> --version`.
 */
export async function findInstalledBinary(o: {
  readonly name: string;
  readonly settings: StoreSettings;
  readonly versionIn: (text: string) => string | undefined;
  readonly isNewEnough: (version: string) => boolean;
  readonly log: ((line: string) => void) | undefined;
}): Promise<InstalledBinary | undefined> {
  for (const folder of o.settings.searchPath) {
    const path = join(folder, o.name);
    if (!(await isExecutable(path))) continue;
    const check = await checkBinary(path);
    const version = check.kind === 'runs' ? o.versionIn(check.versionText) : undefined;
    if (version !== undefined && o.isNewEnough(version)) return { path, version };
    o.log?.(
      `Not using ${path}: ${version === undefined ? 'it does not run' : `version ${version} is too old`}`,
    );
  }
  return undefined;
}

/** The path of a fetched binary of this version in the cache. */
export function cachedBinaryPath(settings: StoreSettings, name: string, version: string): string {
  return join(settings.cacheDirectory, `${name}-${version}`, name);
}

/** Runs `fetch` with an empty staging folder beside the target, which is always removed afterwards. Makes the target executable. */
export async function fetchBinary(
  settings: StoreSettings,
  target: string,
  fetch: (staging: string, target: string) => Promise<void>,
): Promise<void> {
  await mkdir(settings.cacheDirectory, { recursive: true });
  const staging = await mkdtemp(join(settings.cacheDirectory, 'fetching-'));
  try {
    await fetch(staging, target);
    await chmod(target, 0o755);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Whether the file exists and may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
