import { ConfigError } from '../config.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Opened resources, closed in reverse order. */
export class Closers {
  readonly #log: Logger;
  readonly #entries: { readonly name: string; readonly close: () => Promise<void> | void }[] = [];

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Adds the function that closes a resource; call it right after opening the resource. */
  push(name: string, close: () => Promise<void> | void): void {
    this.#entries.push({ name, close });
  }

  /** Adds a resource right after it was opened, and returns it. */
  add<T extends { close(): Promise<void> | void }>(name: string, resource: T): T {
    this.push(name, () => resource.close());
    return resource;
  }

  /** Closes everything, the last opened first. A failure is logged and does not prevent the rest from closing. */
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

/** Longer than the longest DRAIN_DELAY_MS and SHUTDOWN_GRACE_MS together: it only ends a close that hangs. */
const CLOSE_LIMIT_MS = 720_000;

/**
 * Runs a service until SIGTERM or SIGINT, closes it and exits 0. A boot that fails prints one clear line (for a
 * ConfigError, one per problem) and exits 1; so does a close that fails or hangs. A signal before the boot is complete,
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
  // A boot may wait long for its database; the next boot finishes what this one leaves half done.
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
  // Explicitly, because a library's leftover timer would keep an otherwise finished process alive.
  process.exit(0);
}

function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}

/** The message for a failed boot: one line, and for a ConfigError one more per problem. */
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
