import type { JsonObject } from '@bufbuild/protobuf';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import type { Requirement } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import { MAX_JSON_VALUES } from './json-bounds.ts';
import { hasEnum, wireTypes } from './json-schema.ts';
import type { WireType } from './json-schema.ts';
import { pageQuery } from './list.ts';
import type { PageRule } from './list.ts';

/** The HTTP methods of routes. HEAD follows GET, and the edge handles OPTIONS. */
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The permitted callers: an account's user with a credential, the operator of the platform, or anyone. */
export type Access = 'credential' | 'operator' | 'anonymous';

/**
 * The budgets of a call with a credential: `call`, the call budgets; `search`, also the search budgets if `search` is
 * not blank; or `exempt`, only a limit of its own, for the operations that raise budgets.
 */
export type BudgetKind = 'call' | 'search' | 'exempt';

/**
 * The records in the audit log: `after`, the action once it has succeeded; `before`, the attempt and then its outcome
 * (the call is refused if the attempt cannot be recorded); or `none`.
 */
type AuditRule = 'after' | 'before' | 'none';

/**
 * The calls that a route admits of a key that is confined to a toolset: `any`, or `ownToolset`, if the path parameter
 * `id` names that toolset. A query parameter `toolsetId` must name it as well.
 */
type ToolsetKeysRule = 'any' | 'ownToolset';

/** The part of an exchange that is passed on as bytes. */
type BytesRule = 'request' | 'response';

/** A service that receives or sends bytes through the gateway. */
export type BytesSource = 'files' | 'agents';

/** An upload that another service has received, and that is not visible yet. */
export interface Upload {
  readonly fileId: string;
  /** Equal for uploads with the same content; calls with an Idempotency-Key are compared by it. */
  readonly digest: string;
}

const nothing = z.object({});
type Nothing = typeof nothing;

/** One operation of the API. It drives registration, parsing, validation, the handler's types, the response check and OpenAPI. */
interface RouteDeclaration<
  A extends Access,
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends z.ZodType,
  L extends PageRule | undefined,
  S extends true | undefined,
  N extends PropertyKey,
> {
  readonly operationId: string;
  readonly method: Method;
  /**
   * The path in OpenAPI's notation: `/v1/tools/{toolSlug}`. Literal segments win over parameters, whatever the order
   * of routes.
   */
  readonly path: `/${string}`;
  readonly tags: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  /** Default `credential`. */
  readonly auth?: A;
  /** The services that the handler gets. Default: none. */
  readonly services?: readonly N[];
  /** The caller's required permission; without it, 403 FORBIDDEN. */
  readonly permission?: Requirement;
  /** The calls of keys that are confined to a toolset. Default: none, 403 FORBIDDEN. */
  readonly toolsetKeys?: ToolsetKeysRule;
  /**
   * Schema of the path parameters. A value of the wrong form gets the same 404 as an unknown record; `resource` is
   * the noun in it.
   */
  readonly params?: P;
  /** The noun for the last path parameter: `connection` makes "The connection does not exist." */
  readonly resource?: string;
  /** Schema of the query. Each parameter is a string, an integer or a boolean, parsed by its JSON Schema type. */
  readonly query?: Q;
  readonly body?: B;
  /** Throws for a body that is refused before its members are validated. */
  readonly refuseBody?: (body: JsonObject) => void;
  /** Maximum number of JSON values in a body; above it, VALIDATION_ERROR before anything is built. Default: MAX_JSON_VALUES. */
  readonly maxBodyValues?: number;
  /**
   * Paths of body values that the handler passes on as bytes, such as `fields.*`, where `*` stands for every member
   * or item. Large values become a LazyJson. The schema has a passedObject or passedValue there. Default: none.
   */
  readonly passesOn?: readonly string[];
  /** Makes the route a list: it takes `offset` and `top`, and returns the list envelope with `response` items. */
  readonly page?: L;
  /** Schema of the returned record, or of a list's item. Absent: no content. Objects are strict. */
  readonly response?: R;
  /** Whether the handler returns pieces of one JSON text of `response`, which are sent as they arrive, unchecked. GET only. */
  readonly streams?: S;
  /**
   * `request`: the body is streamed to another service; the handler has no JSON body, and gets that service's result
   * (`uploaded`). `response`: after the handler, which may refuse, a GET is passed to that service, and the response
   * is streamed.
   */
  readonly bytes?: BytesRule;
  /**
   * With `bytes: 'response'`: the service that sends the response. `files` identifies the caller by a signed URL;
   * `agents` gets the route's caller. Default: `files`.
   */
  readonly bytesFrom?: BytesSource;
  readonly status?: 200 | 201 | 202 | 204;
  /** Whether the handler may call an application. It then has the edge's `timeoutMs`, otherwise the shorter `dataTimeoutMs`. */
  readonly callsApplication?: boolean;
  /**
   * With callsApplication: a query parameter whose presence means that the call may make many calls to applications,
   * and so has the edge's `longTimeoutMs`.
   */
  readonly longWith?: Extract<keyof z.output<Q>, string>;
  /** Default: `call`. Applies only to routes that need a credential. */
  readonly budget?: BudgetKind;
  /** Default: `none` for GET, else `after`. Anonymous calls have no actor and are never recorded. */
  readonly audit?: AuditRule;
  /** Error codes in addition to those that the declaration implies (declaredErrors). Default: none. */
  readonly errors?: readonly ErrorCode[];
}

