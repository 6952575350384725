import { errorResponse } from '@fairlead/service-kit/http/envelope';
import { IDEMPOTENCY_KEY, MAX_KEY_LENGTH } from '../idempotency-key.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isIdempotent } from '../route.ts';
import type { Route } from '../route.ts';
import { FILE_BODY, HEADERS, json, responsesOf, sharedFailures } from './responses.ts';
import type { ContentObject, HeaderObject, Reference, ResponseObject } from './responses.ts';
import { unselected } from './parameter-examples.ts';
import type { ExampleObject } from './parameter-examples.ts';
import { SchemaCollector } from './schema-collector.ts';
import { SECURITY, securityOf, securitySchemes } from './security.ts';

/** An operation of the document; members that only tools read have open types. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: ContentObject };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly security?: readonly JsonSchema[];
  /** The permission that the caller needs; `administration`: the caller must be an owner or admin. */
  readonly 'x-required-permission'?: string;
}

/** A path, query or header parameter. */
export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly examples?: Readonly<Record<string, ExampleObject>>;
}

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
    readonly headers: Readonly<Record<string, HeaderObject>>;
    readonly securitySchemes: JsonSchema;
  };
}

/** The description of an API in its document, beside the routes. */
export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  /** Markdown. */
  readonly description: string;
  /** By the tags of the routes; a tag without a description is an error. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The OpenAPI document of `routes`, for the API at `publicUrl`. */
export function openApiDocument(
  routes: readonly Route[],
  publicUrl: string,
  { title, version, description, tags }: ApiDescription,
): OpenApiDocument {
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
      title,
      version,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl, description: 'This installation' }],
    security: SECURITY,
    tags: [...new Set(routes.flatMap((route) => route.tags))].map((name) => ({
      name,
      description: tagDescription(name, tags),
    })),
    paths,
    components: {
      schemas: schemas.all(),
      responses: sharedFailures(routes),
      headers: HEADERS,
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}

function tagDescription(name: string, tags: ApiDescription['tags']): string {
  const description = tags[name];
  if (description === undefined) throw new Error(`The tag ${name} has no description.`);
  return description;
}

function operationOf(route: Route, schemas: SchemaCollector): OperationObject {
  const parameters = [
    ...parametersOf(route.params, 'path', schemas),
    ...parametersOf(route.query, 'query', schemas),
    ...(isIdempotent(route) ? [IDEMPOTENCY_PARAMETER] : []),
  ];
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: route.tags,
    ...securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body !== undefined && {
      requestBody: { required: true, content: json(schemas.add(route.body, { isRequest: true })) },
    }),
    ...(route.bytes === 'request' && { requestBody: { required: true, content: FILE_BODY } }),
    responses: responsesOf(route, schemas),
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
    ...(!required.includes(name) && unselected(rest)),
  }));
}

const IDEMPOTENCY_PARAMETER: ParameterObject = {
  name: IDEMPOTENCY_KEY,
  in: 'header',
  required: false,
  description:
    'Makes the call safe to repeat: for 24 h the same key with the same caller, path, query and body returns the first response again and has no effect.',
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
};
