import type { JsonObject } from '@bufbuild/protobuf';
import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import { recordLostEvent } from '@fairlead/audit-log/audit-metrics';
import type { AuditEvent } from '@fairlead/audit-log/domain/event';
import type { Principal } from '@fairlead/access/principal';
import type { Route } from './route.ts';

/** A call of an operation, as reported to the audit log. */
export interface AuditedCall {
  readonly exchange: Exchange;
  /** The caller; undefined: the operator of the platform. */
  readonly principal: Principal | undefined;
  /** The parsed path parameters. */
  readonly params: unknown;
  /** The body as sent; only names of declared members are reported. */
  readonly body: unknown;
  /** The record's id as set by the handler; otherwise the path or the answer contains it. */
  recordId?: string;
}

/** Reports a route's calls to the audit log, by the route's rule. */
export interface AuditHook {
  /** Called before the handler. Throws UNAVAILABLE if the rule is `before` and the entry cannot be written. */
  begin(call: AuditedCall): Promise<void>;
  /** Called after a successful call. Never throws, because the action cannot be undone. */
  succeeded(call: AuditedCall, answer: unknown): Promise<void>;
  /** Called after the call has failed with this code, or its client disconnected before the end of a stream. Never throws. */
  failed(call: AuditedCall, code: ErrorCode | undefined): Promise<void>;
  /** Called before a stored response is replayed. Throws UNAVAILABLE if the rule is `before` and the entry cannot be written. */
  replayed(call: AuditedCall, answer: unknown): Promise<void>;
}

const SILENT: AuditHook = {
  begin: () => Promise.resolve(),
  succeeded: () => Promise.resolve(),
  failed: () => Promise.resolve(),
  replayed: () => Promise.resolve(),
};

/** The hook of `route`; without an effect if the route is not audited. */
export function createAuditHook(route: Route, audit: AuditLog): AuditHook {
  if (route.auth === 'anonymous' || route.audit === 'none') return SILENT;
  const isBefore = route.audit === 'before';

  async function recordOrLog(call: AuditedCall, event: AuditEvent): Promise<void> {
    try {
      await audit.record(event);
    } catch (error) {
      recordLostEvent();
      call.exchange.log.error({ err: error, action: event.action }, 'an audit entry was lost');
    }
  }

  async function recordOrRefuse(event: AuditEvent): Promise<void> {
    try {
      await audit.record(event);
    } catch (cause) {
      const text = 'The audit log is not available at the moment, so nothing was done. Try again shortly.';
      throw new ApiError('UNAVAILABLE', text, { cause });
    }
  }

  return {
    async begin(call) {
      if (isBefore) await recordOrRefuse(eventOf(route, call, 'attempted'));
    },
    succeeded: (call, answer) => recordOrLog(call, eventOf(route, call, 'succeeded', answer)),
    async failed(call, code) {
      if (!isBefore) return;
      const event = eventOf(route, call, 'failed');
      await recordOrLog(call, { ...event, details: { ...event.details, ...(code && { errorCode: code }) } });
    },
    async replayed(call, answer) {
      if (!isBefore) return;
      const event = eventOf(route, call, 'succeeded', answer);
      await recordOrRefuse({ ...event, details: { ...event.details, isReplay: true } });
    },
  };
}

function eventOf(
  route: Route,
  { exchange, principal, params, body, recordId }: AuditedCall,
  outcome: AuditEvent['outcome'],
  answer?: unknown,
): AuditEvent {
  const id = recordId ?? resourceId(route, params, answer);
  const members = membersOfBody(route, body);
  return {
    accountId: principal?.accountId,
    actor:
      principal === undefined
        ? { kind: 'operator' }
        : {
            kind: 'user',
            userId: principal.userId,
            credentialType: principal.credentialType,
            credentialId: principal.credentialId,
          },
    action: route.operationId,
    ...(id !== undefined && { resource: { type: resourceType(route), id } }),
    outcome,
    requestId: exchange.requestId,
    ...(members.length > 0 && { details: { members } satisfies JsonObject }),
  };
}

/** The route's resource name in camelCase, for programs: `API key` becomes `apiKey`. */
function resourceType({ resource }: Route): string {
  return resource.toLowerCase().replaceAll(/[ -](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The affected record's id: the last path parameter, or the created record's id. */
function resourceId(route: Route, params: unknown, answer: unknown): string | undefined {
  const last = [...route.path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  const id =
    last === undefined
      ? (memberOf(answer, 'id') ?? memberOf(answer, `${lastWord(route.resource)}Id`))
      : memberOf(params, last);
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

/** The last word of a noun: `client` for `OAuth client`, whose id is called `clientId`. */
function lastWord(noun: string): string {
  return noun.slice(noun.lastIndexOf(' ') + 1);
}

function membersOfBody(route: Route, body: unknown): string[] {
  if (route.body === undefined || typeof body !== 'object' || body === null) return [];
  return Object.keys(route.body.shape).filter((name) => Object.hasOwn(body, name));
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
