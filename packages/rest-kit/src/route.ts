import type { JsonObject } from '@bufbuild/protobuf';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import { z } from 'zod';
import type { Requirement } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import { MAX_JSON_VALUES } from './json-bounds.ts';
import { hasEnum, wireTypes } from './json-schema.ts';
import type { WireType } from './json-schema.ts';
import { pageQuery } from './list.ts';
import type { PageRule } from './list.ts';

/** The HTTP methods that a route may have; HEAD follows GET, and the edge handles OPTIONS. */
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Who may call: an account's user with a credential, the operator of the platform, or anyone. */
export type Access = 'credential' | 'operator' | 'anonymous';

/**
 * The budgets that a call with a credential counts against: the call budgets; the search budgets as well, if its `search`
 * is not blank; or none but a limit of its own, for the operations that raise budgets.
 */
export type BudgetKind = 'call' | 'search' | 'exempt';

/**
 * The records in the audit log: `after`, the action once it has succeeded; `before`, the attempt and then its outcome
 * (the call is refused if the attempt cannot be recorded); or none.
 */
type AuditRule = 'after' | 'before' | 'none';

/**
 * Which calls of a key that is confined to a toolset a route takes: `any`, or `ownToolset`, those whose path parameter `id` names
 * that toolset. A query parameter `toolsetId` must name it as well.
 */
type ToolsetKeysRule = 'any' | 'ownToolset';

/** Which part of an exchange goes through as bytes. */
type BytesRule = 'request' | 'response';

/** A service whose bytes are passed on. */
export type BytesSource = 'files' | 'agents';

/** An upload that another service has received, and nobody sees yet. */
export interface Uploaded {
  readonly fileId: string;
  /** The same for another upload of the same content: a call with an Idempotency-Key is compared by it. */
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
  /** As OpenAPI writes it: `/v1/tools/{toolSlug}`. Literal segments win over parameters, whatever the order of the table. */
  readonly path: `/${string}`;
  readonly tags: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  /** Default `credential`. */
  readonly auth?: A;
  /** The services that the handler calls; it gets no others. Default none. */
  readonly services?: readonly N[];
  /** The permission that the caller needs; otherwise 403 FORBIDDEN. */
  readonly permission?: Requirement;
  /** Whether a key that is confined to a toolset may call. Default no: 403 FORBIDDEN. */
  readonly toolsetKeys?: ToolsetKeysRule;
  /** A value of the wrong form is the same 404 as an unknown record; `resource` names it. */
  readonly params?: P;
  /** The noun for the last path parameter: `connection` makes "The connection does not exist." */
  readonly resource?: string;
  /** Each parameter is a string, an integer or a boolean; the text is parsed by its JSON Schema type. */
  readonly query?: Q;
  readonly body?: B;
  /** Throws for a body that is refused before its members are checked. */
  readonly refuseBody?: (body: JsonObject) => void;
  /** Most JSON values in a body; above it, VALIDATION_ERROR before any of it is built. Default MAX_JSON_VALUES. */
  readonly maxBodyValues?: number;
  /**
   * Paths of the body whose values the handler passes on by their bytes, such as `fields.*`, in which `*` stands for every member or
   * item: a large one is a LazyJson. The schema has a passedObject or a passedValue there. Default: none.
   */
  readonly passesOn?: readonly string[];
  /** The route is a list: it takes `offset` and `top`, and returns the list envelope of `response` items. */
  readonly page?: L;
  /** The returned record, or one item of the list. Absent: no content. Objects are strict. */
  readonly response?: R;
  /** The handler returns pieces of one JSON text of `response`, which are sent as they come and not checked. GET only. */
  readonly streams?: S;
  /**
   * `request`: the body goes to another service as bytes, as it comes; the handler gets what that service made of it
   * (`uploaded`), and has no JSON body. `response`: after the handler, which may refuse it, a GET goes to that service, whose
   * response is passed on as bytes.
   */
  readonly bytes?: BytesRule;
  /**
   * With `bytes: 'response'`: the service whose response is passed on. `files` knows the caller by a signed address; `agents` gets the
   * caller of the route. Default `files`.
   */
  readonly bytesFrom?: BytesSource;
  readonly status?: 200 | 201 | 202 | 204;
  /** The handler may wait for an application: it has the edge's `timeoutMs`, otherwise the shorter `dataTimeoutMs`. */
  readonly callsApplication?: boolean;
  /** With callsApplication: a call that has this query parameter may be one of many applications, and has the edge's `longTimeoutMs`. */
  readonly longWith?: Extract<keyof z.output<Q>, string>;
  /** Default `call`. Applies only to routes that need a credential. */
  readonly budget?: BudgetKind;
  /** Default `none` for GET, else `after`. An anonymous call has no actor and is never recorded. */
  readonly audit?: AuditRule;
  /** Codes in addition to those that the declaration implies (see declaredErrors). Default none. */
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

/** The members of a declaration that have a default. */
type Defaulted =
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
  /** The upload that another service made of the body, if it went there; otherwise undefined. */
  readonly uploaded: Uploaded | undefined;
  /** The services that the declaration names. */
  readonly services: V;
  /** Names the record in the audit log, where its address is a secret: the id stands there instead of the path parameter. */
  readonly nameRecord: (id: string) => void;
}

