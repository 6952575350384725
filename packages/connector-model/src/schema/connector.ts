import { z } from 'zod';
import {
  MAX_CONNECTOR_NAME_LENGTH,
  MAX_DESCRIPTION_LENGTH,
  MAX_MCP_TOOL_NAME_LENGTH,
  MAX_TOOLS,
  MAX_TRIGGER_TYPES,
  MAX_VERSION_LENGTH,
} from '../limits.ts';
import { APPLICATION_KINDS } from '../enumerations.ts';
import { authenticationMethod, handlerName } from './authentication.ts';
import { importSource } from './import-source.ts';
import { httpRequestTemplate, jsonPointer, responseMapping } from './request.ts';
import { semanticVersion, toolShape } from './tool.ts';
import { triggerTypeShape } from './trigger-type.ts';

/** An application slug: kebab case, beginning with a letter. */
const applicationSlug = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be kebab case, such as sandbox-crm');

const headerName = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header');

/** A range of whole numbers with its default. */
const settingRange = z.strictObject({
  minimum: z.int().min(0),
  maximum: z.int().nullable().describe('Null: none.'),
  default: z.int(),
});

const successValue = z.union([z.string().max(200), z.number(), z.boolean(), z.null()]);

const successRule = z.strictObject({
  pointer: jsonPointer.describe('Position in the body of the value that says whether the call succeeded.'),
  values: z
    .array(successValue)
    .max(20)
    .default([])
    .describe('The values of a success. None: a success has nothing there, or null, or an empty list.'),
  unauthorized: z
    .strictObject({
      pointer: jsonPointer.describe('Position in the body of the error code.'),
      values: z.array(successValue).min(1).max(50).describe('Codes that refuse the credential itself.'),
    })
    .exactOptional()
    .describe('How such a response refuses the credential, as a 401 does.'),
});

const elementNames = z.array(z.string().min(1).max(100)).max(50).default([]);

