import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Reports the steps of finding, fetching and starting a store to people. */
export interface StoreLog {
  /** Called with one line for each important step. */
  readonly log?: ((line: string) => void) | undefined;
  /**
   * Called a few times per second during a fetch, for a line that is overwritten in place; without it, `log` gets a line from time to time.
   */
  readonly progress?: ((text: string) => void) | undefined;
}

/** One fetch of one binary. */
export interface FetchJob extends StoreLog {
  /** An empty folder on the same file system as `target`, removed afterwards by the caller. */
  readonly staging: string;
  /** The target path of the binary. */
  readonly target: string;
  /** Environment of the fetching tools, with its proxy and mirror settings. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborting ends the fetch. */
  readonly signal: AbortSignal | undefined;
}

const SAMPLE_MS = 250;
const LINE_EVERY_MS = 3_000;
const MEGABYTE = 1_000_000;

/** Reports the growth of a folder into which another program fetches, until stopped. */
export interface FetchProgress {
  /** Bytes in the folder at the last check. */
  readonly bytes: number;
  stop(): void;
}

/** Watches the bytes below `directory` and reports them. This works with every downloader, whatever its output looks like. */
export function watchFetch(
  o: { what: string; directory: string; totalBytes?: number } & StoreLog,
): FetchProgress {
  const total = o.totalBytes === undefined ? '' : ` of ${String(megabytes(o.totalBytes))}`;
  const state = { bytes: 0, lastLine: Date.now() };
  const look = async (): Promise<void> => {
    state.bytes = await sizeOf(o.directory);
    const done = String(megabytes(Math.min(state.bytes, o.totalBytes ?? state.bytes)));
    const text = `${o.what}: ${done}${total} MB`;
    if (o.progress !== undefined) o.progress(text);
    else if (Date.now() - state.lastLine >= LINE_EVERY_MS) {
      state.lastLine = Date.now();
      o.log?.(text);
    }
  };
  const timer = setInterval(() => void look(), SAMPLE_MS);
  return {
    get bytes() {
      return state.bytes;
    },
    stop: () => {
      clearInterval(timer);
    },
  };
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / MEGABYTE);
}

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