/** A declaration with any schemas. */
type AnyDeclaration = RouteDeclaration<
  Access,
  z.ZodObject,
  z.ZodObject,
  z.ZodObject,
  z.ZodType,
  PageRule | undefined,
  true | undefined,
  PropertyKey
>;

/** The members of a declaration that have defaults. */
type DefaultMember =
  | 'auth'
  | 'params'
  | 'resource'
  | 'query'
  | 'maxBodyValues'
  | 'passesOn'
  | 'status'
  | 'callsApplication'
  | 'budget'
  | 'audit'
  | 'errors';

/** The argument of a handler. */
interface Call<
  A extends Access,
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  L extends PageRule | undefined,
  V extends object,
> {
  readonly ctx: RequestContext;
  readonly principal: A extends 'credential' ? Principal : undefined;
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
  readonly page: L extends PageRule ? Page : undefined;
  /** The result of the service that received the body; undefined: the body went to no service. */
  readonly uploaded: Upload | undefined;
  /** The services that the declaration names. */
  readonly services: V;
  /** Sets the record's id in the audit log, if the path contains a secret instead of the id. */
  readonly nameRecord: (id: string) => void;
}

/** A handler's result: a record; the items of a list page and the total count; or the pieces of a stream. */
type Answer<
  R extends z.ZodType,
  L extends PageRule | undefined,
  S extends true | undefined = undefined,
> = S extends true
  ? AsyncIterable<string | Uint8Array>
  : L extends PageRule
    ? PageAnswer<z.output<R>>
    : z.output<R>;

/** The result of a list's handler. */
export interface PageAnswer<T> {
  /** As a LazyJson, they are a JSON array that a service wrote, which is not checked. */
  readonly items: readonly T[] | LazyJson;
  readonly totalCount: number;
  /** The items after those of a large page, in parts that are read while the response is sent. */
  readonly more?: AsyncIterable<readonly T[]>;
}

/** A declaration without its schemas' types, and with all defaults. */
export interface FullDeclaration
  extends
    Omit<AnyDeclaration, DefaultMember | 'services' | 'streams'>,
    Required<Pick<AnyDeclaration, DefaultMember>> {
  readonly streams: boolean;
}

/** A parsed call with the route's services; its members match the declaration that parsed them. */
export interface ParsedCall<V extends object = object> {
  readonly ctx: RequestContext;
  readonly principal: Principal | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly page: Page | undefined;
  readonly uploaded: Upload | undefined;
  readonly services: V;
  readonly nameRecord: (id: string) => void;
}

/** An entry of the route table; `V` are the services that it calls. Without `V` it can be described but not run. */
export interface Route<V extends object = never> extends FullDeclaration {
  /** The names of the services that the handler gets. */
  readonly services: readonly (keyof V)[];
  /** Type of each path parameter. */
  readonly paramTypes: ReadonlyMap<string, WireType>;
  /** Type of each query parameter. */
  readonly queryTypes: ReadonlyMap<string, WireType>;
  readonly handle: (call: ParsedCall<V>) => Promise<unknown>;
}

