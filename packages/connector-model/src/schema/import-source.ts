import { z } from 'zod';
import { jsonPointer } from './request.ts';
import { paging } from './paging.ts';
import { jsonObject, responseMapping } from './request.ts';
import { toolShape } from './tool.ts';

/** Maximum length; models read the descriptions of many tools at once. */
const MAX_TOOL_DESCRIPTION_LENGTH = 300;

/** The domains of a vendor. */
export const vendorHosts = z
  .array(
    z
      .string()
      .max(200)
      .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be the name of a domain'),
  )
  .min(1)
  .max(10)
  .describe('Domains of the vendor. Every address of the application is within one of them.');

/** The package with the description of an application's API. */
export const importSource = z
  .strictObject({
    kind: z
      .enum(['discovery', 'openapi'])
      .describe(
        "The form of the vendor's description: a Google API discovery document, or OpenAPI 3.0, 3.1 or Swagger 2.0.",
      ),
    registry: z.enum(['npm', 'pypi']).describe('The registry that serves the package.'),
    package: z
      .string()
      .max(200)
      .regex(/^(?:@[a-z0-9][a-z0-9._-]*\/)?[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the name of a package')
      .describe('Name of the package.'),
    version: z
      .string()
      .max(64)
      .regex(/^\d[0-9A-Za-z.+-]*$/, 'must be an exact version')
      .describe('Exact version of the package.'),
    integrity: z
      .string()
      .regex(/^sha(?:256|512)-[A-Za-z0-9+/]+={0,2}$/, 'must be sha256-… or sha512-… in base64')
      .describe('Digest of the archive, as in a lock file of npm.'),
    file: z
      .string()
      .max(300)
      .regex(/^[^/\\](?:[^\\]*[^/\\])?$/, 'must be a path within the archive')
      .describe('Path of the description within the package, JSON or YAML.'),
    hosts: vendorHosts,
  })
  .describe("Where the vendor's description of the API is. It is fetched when the catalogue is compiled.");

/** The place of a value in the request. */
const address = z
  .string()
  .max(300)
  .regex(
    /^(?:(?:path|query|header)\.[^\s]+|body(?:\.[^\s.]+)*)$/,
    'must be such as query.limit or body.owner.id',
  )
  .describe(
    'Where the value is sent: `path.<name>`, `query.<name>`, `header.<name>`, `body` or `body.<member>…`.',
  );

const inputText = z.string().min(1).max(500).describe('What to enter.');

const importedInput = z
  .union([
    inputText,
    z.strictObject({
      description: inputText,
      from: address
        .optional()
        .describe(
          'Where the value is sent; by default the parameter of that name, else the member of the body.',
        ),
      members: z
        .array(z.string().min(1).max(200))
        .min(1)
        .max(100)
        .optional()
        .describe(
          'Members to keep of an object or of the items of a list, such as `owner.id`; by default all.',
        ),
      memberDescriptions: z
        .record(z.string().min(1).max(200), z.string().min(1).max(300))
        .optional()
        .describe('Descriptions of members that the vendor does not describe, by path, such as `owner.id`.'),
      isRequired: z.boolean().optional().describe("Whether it is required; by default the vendor's."),
      default: z.json().optional().describe('Sent if no value is given.'),
      schema: jsonObject
        .optional()
        .describe(
          "Keywords of JSON Schema that replace the vendor's, such as `maximum` or `enum`; with a `type`, the whole schema.",
        ),
    }),
  ])
  .describe('One input: its description, or more.');

/** A tool for an operation of the vendor description. */
export const importedOperation = z
  .strictObject({
    operation: z
      .string()
      .min(1)
      .max(200)
      .describe(
        'Id of the operation in the description; of OpenAPI also its method and path: `GET /repos/{owner}/{repo}`.',
      ),
    toolSlug: toolShape.toolSlug,
    aliases: toolShape.aliases,
    toolName: toolShape.toolName
      .optional()
      .describe('Name of the tool for people; by default made of its slug.'),
    description: z
      .string()
      .min(1)
      .max(MAX_TOOL_DESCRIPTION_LENGTH)
      .describe('What the tool does, and when to choose it.'),
    category: toolShape.category.min(1),
    inputs: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'must be a name'), importedInput)
      .default({})
      .describe('The inputs of the tool, by name and in order; no other parameter is offered.'),
    constants: z
      .record(address, z.json())
      .default({})
      .describe('Values that every call sends, by where they are sent.'),
    result: z
      .array(z.string().min(1).max(200))
      .min(1)
      .max(100)
      .optional()
      .describe(
        'Members of the record, or of each item of a list, that stay, such as `owner.id`; by default all.',
      ),
    schema: z
      .string()
      .max(200)
      .optional()
      .describe(
        "Reference to the schema of the record, or of the items of a list, in the description, such as '#/components/schemas/Task', where the operation is described with less.",
      ),
    pointer: jsonPointer.optional().describe('Position of the record in the response; by default the whole.'),
    items: jsonPointer
      .optional()
      .describe('Position of the items in the response, for a list whose form does not tell.'),
    total: jsonPointer.optional().describe('Position of the number of matches over all pages.'),
    paging: paging.optional().describe('How the vendor pages the list, where its form does not tell.'),
    response: responseMapping
      .optional()
      .describe('Replaces the mapping of the response; needs `outputSchema`.'),
    outputSchema: toolShape.inputSchema
      .removeDefault()
      .optional()
      .describe('Replaces the schema of the output.'),
    scopes: toolShape.scopes
      .unwrap()
      .optional()
      .describe(
        "OAuth scopes that the tool needs, where the vendor's have changed; by default the described ones.",
      ),
    retryClass: toolShape.retryClass
      .optional()
      .describe('By default readOnly for GET, idempotent for PUT and DELETE, otherwise unsafe.'),
    isDestructive: z.boolean().optional().describe('By default true for DELETE.'),
  })
  .describe('One tool made of an operation of the description in `source`.');

/** The location of a vendor's API description. */
export type ImportSource = z.output<typeof importSource>;
/** Our curation of an operation in a vendor description. */
export type ImportedOperation = z.output<typeof importedOperation>;
