import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Outcome } from './load.ts';

/** The logs of all replicas of a service; without a name, of all services. */
export function logsOf(service = ''): string {
  const launcher = readFileSync(`/proc/${inject('stack').pid}/cmdline`, 'utf8').split('\0');
  const folder = join(launcher[launcher.indexOf('--data') + 1] ?? '', 'logs');
  return readdirSync(folder)
    .filter((name) => name.startsWith(service))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

/** The calls that did not succeed, for a message: route, status, what the caller saw, and the log lines about the request. */
export function failedCalls(outcomes: readonly Outcome[]): unknown[] {
  const failed = outcomes.filter(({ status }) => status < 200 || status >= 400);
  if (failed.length === 0) return [];
  const lines = logsOf().split('\n');
  return failed.map(({ route, status, requestId, failure, body }) => [
    route.name,
    status,
    failure ?? body,
    requestId === undefined ? [] : lines.filter((line) => line.includes(requestId)),
  ]);
}
