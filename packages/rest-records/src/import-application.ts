import type { MessageInitShape } from '@bufbuild/protobuf';
import { apiAuthentication } from '@fairlead/connector-model/schema/api-authentication';
import type {
  ImportApplicationRequestSchema,
  ImportApplicationResponse,
} from '@fairlead/contracts/tools/v1/import_service_pb';
import { passedObject, text } from '@fairlead/rest-kit/fields';
import { jsonBytes, LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';
import { applicationDetail, presentApplication } from './application.ts';
import { required } from './values.ts';

const MAX_ADDRESS = 2_000;
const MAX_OPERATIONS = 1_000;
const SOURCES = ['openapi', 'manifest', 'mcp', 'piece'] as const;
const QUOTE = 0x22;

/** The members that each source requires; of a nested list, one is enough. */
const NEEDED = {
  openapi: [['document', 'url', 'fileId']],
  manifest: [['manifest']],
  mcp: [['serverUrl', 'package']],
  piece: [['package'], ['version']],
} as const satisfies Readonly<Record<(typeof SOURCES)[number], readonly (readonly string[])[]>>;

/** A package is named with its version. */
const VERSION = [['version']] as const;

const url = z
  .string()
  .max(MAX_ADDRESS)
  .regex(/^https?:\/\//, 'must be an http or https URL');

const operation = z
  .object({
    operationId: text(1, 300).optional().describe('As in the document.'),
    method: text(1, 10).optional().describe('Beside `path`, if there is no `operationId`.'),
    path: text(1, MAX_ADDRESS).optional().describe('As in the document: `/contacts/{id}`.'),
    toolSlug: text(1, 128).optional().describe('Default: the operationId, made a slug.'),
    description: text(1, 1024).optional().describe('Default: that of the document, shortened.'),
  })
  .superRefine((each, context) => {
    if (each.operationId === undefined && (each.method === undefined || each.path === undefined))
      context.addIssue({
        code: 'custom',
        path: [each.method === undefined || each.path !== undefined ? 'operationId' : 'path'],
        message: 'is required: `operationId`, or `method` and `path`',
      });
  });

/** A manifest as an object, or its YAML text. It is passed on unread. */
const manifest = z
  .custom<object | string>(
    (value) =>
      typeof value === 'string' ||
      passedObject.safeParse(value).success ||
      (value instanceof LazyJson && value.bytes[0] === QUOTE),
    {
      error: ({ input }) =>
        input === undefined ? undefined : 'must be an object, or the text of one in YAML',
    },
  )
  .meta({ type: ['object', 'string'] });

/** The body of an import; the members that its source needs are checked, others are ignored. */
export const importApplicationBody = z
  .object({
    source: z
      .enum(SOURCES)
      .describe(
        'openapi: `document`, `url` or `fileId`. manifest: `manifest`. mcp: `serverUrl`, or `package` and `version`. piece: `package` and `version`.',
      ),
    slug: z
      .string()
      .max(64)
      .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be kebab case, such as acme-crm')
      .describe('Slug of the new application.'),
    document: passedObject.optional().describe('An OpenAPI 3 or Swagger 2.0 document.'),
    url: url.optional().describe('Address of the document, as JSON or YAML of at most 5 MiB.'),
    fileId: text(1, 100).optional().describe('A file of the account with the document.'),
    operations: z
      .array(operation)
      .min(1)
      .max(MAX_OPERATIONS)
      .optional()
      .describe('The operations that become tools. Default: all that are not deprecated.'),
    baseUrl: url
      .optional()
      .describe('Address below which the paths are. Default: the document’s first server.'),
    authentication: apiAuthentication
      .optional()
      .describe('How connections sign in. Default: the security schemes of the document.'),
    manifest: manifest
      .optional()
      .describe('A manifest, as an object or as YAML text; without triggers and handlers.'),
    serverUrl: url.optional().describe('Address of an MCP server.'),
    package: text(1, 214).optional().describe('Name of a package that the operator has allowed.'),
    version: text(1, 64).optional().describe('Version of the package.'),
  })
  .superRefine((body, context) => {
    const isPackagedServer = body.source === 'mcp' && body.package !== undefined;
    for (const names of [...NEEDED[body.source], ...(isPackagedServer ? VERSION : [])]) {
      const members = names.filter((name) => body[name] !== undefined);
      const [first] = names;
      if (members.length === 0) {
        const others = names.slice(1).map((name) => `\`${name}\``);
        const message = others.length === 0 ? 'is required' : `is required, or ${others.join(' or ')}`;
        context.addIssue({ code: 'custom', path: [first], message });
      }
      const second = members[1];
      if (second !== undefined)
        context.addIssue({
          code: 'custom',
          path: [second],
          message: `must not be beside \`${members[0] ?? ''}\``,
        });
    }
  })
  .meta({ id: 'ImportApplicationRequest' });

export const importedApplication = applicationDetail
  .extend({
    skipped: z
      .array(
        z.strictObject({
          operationId: z.string().nullable(),
          method: z.string(),
          path: z.string(),
          reason: z.string(),
        }),
      )
      .describe('Operations that became no tool.'),
  })
  .meta({ id: 'ImportedApplication' });

/** The request to the service that imports. */
export function importRequest(
  body: z.output<typeof importApplicationBody>,
): MessageInitShape<typeof ImportApplicationRequestSchema> {
  const { slug, serverUrl = '', version = '' } = body;
  switch (body.source) {
    case 'openapi':
      return { slug, source: { case: 'openapi', value: openApiSource(body) } };
    case 'manifest':
      return { slug, source: { case: 'manifestJson', value: jsonBytes(body.manifest ?? null) } };
    case 'mcp':
      return body.package === undefined
        ? { slug, source: { case: 'mcp', value: { serverUrl } } }
        : { slug, source: { case: 'server', value: { package: body.package, version } } };
    case 'piece':
      return { slug, source: { case: 'piece', value: { package: body.package ?? '', version } } };
  }
}

function openApiSource({
  document,
  url: address,
  fileId = '',
  operations,
  baseUrl,
  authentication,
}: z.output<typeof importApplicationBody>) {
  const options = {
    ...(operations !== undefined && { operations: { operations } }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(authentication !== undefined && { authenticationJson: Buffer.from(JSON.stringify(authentication)) }),
  };
  if (document !== undefined)
    return { document: { case: 'documentJson' as const, value: jsonBytes(document) }, ...options };
  return address === undefined
    ? { document: { case: 'fileId' as const, value: fileId }, ...options }
    : { document: { case: 'url' as const, value: address }, ...options };
}

/** The imported application, and the operations that became no tool. */
export function presentImport({
  application,
  skipped,
}: ImportApplicationResponse): z.output<typeof importedApplication> {
  return {
    ...presentApplication(required(application)),
    skipped: skipped.map(({ operationId, method, path, reason }) => ({
      operationId: operationId ?? null,
      method,
      path,
      reason,
    })),
  };
}
