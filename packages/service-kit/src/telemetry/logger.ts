import type { Track } from '@fairlead/connect-fast/endpoint';
import { pino } from 'pino';
import type { Bindings, DestinationStream, LogFn, Logger as PinoLogger } from 'pino';
import { redact, serializeError } from './redaction.ts';
import { traceFields } from './tracing.ts';

/** Writes JSON lines: a constant message, data in fields, no secrets. */
export interface Logger extends Pick<PinoLogger, Level> {
  /** A logger that adds these fields to each line. */
  child(bindings: Bindings): Logger;
}

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug';

/** A child logger, created on its first line: few requests log more than one line, and a child costs more than that line. */
export function lateChild(parent: Logger, bindings: Bindings): Logger {
  return new LateChild(parent, bindings);
}

class LateChild implements Logger {
  readonly #parent: Logger;
  readonly #bindings: Bindings;
  #made: Logger | undefined;

  constructor(parent: Logger, bindings: Bindings) {
    this.#parent = parent;
    this.#bindings = bindings;
  }

  get #child(): Logger {
    return (this.#made ??= this.#parent.child(this.#bindings));
  }

  get fatal(): LogFn {
    return this.#child.fatal.bind(this.#child);
  }
  get error(): LogFn {
    return this.#child.error.bind(this.#child);
  }
  get warn(): LogFn {
    return this.#child.warn.bind(this.#child);
  }
  get info(): LogFn {
    return this.#child.info.bind(this.#child);
  }
  get debug(): LogFn {
    return this.#child.debug.bind(this.#child);
  }
  child(bindings: Bindings): Logger {
    return this.#child.child(bindings);
  }
}

/**
 * A logger that writes JSON lines to stdout, or to `destination`. A Secret, a field with a secret's name and the
 * password in a URL appear as `***` at any depth. Errors show only type, code, message, stack and cause. In a traced
 * process, lines written inside a span name the trace.
 */
export function createLogger(o: {
  readonly service: string;
  readonly level: string;
  /** The process's track, which each line names. */
  readonly track?: Track;
  readonly destination?: DestinationStream;
}): Logger {
  const logger = pino(
    {
      level: o.level,
      base: { service: o.service, ...(o.track !== undefined && { track: o.track }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceFields,
      formatters: { level: (label) => ({ level: label }), log: redact },
      serializers: { err: serializeError },
    },
    o.destination ?? pino.destination({ fd: 1, sync: true }),
  );
  // A child's bindings bypass formatters.log, and pino's own redaction would cost each line more than all other work.
  // A child's prototype is its parent, so the bindings of grandchildren are redacted too.
  const createChild: unknown = Reflect.get(logger, 'child');
  if (typeof createChild !== 'function') throw new TypeError('The logger has no children.');
  Reflect.set(logger, 'child', function child(this: Logger, bindings: Bindings, ...rest: unknown[]): unknown {
    const childLogger: unknown = Reflect.apply(createChild, this, [redact(bindings), ...rest]);
    return childLogger;
  });
  return logger;
}
