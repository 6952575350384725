import { parseConnector } from '@fairlead/connector-model/parse-connector';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connector } from '@fairlead/connector-model/model';
import type { ImportAnswer, OpenApiJob } from '../import-job.ts';
import { runImport } from '../run-import.ts';

/** A small API with the variants that tests need. */
export const CONTACTS: JsonObject = {
  openapi: '3.0.3',
  info: { title: 'Acme CRM', description: 'Contacts of <b>Acme</b>.', version: '2.1.0' },
  servers: [{ url: 'https://{region}.acme.test/v1', variables: { region: { default: 'eu' } } }],
  security: [{ key: [] }],
  paths: {
    '/contacts': {
      get: {
        operationId: 'listContacts',
        summary: 'List contacts',
        description: 'Returns **contacts** by name.',
        tags: ['Contacts'],
        parameters: [
          { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 50 } },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
          { name: 'filter[name]', in: 'query', schema: { type: 'string' } },
          { name: 'X-Trace', in: 'header', description: 'Id of a trace.', schema: { type: 'string' } },
        ],
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'array', items: { $ref: '#/components/schemas/Contact' } },
              },
            },
          },
        },
      },
      post: {
        operationId: 'createContact',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Contact' } } },
        },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Contact' } } } },
        },
      },
    },
    '/contacts/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      put: {
        operationId: 'replaceContact',
        deprecated: true,
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Contact' } } },
        },
        responses: { 204: {} },
      },
      delete: { responses: { 204: {} } },
    },
    '/photos': {
      post: {
        operationId: 'sendPhoto',
        requestBody: { content: { 'image/png': { schema: { type: 'string', format: 'binary' } } } },
        responses: { 204: {} },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    schemas: {
      Contact: {
        type: 'object',
        required: ['name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', description: 'Full name.', pattern: '^(a+)+$' },
          manager: { $ref: '#/components/schemas/Contact' },
        },
      },
    },
  },
};

/** Imports a document and returns the answer. */
export function imported(
  document: unknown,
  job: Partial<OpenApiJob> = {},
): { readonly answer: ImportAnswer; readonly connector: Connector | undefined } {
  const whole: OpenApiJob = { kind: 'openapi', slug: 'acme', field: 'document', ...job };
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const { answer, application } = runImport(whole, Buffer.from(text));
  return { answer, connector: application === undefined ? undefined : parseConnector(application) };
}

/** The issues of an import that is refused. */
export function issuesOf(document: unknown, job: Partial<OpenApiJob> = {}): readonly string[] {
  const { answer } = imported(document, job);
  return answer.kind === 'refused' ? answer.issues.map(({ field, issue }) => `${field}: ${issue}`) : [];
}

/** A document with some of its members replaced. */
export function contactsWith(members: Readonly<Record<string, unknown>>): unknown {
  return { ...CONTACTS, ...members };
}
