import type { Json, JsonObject } from '@fairlead/connector-model/model';
import type { EgressRules } from '@fairlead/service-kit/egress/address';
import { egressErrorCode } from '@fairlead/service-kit/egress/error';
import type { EgressErrorCode } from '@fairlead/service-kit/egress/error';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import type { InputIssue } from '../call.ts';
import type { HandlerCall } from '../handler.ts';
import type { ClientDescription } from '../mcp/calling-client.ts';
import { SESSION_EVENTS } from '../sessions/session-counts.ts';
import type { SessionCount } from '../sessions/session-counts.ts';
import { isArray, isObject } from '../templates.ts';
import { MAX_EGRESS_SPANS } from './egress-spans.ts';
import type { CallTrace, EgressSpan } from './egress-spans.ts';

// What passes between a service and its workers. Both ends are of one build, but a worker may be compromised: what it
// answers is checked, member by member.

/** The settings that a worker gets before its first call. */
export interface HandlerSettings {
  /** Where outbound calls may go (createEgress). */
  readonly allow: EgressRules;
  readonly userAgent: string;
  /** Certificates that the service trusts beyond those of Node, as PEM. */
  readonly certificates: readonly string[];
}

/** One call of a handler. */
export interface HandlerJob {
  /** The connector that has the handler. */
  readonly connectorSlug: string;
  readonly handler: string;
  readonly call: Omit<
    HandlerCall,
    'egress' | 'sessions' | 'signal' | 'timeoutMs' | 'accountId' | 'beforeSend' | 'client'
  >;
  /** The MCP client of the call, which the messages of the job are for. Undefined: it has none. */
  readonly client: ClientDescription | undefined;
  /** The service is asked before the request that acts (HandlerCall.beforeSend) if less time than this is left, in milliseconds. Undefined: it is not. */
  readonly askedBelowMs: number | undefined;
  /** Undefined: nothing is traced. */
  readonly trace: CallTrace | undefined;
}

/**
 * How a call ended; `egress` and `sessions` are what the worker adds to the metrics, for outbound calls and for sessions,
 * `spans` what it adds to the trace.
 */
export type HandlerAnswer = HandlerOutcome & {
  readonly egress: readonly EgressRecord[];
  readonly sessions: readonly SessionCount[];
  readonly spans: readonly EgressSpan[];
};

/** The expected ends of a call. */
export type HandlerOutcome =
  | { readonly kind: 'output'; readonly output: JsonObject }
  /** The output is in the bytes beside the answer. */
  | { readonly kind: 'unbuilt' }
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly isUnauthorized: boolean;
      readonly isToolUnknown: boolean;
      readonly limitedForMs?: number | undefined;
      readonly mcpResult?: JsonObject | undefined;
      readonly mcpError?: JsonObject | undefined;
    }
  | { readonly kind: 'withdrawn' }
  | { readonly kind: 'inputs'; readonly issues: readonly InputIssue[] }
  | { readonly kind: 'egress'; readonly code: EgressErrorCode; readonly message: string };

/** How long after it was checked, or asked about, a call may be sent unasked. */
export const UNASKED_MS = 100;

/** The most outbound calls that one answer adds to the metrics. */
export const MAX_EGRESS_RECORDS = 100;
/** The counts of two protocols. */
const MAX_SESSION_COUNTS = 2 * SESSION_EVENTS.length;
/** The most refused inputs that one answer names; the others are left out. */
const MAX_ISSUES = 100;

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
  const spans = list(answer['spans']).slice(0, MAX_EGRESS_SPANS).map(spanOf);
  const sessions = list(answer['sessions'])
    .slice(0, MAX_SESSION_COUNTS)
    .flatMap((count) => sessionCountOf(count) ?? []);
  return { ...parseOutcome(answer), egress, sessions, spans };
}

/** Undefined for what is no count, so that a worker cannot invent series of a metric. */
function sessionCountOf(value: Json): SessionCount | undefined {
  const { kind, event, count } = member(value);
  const known = SESSION_EVENTS.find((name) => name === event);
  const times = Number(count);
  if (known === undefined || !Number.isSafeInteger(times) || times < 1) return undefined;
  return { kind: kind === 'mcp' ? 'mcp' : 'postgresql', event: known, count: times };
}

function parseOutcome(answer: JsonObject): HandlerOutcome {
  switch (answer['kind']) {
    case 'output':
      return { kind: 'output', output: member(answer['output']) };
    case 'unbuilt':
      return { kind: 'unbuilt' };
    case 'failed':
      return {
        kind: 'failed',
        message: text(answer['message']),
        isUnauthorized: answer['isUnauthorized'] === true,
        isToolUnknown: answer['isToolUnknown'] === true,
        limitedForMs: typeof answer['limitedForMs'] === 'number' ? answer['limitedForMs'] : undefined,
        mcpResult: isObject(answer['mcpResult']) ? answer['mcpResult'] : undefined,
        mcpError: isObject(answer['mcpError']) ? answer['mcpError'] : undefined,
      };
    case 'withdrawn':
      return { kind: 'withdrawn' };
    case 'inputs':
      return {
        kind: 'inputs',
        issues: list(answer['issues'])
          .slice(0, MAX_ISSUES)
          .map((issue) => {
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

const SPAN_NAME = /^(connect|HTTP|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
/** The attributes that the egress sets. */
const SPAN_TEXTS = ['http.request.method', 'server.address'];
const SPAN_NUMBERS = ['server.port', 'http.response.status_code'];
const MAX_ATTRIBUTE_LENGTH = 300;

function spanOf(value: Json): EgressSpan {
  const { name, attributes, startedAt, endedAt, failure } = member(value);
  const given = member(attributes);
  const known: Record<string, string | number> = {};
  for (const key of SPAN_TEXTS)
    if (key in given) known[key] = text(given[key]).slice(0, MAX_ATTRIBUTE_LENGTH);
  for (const key of SPAN_NUMBERS) if (key in given) known[key] = Number(given[key]) || 0;
  const start = Number(startedAt) || 0;
  const reason = text(failure);
  return {
    name: SPAN_NAME.test(text(name)) ? text(name) : 'HTTP',
    attributes: known,
    startedAt: start,
    endedAt: Math.max(start, Number(endedAt) || 0),
    failure: reason === '' ? '' : metricOutcome(reason),
  };
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
