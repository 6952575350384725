import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { WorkerDefect } from './frame.ts';

const MAX_TEXT = 4_000;
const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Parses the error that a worker reported; all members are texts of limited length, whatever was sent. Throws if it
 * is not JSON.
 */
export function defectOf(body: Buffer): WorkerDefect {
  const members = recordOf(body);
  const text = (name: string): string => {
    const value = members[name];
    return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
  };
  return { name: text('name'), message: text('message'), stack: text('stack') };
}

/** The class and stack of the error that ended a worker, from its report. Throws if the report is not JSON. */
export function fatalOf(body: Buffer): Pick<WorkerDefect, 'name' | 'stack'> {
  const { name, stack } = defectOf(body);
  return { name, stack };
}

/**
 * Writes a line of a worker's log to the service's log, with masked texts and with its fields below `worker`. Throws
 * if it is not JSON.
 */
export function forwardLogLine(log: Logger, body: Buffer, mask: (text: string) => string): void {
  if (body.length > MAX_TEXT) return;
  const { level, msg, time: _time, service: _service, ...fields } = recordOf(body, mask);
  const known = LEVELS.find((name) => name === level) ?? 'info';
  log[known]({ worker: fields }, typeof msg === 'string' ? msg : 'a worker logged a line without a message');
}

function recordOf(body: Buffer, mask = (text: string): string => text): Record<string, unknown> {
  const value: unknown = JSON.parse(body.toString('utf8'), (_key, member: unknown) =>
    typeof member === 'string' ? mask(member) : member,
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('A worker sent a body that is not an object.');
  return { ...value };
}
