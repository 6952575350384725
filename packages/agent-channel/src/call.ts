import { checkJson, createConnectorDecoder } from '@fairlead/connector-model/codec';
import { FILTER_OPERATORS, SORT_DIRECTIONS } from '@fairlead/connector-model/enumerations';
import { toolDefinitionSchema } from '@fairlead/connector-model/schema/connector';
import { pollRecipe, webhookRecipe } from '@fairlead/connector-model/schema/trigger-recipes';
import type { VendorCall } from '@fairlead/connector-runtime/call';
import type { TriggerExecution } from '@fairlead/connector-runtime/triggers/trigger-tool';
import { isJson } from '@fairlead/service-kit/json/is-json';
import { objectOfMembers } from '@fairlead/service-kit/json/json-members';
import { objectSlices } from '@fairlead/service-kit/json/json-slices';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { z } from 'zod';

/** A call without its credential, which the agent takes from a profile of its own. */
export type AgentCall = Omit<VendorCall, 'credential'>;

/** Encodes a call as JSON. Throws for a request to an MCP server, which agents do not send. */
export function encodeCall({
  connector,
  method,
  tool,
  fields,
  filters,
  sorts,
  top,
  offset,
}: AgentCall): Buffer {
  const shared = {
    authenticationId: method.authenticationId,
    // The caller may pass a whole connector, whose tools and trigger types the agent does not need.
    connector: { ...connector, tools: undefined, triggerTypes: undefined },
    fields,
    filters,
    sorts,
    top,
    offset,
  };
  if ('trigger' in tool) return jsonBytes({ ...shared, trigger: tool });
  if ('mcpRequest' in tool) throw new Error('A request to an MCP server is no call of an agent.');
  if (tool.execution.type === 'passthrough') {
    const { execution: _execution, ...passthrough } = tool;
    return jsonBytes({ ...shared, passthrough });
  }
  return jsonBytes({ ...shared, tool });
}

const timestamp = z.iso.datetime().transform((text) => new Date(text));

const triggerExecution: z.ZodType<TriggerExecution> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('seed'), recipe: pollRecipe, now: timestamp }),
  z.object({
    type: z.literal('poll'),
    recipe: pollRecipe,
    now: timestamp,
    cursor: z.object({ since: z.string().nullable(), known: z.array(z.string()) }),
  }),
  z.object({
    type: z.literal('registerWebhook'),
    recipe: webhookRecipe,
    url: z.string(),
    secret: z.string(),
  }),
  z.object({ type: z.literal('findWebhooks'), recipe: webhookRecipe, url: z.string() }),
  z.object({ type: z.literal('removeWebhook'), recipe: webhookRecipe, id: z.string() }),
]);

const { toolSlug, retryClass } = toolDefinitionSchema.shape;
const triggerTool = z.object({ toolSlug, retryClass, trigger: triggerExecution });
const passthroughTool = toolDefinitionSchema.omit({ execution: true });

const rest = z.object({
  authenticationId: z.int(),
  filters: z.array(z.object({ field: z.string(), operator: z.enum(FILTER_OPERATORS), value: z.json() })),
  sorts: z.array(z.object({ field: z.string(), direction: z.enum(SORT_DIRECTIONS) })),
  top: z.int().optional(),
  offset: z.int().optional(),
});

/** Creates the decoder for encodeCall. It caches definitions, and throws for a call that this release cannot read. */
export function createCallDecoder(): (bytes: Uint8Array) => AgentCall {
  const decoder = createConnectorDecoder();
  return (bytes) => {
    const members = (isJson(bytes) ? objectSlices(bytes) : undefined) ?? new Map<string, Uint8Array>();
    const memberOf = (name: string): Uint8Array => {
      const member = members.get(name);
      if (member === undefined) throw new Error(`The call has no member ${name}.`);
      return member;
    };
    const valueOf = (name: string): unknown => JSON.parse(Buffer.from(memberOf(name)).toString());
    const others = [...members.keys()].filter((name) => name in rest.shape);
    const { authenticationId, ...same } = checkJson(
      rest,
      Object.fromEntries(others.map((name) => [name, valueOf(name)] as const)),
    );
    const connector = decoder.head(memberOf('connector'));
    const method = connector.authenticationMethods.find((it) => it.authenticationId === authenticationId);
    if (method === undefined) throw new Error('The method of the call is not one of its connector.');
    return { connector, method, tool: toolOf(), fields: fieldsOf(), ...same };

    function toolOf(): AgentCall['tool'] {
      if (members.has('trigger')) return checkJson(triggerTool, valueOf('trigger'));
      if (members.has('passthrough'))
        return {
          ...checkJson(passthroughTool, valueOf('passthrough')),
          execution: { type: 'passthrough' },
        };
      return decoder.tool(memberOf('tool'));
    }

    function fieldsOf(): AgentCall['fields'] {
      const slices = objectSlices(memberOf('fields'));
      if (slices === undefined) throw new Error('The fields of the call are no object.');
      return objectOfMembers(Object.fromEntries(slices), 'fields');
    }
  };
}
