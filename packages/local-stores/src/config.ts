import { homedir, platform } from 'node:os';
import { join } from 'node:path';

/** The settings of the machine for finding and fetching binaries. */
export interface StoreSettings {
  /** Folder that holds fetched binaries; shared by every checkout of the user. */
  readonly cacheDirectory: string;
  /** Folders searched for installed binaries, in order. */
  readonly searchPath: readonly string[];
  /** Environment of the fetching tools, with its proxy and mirror settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings from environment variables. `FAIRLEAD_CACHE` names the cache folder; default: `fairlead` in the system's cache folder
 * (XDG Base Directory on Linux).
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
