import type { Json, JsonObject } from '@fairlead/connector-model/json';
import type { EgressRules } from '@fairlead/egress/address';
import { egressErrorCode } from '@fairlead/egress/error';
import type { EgressErrorCode } from '@fairlead/egress/error';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import type { InputIssue } from '../call.ts';
import type { HandlerCall } from '../handler.ts';
import type { ClientDescription } from '../mcp/calling-client.ts';
import { SESSION_EVENTS } from '../sessions/session-counts.ts';
import type { SessionCount } from '../sessions/session-counts.ts';
import { isArray, isObject } from '../templates.ts';
import { MAX_EGRESS_SPANS } from './egress-spans.ts';
import type { CallTrace, EgressSpan } from './egress-spans.ts';

// Messages between a service and its workers. Both run the same build, but a worker may be compromised, so every
// member of its answers is checked.

/** Settings that a worker gets before its first call. */
export interface HandlerSettings {
  /** The permitted addresses (createGuardedEgress). */
  readonly allow: EgressRules;
  readonly userAgent: string;
  /** Trusted certificates in addition to Node's, as PEM. */
  readonly certificates: readonly string[];
}

/** One call of a handler. */
export interface HandlerJob {
  /** The connector whose handler runs. */
  readonly connectorSlug: string;
  readonly handler: string;
  readonly call: Omit<
    HandlerCall,
    'egress' | 'sessions' | 'signal' | 'timeoutMs' | 'accountId' | 'beforeSend' | 'client'
  >;
  /** The call's MCP client, with which the worker exchanges messages. Undefined: none. */
  readonly client: ClientDescription | undefined;
  /**
   * If less than this time is left, in milliseconds, the worker asks the service before the request that has effects
   * (HandlerCall.beforeSend). Undefined: it never asks.
   */
  readonly askedBelowMs: number | undefined;
  /** The trace context; undefined: not traced. */
  readonly trace: CallTrace | undefined;
}

/**
 * The end of a call. `egress` and `sessions` are additions to the metrics of outbound calls and sessions, `spans`
 * additions to the trace.
 */
export type HandlerAnswer = HandlerOutcome & {
  readonly egress: readonly EgressRecord[];
  readonly sessions: readonly SessionCount[];
  readonly spans: readonly EgressSpan[];
};

/** The expected ways for a call to end. */
export type HandlerOutcome =
  | { readonly kind: 'output'; readonly output: JsonObject }
  /** The output is in the answer's bytes. */
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

/** Time after a permission during which a call may send its request without asking again. */
export const UNASKED_MS = 100;

/** Maximum number of outbound calls that one answer adds to the metrics. */
export const MAX_EGRESS_RECORDS = 100;
/** The protocols whose sessions are counted. */
const SESSION_KINDS: readonly string[] = ['mcp', 'mongodb', 'mysql', 'postgresql'];
const MAX_SESSION_COUNTS = SESSION_KINDS.length * SESSION_EVENTS.length;
/** Maximum number of refused inputs in one answer; the rest is left out. */
const MAX_ISSUES = 100;

/** Parses a worker's answer. Throws if it is invalid. */
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

/** Parses session counts. Undefined for anything else, so a worker cannot invent metric series. */
function sessionCountOf(value: Json): SessionCount | undefined {
  const { kind, event, count } = member(value);
  const known = SESSION_EVENTS.find((name) => name === event);
  const knownKind = SESSION_KINDS.find((name) => name === kind);
  const times = Number(count);
  if (known === undefined || knownKind === undefined || !Number.isSafeInteger(times) || times < 1)
    return undefined;
  return { kind: knownKind, event: known, count: times };
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
      throw new TypeError('The answer of a worker is not the outcome of a call.');
  }
}

const SPAN_NAME = /^(connect|HTTP|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;
/** The attributes that the egress sets on spans. */
const SPAN_TEXTS = ['http.request.method', 'server.address'];
const SPAN_NUMBERS = ['server.port', 'http.response.status_code'];
const MAX_ATTRIBUTE_LENGTH = 300;

function spanOf(value: Json): EgressSpan {
  const { name, attributes, startedAt, endedAt, failure } = member(value);
  const attributeMembers = member(attributes);
  const known: Record<string, string | number> = {};
  for (const key of SPAN_TEXTS)
    if (key in attributeMembers) known[key] = text(attributeMembers[key]).slice(0, MAX_ATTRIBUTE_LENGTH);
  for (const key of SPAN_NUMBERS)
    if (key in attributeMembers) known[key] = Number(attributeMembers[key]) || 0;
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

/** Parses an outcome. Only known outcomes are accepted, so a worker cannot invent metric series. */
function metricOutcome(outcome: string): string {
  return /^(connected|[1-5]xx)$/.test(outcome) ? outcome : egressErrorCode(outcome);
}

function member(value: unknown): JsonObject {
  // This value was parsed from JSON.
  const json = value as JsonObject[string] | undefined;
  if (!isObject(json)) throw new TypeError('The answer of a worker is not an object.');
  return json;
}

function list(value: JsonObject[string] | undefined): readonly JsonObject[string][] {
  return value !== undefined && isArray(value) ? value : [];
}

function text(value: JsonObject[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}