/** The result of a handler: a record, the items of a list page and their number across all pages, or the pieces of a stream. */
type Answer<
  R extends z.ZodType,
  L extends PageRule | undefined,
  S extends true | undefined = undefined,
> = S extends true
  ? AsyncIterable<string | Uint8Array>
  : L extends PageRule
    ? PageAnswer<z.output<R>>
    : z.output<R>;

/** The answer of a list's handler. */
export interface PageAnswer<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
  /** If the page is large, the items behind those, in parts that are read while the response is sent. */
  readonly more?: AsyncIterable<readonly T[]>;
}

/** A declaration whose types no longer depend on its schemas; every default is filled in. */
export interface Declared
  extends
    Omit<AnyDeclaration, Defaulted | 'services' | 'streams'>,
    Required<Pick<AnyDeclaration, Defaulted>> {
  readonly streams: boolean;
}

/** A parsed call with the services of its route; its members match the declaration that parsed them. */
export interface ParsedCall<V extends object = object> {
  readonly ctx: RequestContext;
  readonly principal: Principal | undefined;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly page: Page | undefined;
  readonly uploaded: Uploaded | undefined;
  readonly services: V;
  readonly nameRecord: (id: string) => void;
}

/** An entry of the route table, which calls the services `V`. Without `V` it can be described but not run. */
export interface Route<V extends object = never> extends Declared {
  /** The names of the services that the handler gets. */
  readonly services: readonly (keyof V)[];
  /** How the text of each path parameter is read. */
  readonly paramTypes: ReadonlyMap<string, WireType>;
  /** How the text of each query parameter is read. */
  readonly queryTypes: ReadonlyMap<string, WireType>;
  readonly handle: (call: ParsedCall<V>) => Promise<unknown>;
}

/** Declares one operation of an API whose routes may call `Services`; returns an entry for the route table. */
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

/** The function that declares the routes of an API with these services. */
export function routeDefiner<Services extends object>(): DefineRoute<Services> {
  return (declaration, handler) => ({
    ...declare(declaration),
    services: declaration.services ?? [],
    // The only place where a parsed call gets the types of the schemas that parsed it.
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
  const declared: Declared = {
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
 * Every error code of the route: the codes it names and those that its declaration implies. METHOD_NOT_ALLOWED is not
 * included: it belongs to the path, not to an operation.
 */
function declaredErrors(route: Declared): ErrorCode[] {
  const codes = new Set<ErrorCode>(route.errors);
  if (Object.keys(route.params.shape).length > 0) codes.add('NOT_FOUND');
  if (Object.keys(route.query.shape).length > 0) codes.add('VALIDATION_ERROR');
  if (route.body !== undefined || route.bytes === 'request')
    codes.add('MALFORMED_BODY').add('VALIDATION_ERROR');
  // The edge refuses such bodies on every route, whether or not it takes a body.
  codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  if ([route.query, route.body].some((schema) => schema !== undefined && hasEnum(schema))) {
    codes.add('INVALID_ENUM_VALUE');
  }
  const takesEveryone = route.permission === undefined && route.toolsetKeys === 'any';
  if (route.auth === 'credential' && !takesEveryone) codes.add('FORBIDDEN');
  if (route.auth !== 'anonymous') codes.add('UNAUTHORIZED');
  // A route that is exempt from budgets still bounds large bodies.
  if (route.auth === 'credential') codes.add('ACCOUNT_USER_INACTIVE').add('RATE_LIMIT_EXCEEDED');
  if (isIdempotent(route))
    codes.add('VALIDATION_ERROR').add('IDEMPOTENCY_CONFLICT').add('IDEMPOTENCY_IN_PROGRESS');
  codes.add('INTERNAL').add('UNAVAILABLE').add('TIMEOUT');
  return [...codes];
}

/** Whether the route takes an Idempotency-Key: every POST that is not anonymous does. */
export function isIdempotent({ method, auth }: Pick<Declared, 'method' | 'auth'>): boolean {
  return method === 'post' && auth !== 'anonymous';
}
