/**
 * The compiled connector, which the catalogue stores and the runtime executes. It is plain JSON and holds no
 * credential. It is created by the compile step from `connector.yaml`, by an import, or by reading an MCP server.
 *
 * Templates. A string in a request may hold placeholders `{{path}}`. `path` starts with one of
 * - `input.<name>`     a tool input, or a member of a trigger's configuration,
 * - `field.<name>`     a connection field (`field.workspace`), secret ones included,
 * - `setting.<name>`   a setting of the operator (`setting.baseUrl`), replaced when the catalogue loads the connector,
 * - `page.top`, `page.offset`, `page.cursor`, `page.number`  the page to fetch,
 * - `filter.field`, `filter.operator`, `filter.value`, `filter.json`  one filter condition; `filter.json` is the value as
 *   JSON text, a string with its quotes (only in `FilterSupport.query.value`),
 * - `sort.field`, `sort.direction`  one sort clause (only in `SortSupport.query.value`),
 * - `token.value`      the token to revoke (only in `TokenRevocation`),
 * - `cursor.since`     where a poll starts reading (only in `PollRecipe.request`),
 * - `webhook.url`, `webhook.secret`, `webhook.id`  a registration at the vendor (only in `WebhookRecipe`).
 * A string that is one placeholder and nothing else takes the value with its type; undefined drops its member, query
 * parameter or header. Inside a longer string, a string is inserted as it is and any other value as its JSON
 * text; one undefined placeholder makes the whole string undefined. In a URL path values are percent-encoded.
 */

import type { FieldSource } from './field-source.ts';
import type {
  ClientAuthentication,
  ParameterFormat,
  TokenAssertion,
  TokenPlacement,
  TokenRefresh,
  TokenResponseMapping,
  TokenRevocation,
  TokenStep,
} from './token-settings.ts';
import type { PollRecipe, WebhookRecipe } from './trigger-recipes.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json };

/** How connections to an application are created (developer-api.md "Application"). */
export const APPLICATION_KINDS = ['Regular', 'Key', 'OPA', 'MCPClient'] as const;
/** One of APPLICATION_KINDS. */
export type ApplicationKind = (typeof APPLICATION_KINDS)[number];
/** How an application's tools were created and tested. */
export type Maturity = 'verified' | 'generated';

/** One application with everything needed to call it. */
export interface Connector {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly kind: ApplicationKind;
  readonly logoUrl: string | null;
  readonly isMcpEnabled: boolean;
  readonly supportsObjectSelection: boolean;
  readonly maturity: Maturity;
  /** Grows with every change of the connector: semver. Tools have this version unless they state their own. */
  readonly version: string;
  /** Names of the operator's settings it needs; while one is missing, the catalogue omits it and logs that. */
  readonly settings: readonly string[];
  /** Prefix of relative request URLs; null for connectors without HTTP requests of their own. */
  readonly baseUrl: string | null;
  /** Headers of every request of the connector, with templates. The compile step has added them to those of its tools. */
  readonly headers: { readonly [name: string]: string };
  readonly authenticationMethods: readonly AuthenticationMethod[];
  /** JSON pointers to the vendor's own message in an error response; the first match is used. */
  readonly errorMessagePointers: readonly string[];
  /** The headers in which the vendor states how many calls are left; null: it does not, or with a 429 only. */
  readonly rateLimit: RateLimitHeaders | null;
  readonly tools: readonly ToolDefinition[];
  readonly triggerTypes: readonly TriggerTypeDefinition[];
}

/** Where a vendor states its limits, in every response. When none is left, no call is made before the reset. */
export interface RateLimitHeaders {
  /** How many calls are left. */
  readonly remainingHeader: string;
  /** When there are more. */
  readonly resetHeader: string;
  /** The reset as a time since 1970, as an HTTP or ISO date, or as the time that is left. */
  readonly resetUnit: 'epochSeconds' | 'epochMilliseconds' | 'date' | 'seconds' | 'milliseconds';
}

/** A connector without its tools and trigger types: what connections and token calls need. */
export type ConnectorHead = Omit<Connector, 'tools' | 'triggerTypes'>;

/** One way to connect an application. `authenticationId` is unique in it and never changes its meaning. */
export interface AuthenticationMethod {
  readonly authenticationId: number;
  readonly authenticationName: string;
  readonly isDefault: boolean;
  readonly fields: readonly FieldDescriptor[];
  readonly scheme: AuthenticationScheme;
  /** Takes the place of the connector's `baseUrl` for connections with this method; null: that one applies. */
  readonly baseUrl: string | null;
  /** Checks a credential (`POST …/test`); null: there is no such check. */
  readonly test: TestProbe | null;
}

/** A request whose 2xx means that the credential works, a named handler, or the MCP handshake. */
type TestProbe =
  | { readonly type: 'http'; readonly request: HttpRequestTemplate }
  | { readonly type: 'handler'; readonly handler: string }
  | { readonly type: 'mcp' };

/** The type of a connection field's value. */
export type FieldType = 'string' | 'number' | 'boolean' | 'select' | 'json';

