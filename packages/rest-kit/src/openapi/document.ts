import { errorResponse } from '@fairlead/service-kit/http/envelope';
import { IDEMPOTENCY_KEY, MAX_KEY_LENGTH } from '../idempotency-key.ts';
import type { JsonSchema } from '../json-schema.ts';
import { isIdempotent } from '../route.ts';
import type { Route } from '../route.ts';
import { exampleOf, parameterExample } from './examples.ts';
import type {
  CodeSample,
  DocumentExamples,
  ExampleObject,
  ExampleRequest,
  Examples,
  OperationExample,
} from './examples.ts';
import { fileBody, HEADERS, json, responsesOf, sharedFailures } from './responses.ts';
import type { ContentObject, HeaderObject, ResponseObject } from './responses.ts';
import { SchemaCollector } from './schema-collector.ts';
import { SECURITY, securityOf, securitySchemes } from './security.ts';
import type { Reference } from './reference.ts';

/** An operation of the document. Members that only external tools read have open types. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required: boolean; readonly content: ContentObject };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
  readonly security?: readonly JsonSchema[];
  /** The caller's required permission; `administration`: the caller must be an owner or admin. */
  readonly 'x-required-permission'?: string;
  readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** A path, query or header parameter. */
export interface ParameterObject extends Examples {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
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
    readonly examples: Readonly<Record<string, ExampleObject>>;
    readonly securitySchemes: JsonSchema;
  };
}

/** The parts of an API's document besides the routes. */
export interface ApiDescription {
  readonly title: string;
  readonly version: string;
  /** Markdown. */
  readonly description: string;
  /** Descriptions by tag; a tag without one is an error. */
  readonly tags: Readonly<Record<string, string>>;
  readonly examples: DocumentExamples;
}

/** Creates the OpenAPI document of `routes`, for the API at `publicUrl`. */
export function openApiDocument(
  routes: readonly Route[],
  publicUrl: string,
  { title, version, description, tags, examples }: ApiDescription,
): OpenApiDocument {
  const schemas = new SchemaCollector();
  schemas.add(errorResponse);
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method] = operationOf(route, schemas, examples);
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
      responses: sharedFailures(routes, examples.errors),
      headers: HEADERS,
      examples: Object.fromEntries(Object.entries(examples.errors).map(([code, value]) => [code, { value }])),
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}

function tagDescription(name: string, tags: ApiDescription['tags']): string {
  const description = tags[name];
  if (description === undefined) throw new Error(`The tag ${name} has no description.`);
  return description;
}

function operationOf(route: Route, schemas: SchemaCollector, all: DocumentExamples): OperationObject {
  const example: OperationExample = all.operations[route.operationId] ?? { request: {} };
  const { request } = example;
  const samples = all.samples[route.operationId];
  const parameters = [
    ...parametersOf(route.params, 'path', schemas, request.params),
    ...parametersOf(route.query, 'query', schemas, request.query),
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
      requestBody: {
        required: true,
        content: json(schemas.add(route.body, { isRequest: true }), exampleOf(request.body)),
      },
    }),
    ...(route.bytes === 'request' && {
      requestBody: { required: true, content: fileBody(exampleOf(request.content?.text)) },
    }),
    responses: responsesOf(route, schemas, { example, errors: all.errors }),
    ...(samples !== undefined && { 'x-codeSamples': samples }),
  };
}

function parametersOf(
  schema: Route['params'],
  place: 'path' | 'query',
  schemas: SchemaCollector,
  values: ExampleRequest['query'] = {},
): ParameterObject[] {
  const { properties = {}, required = [] } = schemas.add(schema);
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: rest,
    ...parameterExample(values[name], required.includes(name), rest),
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
