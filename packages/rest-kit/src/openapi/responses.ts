import { ERROR_CATALOGUE } from '@fairlead/errors/catalogue';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import type { JsonSchema } from '../json-schema.ts';
import { listEnvelope } from '../list.ts';
import { isIdempotent } from '../route.ts';
import type { Route } from '../route.ts';
import { errorExample, exampleOf } from './examples.ts';
import type { DocumentExamples, Examples, OperationExample } from './examples.ts';
import type { SchemaCollector } from './schema-collector.ts';
import type { Reference } from './reference.ts';

/** A response of an operation. */
export interface ResponseObject {
  readonly description: string;
  readonly headers: JsonSchema;
  readonly content?: ContentObject;
}

/** The content of a request or response. */
export type ContentObject = Readonly<Record<string, MediaTypeObject>>;

interface MediaTypeObject extends Examples {
  readonly schema: JsonSchema;
}

/** The content of a file, of any type. */
function anyBytes(example: Examples): ContentObject {
  return { '*/*': { schema: { type: 'string', format: 'binary' }, ...example } };
}

/** The content of an uploaded file: a part of a form, or the body itself, which `example` shows. */
export function fileBody(example: Examples): ContentObject {
  return {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary' } },
        required: ['file'],
      },
    },
    ...anyBytes(example),
  };
}

/** The examples in an operation's responses. */
interface ResponseExamples {
  readonly example: OperationExample;
  readonly errors: DocumentExamples['errors'];
}

/** An operation's responses by status: success and errors. */
export function responsesOf(
  route: Route,
  schemas: SchemaCollector,
  { example, errors }: ResponseExamples,
): Record<string, ResponseObject | Reference> {
  return { ...successOf(route, schemas, exampleOf(example.response)), ...failuresOf(route, errors) };
}

/** JSON content with this schema. */
export function json(schema: JsonSchema, example: Examples): ContentObject {
  return { 'application/json': { schema, ...example } };
}

const SUCCESS_TEXTS = { 200: 'Done.', 201: 'Created.', 202: 'Accepted.', 204: 'Done; no content.' } as const;

function successOf(
  route: Route,
  schemas: SchemaCollector,
  example: Examples,
): Record<string, ResponseObject> {
  const body =
    route.response === undefined || route.page === undefined ? route.response : listEnvelope(route.response);
  return {
    [route.status]: {
      description: SUCCESS_TEXTS[route.status],
      headers: headers([
        'x-request-id',
        ...(route.auth === 'credential' ? BUDGET_HEADERS : []),
        ...(isIdempotent(route) ? (['Idempotency-Replayed'] as const) : []),
      ]),
      ...(body !== undefined && { content: json(schemas.add(body), example) }),
      ...(route.bytes === 'response' && { content: anyBytes(example) }),
    },
  };
}

/** Error codes that every request body can cause; they are not listed on operations without a body. */
const BODY_CODES: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** One response per status, with its possible error codes. */
function failuresOf(
  route: Route,
  errors: DocumentExamples['errors'],
): Record<string, ResponseObject | Reference> {
  const codes = route.errors.filter((code) => route.method !== 'get' || !BODY_CODES.includes(code));
  const byStatus = Object.entries(Object.groupBy(codes, (code) => String(ERROR_CATALOGUE[code].http)));
  return Object.fromEntries(
    byStatus.map(([status, group = []]) => [
      status,
      group.length === 1 ? { $ref: `${RESPONSES}${group.join()}` } : failureOf(group, errors),
    ]),
  );
}

/** The responses that several operations refer to, by error code. */
export function sharedFailures(
  routes: readonly Route[],
  errors: DocumentExamples['errors'],
): Record<string, ResponseObject> {
  const codes = new Set(
    routes.flatMap((route) => Object.values(failuresOf(route, errors)).map(referredCode)),
  );
  return Object.fromEntries(
    (Object.keys(ERROR_CATALOGUE) as ErrorCode[])
      .filter((code) => codes.has(code))
      .map((code) => [code, failureOf([code], errors)]),
  );
}

const RESPONSES = '#/components/responses/';

function referredCode(response: ResponseObject | Reference): string | undefined {
  return '$ref' in response ? response.$ref.slice(RESPONSES.length) : undefined;
}

function failureOf(codes: readonly ErrorCode[], errors: DocumentExamples['errors']): ResponseObject {
  const errorCode: JsonSchema = { enum: codes };
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    headers: headers(codes.flatMap(headersOf)),
    content: json(
      { $ref: '#/components/schemas/ErrorResponse', properties: { errorCode } },
      errorExample(codes, errors),
    ),
  };
}

function headersOf(code: ErrorCode): readonly HeaderName[] {
  switch (code) {
    // Without a known account, there are no budget headers.
    case 'UNAUTHORIZED':
      return ['x-request-id', 'WWW-Authenticate'];
    case 'ACCOUNT_USER_INACTIVE':
      return ['x-request-id'];
    case 'RATE_LIMIT_EXCEEDED':
      return ['x-request-id', ...BUDGET_HEADERS, 'Retry-After'];
    case 'FORBIDDEN':
      return ['x-request-id', ...BUDGET_HEADERS, 'WWW-Authenticate'];
    default:
      return ['x-request-id', ...BUDGET_HEADERS];
  }
}

/** A header of a response. */
export interface HeaderObject {
  readonly description: string;
  /** Whether it is always present. Default: no. */
  readonly required?: boolean;
  readonly schema: JsonSchema;
  readonly example?: string;
}

/** The response headers for `components`. */
export const HEADERS = {
  'x-request-id': {
    description: 'The caller’s id, or one generated for the request.',
    required: true,
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'How much is left of each budget of the account, and the seconds until it resets; on every response to a valid credential (draft-ietf-httpapi-ratelimit-headers).',
    schema: { type: 'string' },
    example: '"burst";r=49;t=1, "hourly";r=19999;t=3600',
  },
  'RateLimit-Policy': {
    description: 'The budgets of the account: calls, and the window in seconds.',
    schema: { type: 'string' },
    example: '"burst";q=50;w=1, "hourly";q=20000;w=3600',
  },
  'Retry-After': {
    description: 'Seconds until the call may be repeated.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Idempotency-Replayed': {
    description: '`true` on a response, success or error, that is repeated for the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'WWW-Authenticate': {
    description: 'Where to get a token; on a 403, which scope the token lacks.',
    schema: { type: 'string' },
  },
} as const satisfies Record<string, HeaderObject>;

type HeaderName = keyof typeof HEADERS;

const BUDGET_HEADERS = ['RateLimit', 'RateLimit-Policy'] as const;

function headers(names: readonly HeaderName[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