/** One field of a connection. */
export interface FieldDescriptor extends FieldSource {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: FieldType;
  /** Must have a value; one with a providerSlot only if neither a provider nor the connector's own client has it. */
  readonly isRequired: boolean;
  readonly isPassword: boolean;
  /** A secret that is not a password. A field is secret when isPassword or maskInLogs is true. */
  readonly maskInLogs: boolean;
  readonly defaultValue: Json;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly providerSlot: ProviderSlot | null;
  /** How valid values are discovered during the sign-in (`fieldOptions`); null: they are not. */
  readonly dynamicOptions: DynamicOptions | null;
}

/** Where an auth provider may hold a value (developer-api.md "Auth provider"). */
export const PROVIDER_SLOTS = [
  'Key1',
  'Key2',
  'Key3',
  'Key4',
  'Key5',
  'Key6',
  'Key7',
  'Key8',
  'Key9',
  'Key10',
  'ApiUser',
  'ApiPassword',
  'BaseUrl',
] as const;
/** One of PROVIDER_SLOTS. */
export type ProviderSlot = (typeof PROVIDER_SLOTS)[number];

/** A request whose items become value -> label. Pointers are JSON pointers; item pointers start at the item. */
export interface DynamicOptions {
  readonly request: HttpRequestTemplate;
  readonly itemsPointer: string;
  readonly valuePointer: string;
  readonly labelPointer: string;
}

/** How the credential is sent to the vendor. `name`, `value` and the like are templates over `field.*`. */
export type AuthenticationScheme =
  | { readonly type: 'none' }
  | {
      readonly type: 'apiKey';
      readonly in: 'header' | 'query' | 'cookie';
      readonly name: string;
      readonly value: string;
    }
  | { readonly type: 'basic'; readonly username: string; readonly password: string }
  | { readonly type: 'bearer'; readonly token: string }
  | { readonly type: 'custom' }
  | OAuth2Scheme;

/**
 * OAuth 2 by authorization code (a sign-in), or by client credentials, the name and password of an API user, or a JWT bearer
 * assertion (none). URLs are templates over `field` and `setting`.
 */
export interface OAuth2Scheme {
  readonly type: 'oauth2';
  readonly grant: 'authorizationCode' | 'clientCredentials' | 'password' | 'jwtBearer';
  /** Null without a sign-in. */
  readonly authorizationUrl: string | null;
  /** Where the parameters of a sign-in are sent before the browser goes to `authorizationUrl` (RFC 9126); null: nowhere. */
  readonly pushedAuthorizationUrl: string | null;
  /** What the vendor calls itself (`iss`); null: not known, so its origin is compared. */
  readonly issuer: string | null;
  /** Whether the vendor names itself in every response to a sign-in (RFC 9207). */
  readonly requiresIssuer: boolean;
  readonly tokenUrl: string;
  readonly scopes: readonly string[];
  readonly scopeSeparator: string;
  readonly usesPkce: boolean;
  /** What a JWT bearer grant is asked with; null for the others. */
  readonly assertion: TokenAssertion | null;
  readonly clientAuthentication: ClientAuthentication;
  readonly authorizationParameters: { readonly [name: string]: string };
  readonly tokenParameters: { readonly [name: string]: string };
  readonly tokenFormat: ParameterFormat;
  /** Names of the parameters that hold the client's id and secret, and of the one that holds the scopes. */
  readonly clientIdParameter: string;
  readonly clientSecretParameter: string;
  readonly scopeParameter: string;
  readonly tokenResponse: TokenResponseMapping;
  /** Exchanges the token of a sign-in for the one to keep; null: that is the one. */
  readonly exchange: TokenStep | null;
  readonly refresh: TokenRefresh;
  readonly accessToken: TokenPlacement;
  /** Null: the vendor offers none, or it is not known. */
  readonly revocation: TokenRevocation | null;
  /** Names of the connection fields that hold the client's id and secret when no provider or own client does. */
  readonly clientIdField: string;
  readonly clientSecretField: string;
  /** Whether auth providers may be created for this method. */
  readonly allowsAuthProvider: boolean;
}

/** Whether a method needs a person to sign in. */
export function requiresOAuthSignIn(method: Pick<AuthenticationMethod, 'scheme'>): boolean {
  return method.scheme.type === 'oauth2' && method.scheme.grant === 'authorizationCode';
}

/** One operation of an application: its public definition, and how it is run. */
export interface ToolDefinition {
  readonly toolSlug: string;
  /** Its former slugs, which still resolve to it. */
  readonly aliases: readonly string[];
  readonly toolName: string;
  readonly description: string;
  readonly category: string;
  readonly version: string;
  readonly isDeprecated: boolean;
  /** JSON Schema 2020-12, `type: object`. */
  readonly inputSchema: JsonObject;
  /** JSON Schema 2020-12, `type: object`. */
  readonly outputSchema: JsonObject;
  /** Retried automatically only if `readOnly` or `idempotent`. */
  readonly retryClass: 'readOnly' | 'idempotent' | 'unsafe';
  readonly isDestructive: boolean;
  readonly filters: FilterSupport | null;
  readonly sorts: SortSupport | null;
  readonly paging: Paging | null;
  readonly execution: ToolExecution;
}

