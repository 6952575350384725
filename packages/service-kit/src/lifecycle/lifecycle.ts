import { ConfigError } from '../config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** What was opened, to be closed in reverse order. */
export class Closers {
  readonly #log: Logger;
  readonly #entries: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds what closes a resource, right after it was opened. */
  push(name: string, close: () => Promise<void> | void): void {
    this.#entries.push({ name, close });
  }

  /** Adds a resource right after it was opened, and gives it back. */
  add<T extends { close(): Promise<void> | void }>(name: string, resource: T): T {
    this.push(name, () => resource.close());
    return resource;
  }

  /** Closes everything, the last opened first. A failure is logged and does not keep the rest open. */
  async close(): Promise<void> {
    for (let entry = this.#entries.pop(); entry !== undefined; entry = this.#entries.pop()) {
      try {
        await entry.close();
      } catch (error) {
        this.#log.error({ err: error, resource: entry.name }, 'could not close a resource');
      }
    }
  }
}

/** Longer than the longest DRAIN_DELAY_MS and SHUTDOWN_GRACE_MS together: only for a close that hangs. */
const CLOSE_LIMIT_MS = 720_000;

/**
 * Runs a service until SIGTERM or SIGINT, closes it and exits 0. A boot that fails prints one clear line (a
 * ConfigError: one a problem) and exits 1; so does a close that fails or hangs. A signal before the boot is complete,
 * or a second one, exits at once.
 */
export async function runUntilSignal(
  service: string,
  build: () => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  const stopped = nextSignal();
  let app: { close(): Promise<void> } | undefined;
  try {
    app = await Promise.race([build(), stopped.then(() => undefined)]);
  } catch (error) {
    process.stderr.write(`${describeBootFailure(service, error)}\n`);
    process.exit(1);
  }
  // A boot may wait for its database for long; what it leaves half done, the next one finishes.
  if (app === undefined) process.exit(0);
  await stopped;
  process.once('SIGTERM', () => process.exit(1));
  process.once('SIGINT', () => process.exit(1));
  const limit = setTimeout(() => {
    process.stderr.write(`${service}: did not close within ${CLOSE_LIMIT_MS / 1000} s\n`);
    process.exit(1);
  }, CLOSE_LIMIT_MS);
  limit.unref();
  try {
    await app.close();
  } catch (error) {
    process.stderr.write(`${service}: did not close cleanly: ${messageOf(error)}\n`);
    process.exit(1);
  }
  // Explicitly, because a library's forgotten timer would keep a process alive that has nothing left to do.
  process.exit(0);
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

/** What a person reads of a boot that failed: one line, for a ConfigError one more a problem. */
function describeBootFailure(service: string, error: unknown): string {
  if (error instanceof ConfigError) {
    const problems = error.message.split('\n').map((line) => `  ${line}`);
    return `${service}: the configuration is not valid\n${problems.join('\n')}`;
  }
  return `${service}: could not start: ${messageOf(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.split('\n', 1).join('') : String(error);
}
