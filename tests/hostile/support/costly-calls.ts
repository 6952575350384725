import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { COSTLY_RESPONSES } from '@fairlead/egress/testing/costly-responses';
import type { DevStack } from '../../setup/dev-stack.ts';
import { createAttacker } from './attacker.ts';
import { dearHookBodies, dearResponses, dearTools, dearValues } from './dear-values.ts';
import { openDearVendor } from './dear-vendor.ts';
import { openToolServers } from './tool-servers.ts';

/** A call with a costly body. */
interface CostlyCall {
  readonly name: string;
  /** Prepares the next call, which returns status and error code. */
  readonly prepare: () => () => Promise<string>;
}

/** A route that accepts JSON from callers, and a body with the given value. */
type BodyOf = readonly [name: string, path: string, body: (value: string) => string];

const FLAGGED: JsonObject = { additionalProperties: { writeOnly: true } };
const CHECKED: JsonObject = { additionalProperties: { type: 'number' } };

/** A schema with one member, which has these members and items. */
function schemaOf(part: JsonObject): JsonObject {
  return { type: 'object', properties: { a: { ...part, items: part } } };
}

const asObject = (value: string): string => (value.startsWith('{') ? value : `{"x":${value}}`);

/**
 * Calls with the costliest values, as the stack's first account: to each route that accepts any JSON, to vendors that return them, to
 * inbound addresses; and readings of such MCP servers' tools.
 */
export async function openCostlyCalls(
  stack: DevStack,
): Promise<{ readonly calls: readonly CostlyCall[]; close(): Promise<void> }> {
  const attacker = createAttacker(stack);
  const servers = openToolServers();
  const vendor = await openDearVendor();
  const connectTo = (baseUrl: string): Promise<number> =>
    attacker.connect({
      connection: { applicationSlug: 'http', authenticationId: 1, fields: { baseUrl, apiKey: 'k' } },
    });
  const http = await connectTo(vendor.url);
  const socket = await connectTo(vendor.socketUrl);
  const toolOf = async (inputSchema: JsonObject): Promise<string> => {
    const id = await attacker.connect({ connection: await servers.serve([{ name: 'do', inputSchema }]) });
    return `/v1/tools/do/execute?connectionId=${id}`;
  };
  const send = `/v1/tools/http-send-request/execute?connectionId=${http}`;
  const bodies: readonly BodyOf[] = [
    ['http-send-request', send, (value) => `{"fields":{"url":"/","method":"POST","body":${value}}}`],
    ['dry run', `${send}&dryRun=true`, (value) => `{"fields":{"url":"/","method":"POST","body":${value}}}`],
    ['unknown member', send, (value) => `{"fields":{"url":"/"},"x":${value}}`],
    [
      'filters',
      send,
      (value) => `{"fields":{"url":"/"},"filters":[{"field":"a","operator":"eq","value":${value}}]}`,
    ],
    ['request', `/v1/connections/${http}/request`, (value) => `{"path":"/","method":"POST","body":${value}}`],
    ['checked tool', await toolOf(schemaOf(CHECKED)), (value) => `{"fields":{"a":${value}}}`],
    ['flagged tool', await toolOf(schemaOf(FLAGGED)), (value) => `{"fields":{"a":${value}}}`],
    [
      'workflow',
      '/v1/workflows',
      (value) =>
        `{"name":"w","slug":"w-x","inputSchema":{},"steps":[{"id":"a","toolSlug":"do"}],"output":${value}}`,
    ],
    [
      'connection',
      '/v1/connections',
      (value) =>
        `{"connectionName":"c","applicationSlug":"http","authenticationId":1,"fields":{"x":${value}}}`,
    ],
    [
      'trigger',
      '/v1/triggers',
      (value) => `{"name":"t","triggerTypeSlug":"http_webhook","configuration":${asObject(value)}}`,
    ],
    [
      'toolset',
      '/v1/toolsets',
      (value) => `{"name":"t","connections":[],"policy":{"fixedFields":{"x":${asObject(value)}}}}`,
    ],
    [
      'destination',
      '/v1/triggers/destinations',
      (value) => `{"url":"https://example.com/","headers":${asObject(value)}}`,
    ],
    ['whole body', '/v1/connections', asObject],
  ];
  const calls: CostlyCall[] = bodies.flatMap(([route, path, bodyOf]) =>
    dearValues().map(({ name, create }) => ({
      name: `${route}: ${name}`,
      prepare: () => callOf(stack, path, bodyOf(create())),
    })),
  );
  const hook = await attacker.openHook();
  calls.push(
    ...dearHookBodies().map(({ name, create }) => ({
      name: `hook: ${name}`,
      prepare: () => callOf(stack, hook, create()),
    })),
    ...dearResponses().map(({ name, create }) => ({
      name: `response: ${name}`,
      prepare: () => {
        vendor.respondWith(create());
        return callOf(stack, `/v1/connections/${http}/request`, '{"path":"/dear","method":"GET"}');
      },
    })),
    ...COSTLY_RESPONSES.map(([name, , answer]) => ({
      name: `response: ${name}`,
      prepare: () => {
        vendor.writeWith(answer);
        return callOf(stack, `/v1/connections/${socket}/request`, '{"path":"/","method":"GET"}');
      },
    })),
    ...dearTools().map(({ name, create }) => ({
      name: `MCP server: ${name}`,
      prepare: () => async () => {
        const connection = await servers.serve(create());
        const body = JSON.stringify({ connectionName: `Hostile ${randomUUID()}`, ...connection });
        return callOf(stack, '/v1/connections', body)();
      },
    })),
  );
  return {
    calls,
    async close() {
      await servers.close();
      await vendor.close();
    },
  };
}

function callOf({ baseUrl, account }: DevStack, path: string, body: string): () => Promise<string> {
  const headers = { 'x-api-key': account.apiKey, 'content-type': 'application/json' };
  return async () => {
    const response = await fetch(new URL(path, baseUrl), { method: 'POST', headers, body });
    const [, code = ''] = /"errorCode":"([A-Z_]+)"/.exec(await response.text()) ?? [];
    return `${response.status} ${code}`.trim();
  };
}