/** How triggers of a type notice that they fire (completion.md "Triggers"). */
export const TRIGGER_KINDS = ['poll', 'schedule', 'webhook', 'system'] as const;
/** One of TRIGGER_KINDS. */
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** Something that may happen in an application, on which triggers fire. */
export interface TriggerTypeDefinition {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly kind: TriggerKind;
  /** Whether a trigger names a connection; otherwise the server supplies one. */
  readonly requiresConnection: boolean;
  /** JSON Schema 2020-12 of a trigger's `configuration`, `type: object`. */
  readonly configSchema: JsonObject;
  /** JSON Schema 2020-12 of an event's `payload`, `type: object`. */
  readonly payloadSchema: JsonObject;
  /** How the application is asked; null unless `kind` is poll. */
  readonly poll: PollRecipe | null;
  /** How the application is told to call; null unless an application calls. */
  readonly webhook: WebhookRecipe | null;
}

/** The operators of filter conditions (completion.md "Execute body"). */
export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'contains',
  'startsWith',
  'isNull',
] as const;
/** One of FILTER_OPERATORS. */
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Which way a sort clause orders (completion.md "Execute body"). */
export const SORT_DIRECTIONS = ['asc', 'desc'] as const;
/** One of SORT_DIRECTIONS. */
export type SortDirection = (typeof SORT_DIRECTIONS)[number];

/**
 * As the only entry of `FilterSupport.fields` or `SortSupport.fields`: every non-empty name is accepted, because the
 * columns are known to the vendor alone (a database table). The handler refuses a column that does not exist.
 */
export const ANY_FIELD = '*';

/** Which fields may be filtered, how many conditions, and how they are sent: one query parameter a condition. */
export interface FilterSupport {
  readonly max: number;
  /** Names of item fields, or `[ANY_FIELD]`. */
  readonly fields: readonly string[];
  /**
   * Query parameter for each condition, `value` being a template over `filter.*`; null: a handler gets them as they
   * are.
   */
  readonly query: { readonly name: string; readonly value: string } | null;
}

/** Which fields may be sorted by, how many clauses, and how they are sent. */
export interface SortSupport {
  readonly max: number;
  /** Names of item fields, or `[ANY_FIELD]`. */
  readonly fields: readonly string[];
  /** Query parameter for each clause, in order, `value` being a template over `sort.*`; null: a handler gets them. */
  readonly query: { readonly name: string; readonly value: string } | null;
}

/**
 * How the vendor pages, so that `top` and `offset` work on any of them: offset (requested directly), page number,
 * cursor or Link header (walked from the start, at most `maxPages` vendor pages per call).
 */
export type Paging =
  | {
      readonly type: 'offset';
      readonly topQuery: string;
      readonly offsetQuery: string;
      readonly maxTop: number;
    }
  | {
      readonly type: 'page';
      readonly sizeQuery: string;
      readonly pageQuery: string;
      readonly pageSize: number;
      readonly maxPages: number;
    }
  | {
      readonly type: 'cursor';
      readonly sizeQuery: string | null;
      readonly pageSize: number;
      readonly cursorQuery: string;
      readonly nextCursorPointer: string;
      readonly maxPages: number;
    }
  | {
      readonly type: 'link';
      readonly sizeQuery: string | null;
      readonly pageSize: number;
      readonly maxPages: number;
    }
  /** A handler gets `top` and `offset` as they are. */
  | { readonly type: 'handler'; readonly maxTop: number };

/** How a tool is run. */
export type ToolExecution =
  | { readonly type: 'http'; readonly request: HttpRequestTemplate; readonly response: ResponseMapping }
  /** A function in the connector's `handlers.ts`. */
  | { readonly type: 'handler'; readonly handler: string }
  /** A tool of the MCP server that the connection points to, by the server's own name for it. */
  | { readonly type: 'mcp'; readonly toolName: string };

/** A request with templates in it. */
export interface HttpRequestTemplate {
  readonly method: string;
  /** Absolute, or a path under `baseUrl`. */
  readonly url: string;
  readonly query: { readonly [name: string]: Json };
  readonly headers: { readonly [name: string]: string };
  /** JSON body with templates in its strings; null: none. */
  readonly body: Json;
}

/** Which part of the vendor's response becomes `output`. */
export type ResponseMapping =
  /** The JSON body (or the part at `pointer`) as it is. */
  | { readonly type: 'object'; readonly pointer: string }
  /**
   * `output.items` from the array at `itemsPointer`, `output.totalCount` from `totalPointer` if the vendor states it.
   */
  | { readonly type: 'list'; readonly itemsPointer: string; readonly totalPointer: string | null }
  /** `{status, headers, body}` of the response, whatever its status. */
  | { readonly type: 'raw' }
  /** `{}`. */
  | { readonly type: 'empty' };
