import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/** The settings of the machine that finding and fetching binaries depends on. */
export interface StoreSettings {
  /** Folder that holds fetched binaries; shared by every checkout of the user. */
  readonly cacheDirectory: string;
  /** Folders searched for installed binaries, in order. */
  readonly searchPath: readonly string[];
  /** Environment handed to the tools that fetch (proxy and mirror settings live there). */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings from environment variables.
 *
 * `FAIRLEAD_CACHE` names the cache folder; without it, the platform's own place for caches
 * (XDG Base Directory on Linux) is used with `fairlead` below it.
 */
export function storeSettings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): StoreSettings {
  return {
    cacheDirectory: environment['FAIRLEAD_CACHE'] ?? join(cacheHome(environment), 'fairlead'),
    searchPath: (environment['PATH'] ?? '').split(':').filter((folder) => folder !== ''),
    environment,
  };
}

function cacheHome(environment: Readonly<Record<string, string | undefined>>): string {
  const home = environment['HOME'] ?? homedir();
  if (platform() === 'darwin') return join(home, 'Library', 'Caches');
  return environment['XDG_CACHE_HOME'] ?? join(home, '.cache');
}