/** The common members of manifests and compiled connectors. */
export const headShape = {
  slug: applicationSlug.describe(
    'Public id of the application, and the name of its directory. Its meaning never changes.',
  ),
  name: z.string().min(1).max(100).describe('Name of the application for people.'),
  description: z
    .string()
    .min(1)
    .max(MAX_DESCRIPTION_LENGTH)
    .describe('What the application is and what a connection to it provides.'),
  categories: z
    .array(z.string().min(1).max(100))
    .max(20)
    .default([])
    .describe('Categories, most fitting first.'),
  kind: z
    .enum(APPLICATION_KINDS)
    .default('Regular')
    .describe(
      'Key: every method is an API key. OPA: runs on-prem through an agent. MCPClient: a third-party MCP server.',
    ),
  logoUrl: z
    .string()
    .max(65_536)
    .regex(/^(?:https:\/\/|data:image\/)/, 'must be an https or data:image URL')
    .nullable()
    .default(null)
    .describe('Logo: an https URL or a data:image URL; null: none.'),
  isMcpEnabled: z.boolean().default(true).describe('Whether its tools may be served on MCP servers.'),
  supportsObjectSelection: z
    .boolean()
    .default(false)
    .describe('Whether a connection can be restricted to some objects.'),
  maturity: z
    .enum(['verified', 'generated'])
    .default('verified')
    .describe('verified: curated and tested against a real vendor; generated: everything else.'),
  version: semanticVersion.describe(
    'Grows with every change: semver. Tools have this version unless they state their own.',
  ),
  settings: z
    .array(z.string().regex(/^[a-z][A-Za-z0-9]{0,63}$/, 'must be a name in camel case'))
    .max(20)
    .default([])
    .describe(
      "Names of the operator's settings it needs; while one is missing, the connector is not in the catalogue.",
    ),
  baseUrl: z
    .string()
    .min(1)
    .max(2048)
    .nullable()
    .default(null)
    .describe(
      'Prefix of relative request URLs, unless a method has its own; a template over settings and fields. Null: none.',
    ),
  origins: z
    .array(
      z
        .string()
        .max(300)
        .regex(
          /^(?:https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[0-9]{1,5})?|\{\{setting\.[A-Za-z0-9]+\}\})$/,
          'must be an https origin without a path, or a setting',
        ),
    )
    .max(20)
    .exactOptional()
    .describe(
      'Further origins of the vendor, such as https://uploads.acme.com, to which requests may be sent with the credential.',
    ),
  // Headers; the compile step adds them to the tools' requests.
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "Headers of every HTTP request of the connector; a request's own header of that name takes precedence.",
    ),
  errorMessagePointers: z
    .array(jsonPointer)
    .max(20)
    .default([])
    .describe("Pointers to the vendor's own message in an error response; the first match is used."),
  success: successRule
    .exactOptional()
    .describe('How a 2xx response says that the call failed; by default it never does.'),
  xml: z
    .strictObject({
      lists: elementNames.describe('Elements that are lists, however many there are.'),
      numbers: elementNames.describe('Elements whose text is a whole number.'),
    })
    .exactOptional()
    .describe(
      'How XML responses are read: each element becomes a member of its parent, and its text a string. By default they stay text.',
    ),
  rateLimit: z
    .strictObject({
      remainingHeader: headerName.describe('Header that states how many calls are left.'),
      resetHeader: headerName.describe('Header that states when there are more.'),
      resetUnit: z
        .enum(['epochSeconds', 'epochMilliseconds', 'date', 'seconds', 'milliseconds'])
        .describe('The reset as a time since 1970, as an HTTP or ISO date, or as the time that is left.'),
    })
    .nullable()
    .default(null)
    .describe(
      'Headers in which the vendor states its limits. When no call is left, calls of the connection wait for the reset. A 429 has that effect without them.',
    ),
  throttle: z
    .strictObject({
      pointer: jsonPointer.describe('Position in the body of the error code.'),
      values: z.array(successValue).min(1).max(20).describe('Codes of a refusal for the rate of the calls.'),
    })
    .exactOptional()
    .describe(
      'How a response says that calls came too fast, with whatever status: it has the effect of a 429. By default only a 429 says so.',
    ),
  agentSettings: z
    .strictObject({
      parallelTasks: settingRange.describe('Tasks that an agent runs at the same time.'),
      pullPeriodSeconds: settingRange.describe('The longest wait of a poll of an agent.'),
    })
    .nullable()
    .default(null)
    .describe('Ranges of the settings of its agents, for the kind OPA. Null: those of the platform.'),
  authenticationMethods: z
    .array(authenticationMethod)
    .min(1)
    .max(20)
    .describe('The ways to connect the application; one that needs no credential has a method of type none.'),
};

export const toolExecution = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('http'), request: httpRequestTemplate, response: responseMapping }),
  z.strictObject({ type: z.literal('handler'), handler: handlerName }),
  z.strictObject({
    type: z.literal('mcp'),
    toolName: z.string().min(1).max(MAX_MCP_TOOL_NAME_LENGTH),
    isTask: z.boolean().exactOptional().describe('Whether the server runs the tool only as a task.'),
  }),
  z.strictObject({
    type: z.literal('package'),
    package: importSource.shape.package,
    version: importSource.shape.version,
    action: z.string().min(1).max(200).describe('Name of the action within the package.'),
    isMcp: z
      .boolean()
      .exactOptional()
      .describe('Whether the action is a tool of an MCP server, whose results have content.'),
  }),
]);

/** A tool of a compiled connector. */
export const toolDefinitionSchema = z.strictObject({
  ...toolShape,
  version: z.string().min(1).max(MAX_VERSION_LENGTH),
  execution: toolExecution,
});

/** A trigger type of a compiled connector. */
export const triggerTypeDefinitionSchema = z.strictObject(triggerTypeShape);

/** A compiled connector without its tools and trigger types. */
export const connectorHeadSchema = z.strictObject({
  ...headShape,
  // Without a pattern, because MCP servers choose their own names and version schemes.
  name: z.string().min(1).max(MAX_CONNECTOR_NAME_LENGTH),
  version: z.string().min(1).max(MAX_VERSION_LENGTH),
});

/** The compiled connector as it is sent and stored. */
export const connectorSchema = connectorHeadSchema.extend({
  tools: z.array(toolDefinitionSchema).max(MAX_TOOLS),
  triggerTypes: z.array(triggerTypeDefinitionSchema).max(MAX_TRIGGER_TYPES).default([]),
});
