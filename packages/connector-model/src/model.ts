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
 * - `cursor.since`, `cursor.sinceSeconds`, `cursor.sinceMilliseconds`
 *                      where a poll starts reading (only in `PollRecipe.request`),
 * - `webhook.url`, `webhook.secret`, `webhook.id`  a registration at the vendor (only in `WebhookRecipe`).
 * A string that is one placeholder and nothing else takes the value with its type; undefined drops its member, query
 * parameter or header. Inside a longer string, a string is inserted as it is and any other value as its JSON
 * text; one undefined placeholder makes the whole string undefined. In a URL path values are percent-encoded.
 */

import type { z } from 'zod';
import type { Json, JsonObject } from './json.ts';
import type { authenticationMethod, authenticationScheme, fieldDescriptor } from './schema/authentication.ts';
import type {
  connectorHeadSchema,
  connectorSchema,
  toolDefinitionSchema,
  toolExecution,
  triggerTypeDefinitionSchema,
} from './schema/connector.ts';
import type { oauth2Scheme } from './schema/oauth2-scheme.ts';
import type { paging } from './schema/paging.ts';
import type {
  bodyEncoding,
  dynamicOptions,
  httpRequestTemplate,
  responseMapping,
  valueStyle,
} from './schema/request.ts';
import type { tokenAssertion } from './schema/token-assertion.ts';
import type { clientAuthentication, parameterFormat } from './schema/token-parameters.ts';
import type { tokenPlacement } from './schema/token-placement.ts';
import type { tokenResponseMapping } from './schema/token-response.ts';
import type { tokenExchange } from './schema/token-step.ts';

type MutableJson = z.output<z.ZodJSONSchema>;

/** The output type of a schema, as deeply read-only. */
export type SchemaOutput<S extends z.ZodType> = Immutable<z.output<S>>;

type Immutable<T> = [MutableJson] extends [T]
  ? Json
  : [Record<string, MutableJson>, string] extends [T, keyof T]
    ? JsonObject
    : T extends readonly (infer I)[]
      ? readonly Immutable<I>[]
      : T extends object
        ? { readonly [K in keyof T]: Immutable<T[K]> }
        : T;

/** One application with everything needed to call it. */
export type Connector = SchemaOutput<typeof connectorSchema>;
/** A connector without its tools and trigger types: what connections and token calls need. */
export type ConnectorHead = SchemaOutput<typeof connectorHeadSchema>;
/** How an application's tools were created and tested. */
export type Maturity = Connector['maturity'];
/** The range and default of an on-prem agent's setting. */
export type AgentSettingRange = NonNullable<Connector['agentSettings']>['parallelTasks'];
/** Response headers in which a vendor states its rate limits. When no calls are left, none is made before the reset. */
export type RateLimitHeaders = NonNullable<Connector['rateLimit']>;

/** One way to connect an application. `authenticationId` is unique within the application and never changes its meaning. */
export type AuthenticationMethod = SchemaOutput<typeof authenticationMethod>;
/** One field of a connection. */
export type FieldDescriptor = SchemaOutput<typeof fieldDescriptor>;
/** The type of a connection field's value. */
export type FieldType = FieldDescriptor['type'];
/**
 * A request that returns valid values of a field, as value → label. Pointers are JSON pointers; item pointers start
 * at the item.
 */
export type DynamicOptions = SchemaOutput<typeof dynamicOptions>;

/** The way in which the credential is sent to the vendor. `name`, `value` and so on are templates over `field.*`. */
export type AuthenticationScheme = SchemaOutput<typeof authenticationScheme>;
/**
 * OAuth 2 with a sign-in (authorization code), or without one (client credentials, name and password of an API user,
 * or a JWT bearer assertion). URLs are templates over `field` and `setting`.
 */
export type OAuth2Scheme = SchemaOutput<typeof oauth2Scheme>;
/** The encoding of a request's parameters: a form, a JSON object, or the query. */
export type ParameterFormat = SchemaOutput<typeof parameterFormat>;
/** Client authentication: id and secret by HTTP basic authentication or as parameters, or only the id as a parameter. */
export type ClientAuthentication = SchemaOutput<typeof clientAuthentication>;
/** A request that exchanges one token for another. A null member has the value of the code's token request. */
export type TokenStep = SchemaOutput<typeof tokenExchange>;
/** Names of the members in a token endpoint's response. */
export type TokenResponseMapping = SchemaOutput<typeof tokenResponseMapping>;
/** Format in which a vendor states an access token's expiry. */
export type ExpiryFormat = TokenResponseMapping['expiryFormat'];
/** The place of the access token in API calls. A space follows `prefix`, unless it is empty. */
export type TokenPlacement = SchemaOutput<typeof tokenPlacement>;
/** The signed assertion that a JWT bearer grant exchanges for an access token (RFC 7523). */
export type TokenAssertion = SchemaOutput<typeof tokenAssertion>;
/** Signature algorithm of an assertion (RFC 7518 section 3.1). */
export type SigningAlgorithm = TokenAssertion['algorithm'];

/** Whether a method needs a person to sign in. */
export function requiresOAuthSignIn(method: Pick<AuthenticationMethod, 'scheme'>): boolean {
  return method.scheme.type === 'oauth2' && method.scheme.grant === 'authorizationCode';
}

/** One operation of an application: its public definition, and its execution. */
export type ToolDefinition = SchemaOutput<typeof toolDefinitionSchema>;
export type ToolExecution = SchemaOutput<typeof toolExecution>;
export type HttpRequestTemplate = SchemaOutput<typeof httpRequestTemplate>;
/** The encoding of a request's body. */
export type BodyEncoding = SchemaOutput<typeof bodyEncoding>;
/** The form of a list or object in parameters. */
export type ValueStyle = SchemaOutput<typeof valueStyle>;
/** The part of the vendor's response that becomes `output`. */
export type ResponseMapping = SchemaOutput<typeof responseMapping>;
/**
 * A vendor's paging, on which `top` and `offset` are implemented: by offset (requested directly); by page number,
 * cursor, last id, or next URL in the body or Link header (walked from the start, at most `maxPages` vendor pages per
 * call).
 */
export type Paging = SchemaOutput<typeof paging>;

/** A kind of event in an application, on which triggers fire. */
export type TriggerTypeDefinition = SchemaOutput<typeof triggerTypeDefinitionSchema>;

/**
 * The only entry of `FilterSupport.fields` or `SortSupport.fields` if every non-empty name is accepted, because only
 * the vendor knows the columns (of a database table). The handler refuses a missing column.
 */
export const ANY_FIELD = '*';

/** The fields for filters, the maximum number of conditions, and their form: one query parameter per condition. */
export type FilterSupport = NonNullable<ToolDefinition['filters']>;
/** The fields for sorting, the maximum number of clauses, and their form. */
export type SortSupport = NonNullable<ToolDefinition['sorts']>;
