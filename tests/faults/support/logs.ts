import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Outcome } from './load.ts';

/** Logs of all replicas of a service; without a name, of all services. */
export function logsOf(service = ''): string {
  const launcher = readFileSync(`/proc/${inject('stack').pid}/cmdline`, 'utf8').split('\0');
  const folder = join(launcher[launcher.indexOf('--data') + 1] ?? '', 'logs');
  return readdirSync(folder)
    .filter((name) => name.startsWith(service))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('');
}

/** Log lines of all services about a request. */
export function linesAbout(requestId: string | null | undefined): string[] {
  if (typeof requestId !== 'string') return [];
  return logsOf()
    .split('\n')
    .filter((line) => line.includes(requestId));
}

/** The failed calls, for a message: route, status, what the caller saw, and the request's log lines. */
export function failedCalls(outcomes: readonly Outcome[]): unknown[] {
  return outcomes
    .filter(({ status }) => status < 200 || status >= 400)
    .map(({ route, status, requestId, failure, body }) => [
      route.name,
      status,
      failure ?? body,
      linesAbout(requestId),
    ]);
}
