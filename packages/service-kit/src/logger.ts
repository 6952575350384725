import { pino } from 'pino';
import type { DestinationStream, Logger as PinoLogger } from 'pino';
import { redact, serializeError } from './redaction.ts';

/** Writes JSON lines: a constant message, its data in fields, no secret. */
export type Logger = PinoLogger;

/**
 * A logger that writes JSON lines to stdout, or to `destination`. A Secret, a field with a secret's name and the
 * password in a URL show as `***` at any depth; errors show type, code, message, stack and cause, nothing else.
 */
export function createLogger(o: {
  readonly service: string;
  readonly level: string;
  readonly destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: o.level,
      base: { service: o.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redact },
      // A child's bindings bypass formatters.log, not the paths.
      redact: { paths: [...CHILD_PATHS], censor: '***' },
      serializers: { err: serializeError },
    },
    o.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

const CHILD_PATHS = [
  'password',
  'secret',
  'token',
  'authorization',
  'apiKey',
  '*.password',
  '*.secret',
  '*.token',
  '*.authorization',
  '*.apiKey',
];
