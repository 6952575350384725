import { ConfigError } from '../config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { catchFatalErrors } from './fatal-errors.ts';
import { keepObjectsYoung } from './young-objects.ts';

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

/**
 * Limit for closing; longer than the longest DRAIN_DELAY_MS and SHUTDOWN_GRACE_MS together, so it only ends a close
 * that hangs.
 */
const CLOSE_LIMIT_MS = 720_000;
/** Limit for closing a process whose state is unknown: it is more likely to hang, and other replicas do its work. */
const DEFECTIVE_CLOSE_LIMIT_MS = 60_000;

/**
 * Runs a service until SIGTERM or SIGINT, closes it and exits 0. A boot that fails prints one line (for a
 * ConfigError, one per problem) and exits 1; so does a close that fails or hangs. A signal during the boot, or a
 * second signal, exits at once. An uncaught error is logged and ends the service like a signal, but within a minute
 * and with exit code 1.
 */
export async function runUntilSignal(
  service: string,
  build: () => Promise<{ close(): Promise<void> }>,
): Promise<void> {
  keepObjectsYoung();
  const stop = Promise.withResolvers<void>();
  let isDefective = false;
  catchFatalErrors(service, () => {
    if (isDefective) return;
    isDefective = true;
    exitAfter(service, DEFECTIVE_CLOSE_LIMIT_MS);
    stop.resolve();
  });
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(1);
      stop.resolve();
    });
  }
  let app: { close(): Promise<void> } | undefined;
  try {
    app = await Promise.race([build(), stop.promise.then(() => undefined)]);
  } catch (error) {
    process.stderr.write(`${describeBootFailure(service, error)}\n`);
    process.exit(1);
  }
  // The boot may wait long for its database; the next boot completes half-done work.
  if (app === undefined) process.exit(isDefective ? 1 : 0);
  await stop.promise;
  exitAfter(service, CLOSE_LIMIT_MS);
  try {
    await app.close();
  } catch (error) {
    process.stderr.write(`${service}: did not close cleanly: ${messageOf(error)}\n`);
    process.exit(1);
  }
  // Explicit, because a library's leftover timer would keep the finished process alive.
  process.exit(isDefective ? 1 : 0);
}

function exitAfter(service: string, limitMs: number): void {
  const limit = setTimeout(() => {
    process.stderr.write(`${service}: did not close within ${limitMs / 1000} s\n`);
    process.exit(1);
  }, limitMs);
  limit.unref();
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
