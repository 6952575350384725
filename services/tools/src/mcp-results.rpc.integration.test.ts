import { ToolError } from '@fairlead/connector-runtime/testing/asking-mcp-server';
import type { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { RpcClient } from '@fairlead/service-kit/rpc/client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUpstreamTools, TOKEN } from './testing/upstream-tools.ts';
import type { UpstreamTools } from './testing/upstream-tools.ts';

const ctx = testContext({ accountId: 'mine' });
let started: UpstreamTools;
let client: RpcClient<typeof ExecutionService>;

/** Tools of the upstream server, named by their results. */
const TOOLS = {
  plain: async () => ({ content: [] }),
  show: async () => ({
    content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png', own: `of ${TOKEN}` },
      { type: 'new', a: 1 },
    ],
    structuredContent: { count: 1 },
    _meta: { 'example.com/a': 1 },
  }),
  fail: async () => ({ content: [{ type: 'text', text: `no ${TOKEN}` }], isError: true, _meta: { b: 2 } }),
  demand: async () => {
    throw new ToolError(-32_042, `visit ${TOKEN}`, {
      elicitations: [{ url: 'https://example.com', elicitationId: '1' }],
    });
  },
  refuse: async () => {
    throw new ToolError(-32_602, 'wrong arguments');
  },
} satisfies Parameters<typeof startUpstreamTools>[0]['tools'];

beforeAll(async () => {
  started = await startUpstreamTools({ tools: TOOLS, connectionIds: [7], replicas: 1 });
  const [first] = started.replicas;
  if (first === undefined) throw new Error('A replica was started.');
  client = first;
});
afterAll(() => started.close());

const parsed = (bytes: Uint8Array | undefined): unknown => new LazyJson(bytes ?? new Uint8Array()).parse();

test('a caller that takes it gets the result of the server as it was sent, masked; the history has the output', async () => {
  const call = { toolSlug: 'show', fieldsJson: {}, mcpServerName: 'Support' };
  const result = await client.executeTool(ctx, { ...call, takesMcpResult: true });
  expect(result).toMatchObject({ isSuccess: true, isMcpResult: true });
  expect(parsed(result.outputJson)).toEqual({
    content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png', own: 'of ***' },
      { type: 'new', a: 1 },
    ],
    structuredContent: { count: 1 },
    _meta: { 'example.com/a': 1 },
  });
  const { execution } = await client.getExecution(ctx, { historyId: result.historyId ?? 0n });
  expect(parsed(execution?.outputJson)).toEqual({ count: 1 });
  const rest = await client.executeTool(ctx, { toolSlug: 'plain', fieldsJson: {} });
  expect(rest).toMatchObject({ isSuccess: true, isMcpResult: false });
  expect(parsed(rest.outputJson)).toEqual({ content: [] });
});

test('a result that says that the tool failed is returned too, and is a failure in the history', async () => {
  const call = { toolSlug: 'fail', fieldsJson: {}, mcpServerName: 'Support' };
  const result = await client.executeTool(ctx, { ...call, takesMcpResult: true });
  expect(result).toMatchObject({ isSuccess: false, isMcpResult: true, errorMessage: 'no ***' });
  expect(parsed(result.outputJson)).toEqual({
    content: [{ type: 'text', text: 'no ***' }],
    isError: true,
    _meta: { b: 2 },
  });
  const { execution } = await client.getExecution(ctx, { historyId: result.historyId ?? 0n });
  expect(execution).toMatchObject({ isSuccess: false, errorMessage: 'no ***' });
});

test('an error of the server that is for the client is returned as it is, any other as the text of a failure', async () => {
  const call = { fieldsJson: {}, mcpServerName: 'Support', takesMcpResult: true };
  const demanded = await client.executeTool(ctx, { ...call, toolSlug: 'demand' });
  expect(parsed(demanded.mcpErrorJson)).toEqual({
    code: -32_042,
    message: 'visit ***',
    data: { elicitations: [{ url: 'https://example.com', elicitationId: '1' }] },
  });
  expect(demanded).toMatchObject({ isSuccess: false, isMcpResult: false });
  const refused = await client.executeTool(ctx, { ...call, toolSlug: 'refuse' });
  expect(refused).toMatchObject({
    isSuccess: false,
    isMcpResult: false,
    errorMessage: 'The MCP server returned an error: wrong arguments',
  });
  expect(refused.mcpErrorJson).toHaveLength(0);
});
