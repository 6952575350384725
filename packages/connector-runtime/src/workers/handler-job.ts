import type { JsonObject } from '@fairlead/connector-model/model';
import { egressErrorCode } from '@fairlead/service-kit/egress/error';
import type { EgressErrorCode } from '@fairlead/service-kit/egress/error';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import type { InputIssue } from '../call.ts';
import type { HandlerCall } from '../handler.ts';
import { isArray, isObject } from '../templates.ts';

// What passes between a service and its workers. Both ends are of one build, but a worker may be compromised: what it
// answers is checked, member by member.

/** What a worker needs before its first call. */
export interface HandlerSettings {
  /** The operator's openings for outbound calls (EGRESS_ALLOW). */
  readonly allow: readonly string[];
  readonly userAgent: string;
  /** Certificates that the service trusts beyond those of Node, as PEM. */
  readonly certificates: readonly string[];
}

/** One call of a handler. */
export interface HandlerJob {
  /** Whose handler it is. */
  readonly connectorSlug: string;
  readonly handler: string;
  readonly call: Omit<HandlerCall, 'egress' | 'signal' | 'timeoutMs' | 'accountId'>;
}

/** How a call ended; `egress` is what the worker's outbound calls add to the metrics. */
export type HandlerAnswer = HandlerOutcome & { readonly egress: readonly EgressRecord[] };

/** The expected ends of a call. */
export type HandlerOutcome =
  | { readonly kind: 'output'; readonly output: JsonObject }
  | { readonly kind: 'failed'; readonly message: string; readonly isUnauthorized: boolean }
  | { readonly kind: 'inputs'; readonly issues: readonly InputIssue[] }
  | { readonly kind: 'egress'; readonly code: EgressErrorCode; readonly message: string };

/** The most outbound calls that one answer adds to the metrics. */
export const MAX_EGRESS_RECORDS = 100;

/** The answer of a worker. Throws if it is none. */
export function parseAnswer(value: unknown): HandlerAnswer {
  const answer = member(value);
  const egress = list(answer['egress'])
    .slice(0, MAX_EGRESS_RECORDS)
    .map((record): EgressRecord => {
      const { kind, outcome, durationMs } = member(record);
      return {
        kind: kind === 'socket' ? 'socket' : 'http',
        outcome: metricOutcome(text(outcome)),
        durationMs: Number(durationMs) || 0,
      };
    });
  return { ...parseOutcome(answer), egress };
}

function parseOutcome(answer: JsonObject): HandlerOutcome {
  switch (answer['kind']) {
    case 'output':
      return { kind: 'output', output: member(answer['output']) };
    case 'failed':
      return {
        kind: 'failed',
        message: text(answer['message']),
        isUnauthorized: answer['isUnauthorized'] === true,
      };
    case 'inputs':
      return {
        kind: 'inputs',
        issues: list(answer['issues']).map((issue) => {
          const { field, issue: reason } = member(issue);
          return { field: text(field), issue: text(reason) };
        }),
      };
    case 'egress':
      return {
        kind: 'egress',
        code: egressErrorCode(text(answer['code'])),
        message: text(answer['message']),
      };
    default:
      throw new TypeError('A worker answered something else than the outcome of a call.');
  }
}

/** One of the few known outcomes, so that a worker cannot invent series of a metric. */
function metricOutcome(outcome: string): string {
  return /^(connected|[1-5]xx)$/.test(outcome) ? outcome : egressErrorCode(outcome);
}

function member(value: unknown): JsonObject {
  // It was parsed from JSON.
  const json = value as JsonObject[string] | undefined;
  if (!isObject(json)) throw new TypeError('A worker answered something else than an object.');
  return json;
}

function list(value: JsonObject[string] | undefined): readonly JsonObject[string][] {
  return value !== undefined && isArray(value) ? value : [];
}

function text(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}
