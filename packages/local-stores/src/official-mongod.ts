import { chmod, mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchFetch } from './fetch-progress.ts';
import type { FetchJob } from './fetch-progress.ts';
import { runCommand } from './run-command.ts';

/** The long-term release that is downloaded from MongoDB's own site. */
export const OFFICIAL_MONGOD_VERSION = '8.0.12';

const FIRST_BYTE_TIMEOUT_MS = 10_000;
const FIRST_BYTE_POLL_MS = 200;
const PROGRAM = fileURLToPath(new URL('official-mongod-download.ts', import.meta.url));

/**
 * Fetches MongoDB's own build for this system into `target`. Gives up if nothing has arrived after 10 s, so that a machine that reaches
 * only package registries loses little time.
 */
export async function fetchOfficialMongod(
  o: FetchJob,
  firstByteTimeoutMs = FIRST_BYTE_TIMEOUT_MS,
): Promise<void> {
  const abandoned = new AbortController();
  const progress = watchFetch({
    ...o,
    what: `Fetching mongod ${OFFICIAL_MONGOD_VERSION}`,
    directory: o.staging,
  });
  const started = Date.now();
  const watchdog = setInterval(() => {
    if (progress.bytes > 0) clearInterval(watchdog);
    else if (Date.now() - started > firstByteTimeoutMs)
      abandoned.abort(new Error(`no answer within ${String(firstByteTimeoutMs / 1_000)} s`));
  }, FIRST_BYTE_POLL_MS);
  const env = {
    ...o.environment,
    // The downloader verifies certificates only if npm says so, and tries an unreachable host three times.
    npm_config_strict_ssl: 'true',
    MONGOMS_MAX_RETRIES: '1',
  };
  try {
    const result = await runCommand(process.execPath, [PROGRAM, OFFICIAL_MONGOD_VERSION, o.staging], {
      env,
      signal: o.signal === undefined ? abandoned.signal : AbortSignal.any([abandoned.signal, o.signal]),
    });
    const binary = result.stdout.trim().split('\n').at(-1);
    if (result.code !== 0 || binary === undefined)
      throw new Error(result.stderr.trim().replace(/^.*Details: /s, ''));
    await chmod(binary, 0o755);
    await mkdir(dirname(o.target), { recursive: true });
    await rename(binary, o.target);
  } finally {
    clearInterval(watchdog);
    progress.stop();
  }
}