/** Declares an operation of an API whose routes may call `Services`; returns an entry of the route table. */
export type DefineRoute<Services extends object> = <
  A extends Access = 'credential',
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  R extends z.ZodType = z.ZodUndefined,
  L extends PageRule | undefined = undefined,
  S extends true | undefined = undefined,
  N extends keyof Services = never,
>(
  declaration: RouteDeclaration<A, P, Q, B, R, L, S, N>,
  handler: (call: Call<A, P, Q, B, L, Pick<Services, N>>) => Promise<Answer<R, L, S>>,
) => Route<Pick<Services, N>>;

/** Creates the function that declares the routes of an API with these services. */
export function routeDefiner<Services extends object>(): DefineRoute<Services> {
  return (declaration, handler) => ({
    ...declare(declaration),
    services: declaration.services ?? [],
    // The only place where a parsed call gets the types of its schemas.
    handle: (call) => handler(call as unknown as Parameters<typeof handler>[0]),
  });
}

function declare(declaration: AnyDeclaration): Omit<Route, 'services' | 'handle'> {
  const { page, operationId, method, streams = false, params = nothing, errors = [] } = declaration;
  if ((streams || declaration.bytes === 'response') && method !== 'get')
    throw new Error(`${operationId} streams but is not a GET.`);
  if (declaration.bytes === 'request' && declaration.body !== undefined)
    throw new Error(`${operationId} has two bodies.`);
  const query =
    page === undefined ? (declaration.query ?? nothing) : pageQuery(declaration.query ?? nothing, page);
  const declared: FullDeclaration = {
    auth: 'credential',
    resource: 'record',
    maxBodyValues: MAX_JSON_VALUES,
    passesOn: [],
    status: hasContent(declaration) ? 200 : 204,
    callsApplication: false,
    budget: 'call',
    audit: method === 'get' ? 'none' : 'after',
    ...declaration,
    params,
    query,
    streams,
    errors,
  };
  return {
    ...declared,
    errors: declaredErrors(declared),
    paramTypes: wireTypes(params),
    queryTypes: wireTypes(query),
  };
}

function hasContent({
  response,
  bytes,
}: {
  readonly response?: z.ZodType;
  readonly bytes?: BytesRule;
}): boolean {
  return response !== undefined || bytes === 'response';
}

/**
 * All error codes of the route: those that it names and those that its declaration implies. METHOD_NOT_ALLOWED is not
 * included, because it belongs to the path and not to an operation.
 */
function declaredErrors(route: FullDeclaration): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  if (Object.keys(route.params.shape).length > 0) codes.add('NOT_FOUND');
  if (Object.keys(route.query.shape).length > 0) codes.add('VALIDATION_ERROR');
  if (route.body !== undefined || route.bytes === 'request')
    codes.add('MALFORMED_BODY').add('VALIDATION_ERROR');
  // The edge refuses such bodies on every route, even if it takes no body.
  codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if ([route.query, route.body].some((schema) => schema !== undefined && hasEnum(schema))) {
    codes.add('INVALID_ENUM_VALUE');
  }
  const takesEveryone = route.permission === undefined && route.toolsetKeys === 'any';
  if (route.auth === 'credential' && !takesEveryone) codes.add('FORBIDDEN');
  if (route.auth !== 'anonymous') codes.add('UNAUTHORIZED');
  // Routes that are exempt from budgets also limit large bodies.
  if (route.auth === 'credential') codes.add('ACCOUNT_USER_INACTIVE').add('RATE_LIMIT_EXCEEDED');
  if (isIdempotent(route))
    codes.add('VALIDATION_ERROR').add('IDEMPOTENCY_CONFLICT').add('IDEMPOTENCY_IN_PROGRESS');
  codes.add('INTERNAL').add('UNAVAILABLE').add('TIMEOUT');
  return [...codes];
}

/** Whether the route takes an Idempotency-Key, as every POST does that is not anonymous. */
export function isIdempotent({ method, auth }: Pick<FullDeclaration, 'method' | 'auth'>): boolean {
  return method === 'post' && auth !== 'anonymous';
}
