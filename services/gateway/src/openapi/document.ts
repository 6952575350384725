import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { errorResponse } from '../http/envelope.ts';
import type { JsonSchema } from '../http/json-schema.ts';
import { listEnvelope } from '../http/list.ts';
import type { Route } from '../http/route.ts';
import { API_DESCRIPTION, TAG_DESCRIPTIONS } from './prose.ts';
import { SchemaCollector } from './schema-collector.ts';

/** An operation of the document; members that only tools read are left open. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: ContentObject };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly security?: readonly JsonSchema[];
}

/** A part that stands under `components`. */
export interface Reference {
  readonly $ref: string;
}

/** A path or query parameter. */
export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

/** An answer of an operation. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: JsonSchema;
  readonly content?: ContentObject;
}

type ContentObject = Readonly<Record<'application/json', { readonly schema: JsonSchema }>>;

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: JsonSchema;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly JsonSchema[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: JsonSchema;
    readonly securitySchemes: JsonSchema;
  };
}

/** The OpenAPI document of `routes`, for the API at `publicUrl`. */
export function openApiDocument(routes: readonly Route[], publicUrl: string): OpenApiDocument {
  const schemas = new SchemaCollector();
  schemas.add(errorResponse);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method] = operationOf(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fairlead API',
      version: 'v1',
      description: API_DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(routes.flatMap((route) => route.tags))].map((name) => ({
      name,
      description: tagDescription(name),
    })),
    paths,
    components: {
      schemas: schemas.all(),
      responses: sharedFailures(routes),
      headers: {
        'x-request-id': {
          description: 'The caller’s, or one made for the request.',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'An API key; it acts as its owner.',
        },
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token issued by the service. Wins where both are sent. An API key is not accepted here.',
        },
      },
    },
  };
}

function tagDescription(name: string): string {
  const description = TAG_DESCRIPTIONS[name];
  if (description === undefined) throw new Error(`The tag ${name} has no description.`);
  return description;
}

function operationOf(route: Route, schemas: SchemaCollector): OperationObject {
  const parameters = [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: route.tags,
    ...(route.auth === 'anonymous' && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: !route.isBodyOptional, content: json(schemas.add(route.body)) },
    }),
    responses: { ...successOf(route, schemas), ...failuresOf(route) },
  };
}

function parametersOf(
  schema: Route['params'],
  place: 'path' | 'query',
  schemas: SchemaCollector,
): ParameterObject[] {
  const { properties = {}, required = [] } = schemas.add(schema);
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: rest,
  }));
}

const SUCCESS_TEXTS = { 200: 'Done.', 201: 'Created.', 204: 'Done; no content.' } as const;

function successOf(route: Route, schemas: SchemaCollector): Record<string, ResponseObject> {
  const body =
    route.response === undefined || route.page === undefined ? route.response : listEnvelope(route.response);
  return {
    [route.status]: {
      description: SUCCESS_TEXTS[route.status],
      headers: HEADERS,
      ...(body !== undefined && { content: json(schemas.add(body)) }),
    },
  };
}

/** Codes that any body can meet; on an operation that nobody sends one to they only tire the reader. */
const BODY_CODES: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** One answer a status, which names the codes that it may carry. */
function failuresOf(route: Route): Record<string, ResponseObject | Reference> {
  const codes = route.errors.filter((code) => route.method !== 'get' || !BODY_CODES.includes(code));
  const byStatus = Object.entries(Object.groupBy(codes, (code) => String(ERROR_CATALOGUE[code].http)));
  return Object.fromEntries(
    byStatus.map(([status, group = []]) => [
      status,
      group.length === 1 ? { $ref: `${RESPONSES}${group.join()}` } : failureOf(group),
    ]),
  );
}

/** The answers that `failuresOf` refers to. */
function sharedFailures(routes: readonly Route[]): Record<string, ResponseObject> {
  const codes = new Set(routes.flatMap((route) => Object.values(failuresOf(route)).map(referredCode)));
  return Object.fromEntries(
    (Object.keys(ERROR_CATALOGUE) as ErrorCode[])
      .filter((code) => codes.has(code))
      .map((code) => [code, failureOf([code])]),
  );
}

const RESPONSES = '#/components/responses/';

function referredCode(response: ResponseObject | Reference): string | undefined {
  return '$ref' in response ? response.$ref.slice(RESPONSES.length) : undefined;
}

function failureOf(codes: readonly ErrorCode[]): ResponseObject {
  const errorCode: JsonSchema = { enum: codes };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: HEADERS,
    content: json({ $ref: '#/components/schemas/ErrorResponse', properties: { errorCode } }),
  };
}

const HEADERS: JsonSchema = { 'x-request-id': { $ref: '#/components/headers/x-request-id' } };

function json(schema: JsonSchema): ContentObject {
  return { 'application/json': { schema } };
}
