import { AccountDataService } from '@fairlead/contracts/common/v1/account_data_service_pb';
import { ToolService } from '@fairlead/contracts/catalog/v1/tool_service_pb';
import { CredentialService } from '@fairlead/contracts/connections/v1/credential_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { EntryIdentity } from '@fairlead/contracts/mcp/v1/mcp_server_pb';
import { McpServerService } from '@fairlead/contracts/mcp/v1/mcp_server_service_pb';
import { ExecutionService } from '@fairlead/contracts/tools/v1/execution_service_pb';
import type { ExecuteToolRequest } from '@fairlead/contracts/tools/v1/execution_service_pb';
import { ToolsetService } from '@fairlead/contracts/tools/v1/toolset_service_pb';
import { WorkflowService } from '@fairlead/contracts/tools/v1/workflow_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { exportAll } from '@fairlead/service-kit/testing/account-data';
import { confinedContext, testContext } from '@fairlead/service-kit/testing/context';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { tokenHashOf } from './domain/server-token.ts';
import { startMcp } from './testing/start-mcp.ts';
import type { TestMcp } from './testing/start-mcp.ts';

const TOOLSET = '0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4';
/** More than one page of the catalogue, and of the list. */
const TOOL_COUNT = 120;
const ctx = testContext();
const tool = (toolSlug: string, applicationSlug = 'crm') => ({
  toolSlug,
  applicationSlug,
  toolName: toolSlug,
  description: 'Does it.',
  inputSchemaJson: jsonBytes({
    type: 'object',
    properties: { id: { type: 'string' }, secret: { type: 'string' } },
  }),
  outputSchemaJson: jsonBytes({ type: 'object' }),
  effects: { isReadOnly: true, isIdempotent: true, isDestructive: false },
});
const catalogue = Array.from({ length: TOOL_COUNT }, (_tool, at) => tool(`crm-tool-${at + 100}`));

/** The only tool of connection 9's MCP server. */
let upstreamTool = { ...tool('send', 'mcp-9'), upstreamName: 'send' };

let mcp: TestMcp;
let executed: ExecuteToolRequest[] = [];
let refusal: ApiError | undefined;
/** The kinds of callers that requested a list. */
const askers = new Set<string>();

beforeAll(async () => {
  const stores = { mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') };
  mcp = await startMcp(stores, (router) =>
    router
      .service(CredentialService, {
        findConnections: ({ ids }, h) => {
          askers.add(requestContext(h).caller.kind);
          return { connections: ids.map((id) => ({ id, applicationSlug: id === 9 ? 'mcp-9' : 'crm' })) };
        },
      })
      .service(ToolService, {
        listChosenTools({ choice, page }, h) {
          askers.add(requestContext(h).caller.kind);
          const chosen =
            choice.case === 'tools' ? choice.value.tools.map(({ toolSlug }) => toolSlug) : undefined;
          if (choice.case === 'applications' && choice.value.slugs.includes('mcp-9'))
            return { items: [upstreamTool], totalCount: 1 };
          const all = catalogue.filter(({ toolSlug }) => chosen?.includes(toolSlug) ?? true);
          const { offset = 0, top = 100 } = page ?? {};
          return { items: all.slice(offset, offset + top), totalCount: all.length };
        },
      })
      .service(WorkflowService, {
        findWorkflowTools: ({ workflowTokens }) => ({
          items: workflowTokens.map((workflowToken) => ({ workflowToken, tool: tool('flow', 'workflow') })),
        }),
      })
      .service(ToolsetService, {
        getToolset({ id }) {
          if (id !== TOOLSET) throw notFound('toolset');
          return { toolset: { id, connectionIds: [7] } };
        },
        listToolsetTools: () => ({
          items: [
            { ...tool('crm-tool-100'), inputSchemaJson: jsonBytes({ type: 'object', properties: {} }) },
          ],
          totalCount: 1,
        }),
      })
      .service(ExecutionService, {
        executeTool(request) {
          if (refusal !== undefined) throw refusal;
          executed.push(request);
          return { isSuccess: true, outputJson: Buffer.from('{"id":12345678901234567890}') };
        },
      }),
  );
});
afterAll(() => mcp.close());
beforeEach(() => {
  executed = [];
  refusal = undefined;
});

async function createServer(o: Parameters<ReturnType<typeof servers>['createMcpServer']>[1], as = ctx) {
  const created = await servers().createMcpServer(as, { name: 'Support', ...o });
  if (created.server === undefined) throw new Error('no server');
  return created.server;
}
const servers = () => mcp.client(McpServerService);

async function send(
  serverId: string,
  method: string,
  params: object = {},
  as: RequestContext = ctx,
  headers = {},
) {
  const body = jsonBytes({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await mcp.client(EndpointService).handleMessage(as, { serverId, body, ...headers });
  const text = Buffer.from(answer.body).toString();
  const json = JSON.parse(text) as { result?: Record<string, unknown>; error?: { code: number } };
  return { status: answer.httpStatus, text, ...json };
}

async function listNames(serverId: string, as: RequestContext = ctx): Promise<readonly string[]> {
  const names: string[] = [];
  for (let cursor: unknown, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { result } = await send(serverId, 'tools/list', cursor === undefined ? {} : { cursor }, as);
    const tools = (result?.['tools'] ?? []) as { name: string }[];
    names.push(...tools.map(({ name }) => name));
    cursor = result?.['nextCursor'];
  }
  return names;
}

test('all tools of a connection and a workflow are listed in pages, and no user’s rights are used for it', async () => {
  const { id } = await createServer({ connections: [{ connectionId: 7 }], workflowTokens: ['wf_1'] });
  askers.clear();
  const names = await listNames(id);
  expect(names).toEqual([...catalogue.map(({ toolSlug }) => toolSlug), 'flow']);
  expect([...askers]).toEqual(['serviceForAccount']);
});

test('a call reaches the tools service with server, connection and arguments; its output comes back as it was', async () => {
  const { id } = await createServer({ connections: [{ connectionId: 7 }], workflowTokens: ['wf_1'] });
  const called = await send(id, 'tools/call', { name: 'crm-tool-105', arguments: { id: 'a' } });
  expect(called.text).toContain('"structuredContent":{"id":12345678901234567890}');
  await send(id, 'tools/call', { name: 'flow' });
  expect(executed).toMatchObject([
    { toolSlug: 'crm-tool-105', connectionId: 7, mcpServerName: 'Support', takesMcpResult: true },
    { workflowToken: 'wf_1', toolSlug: '', mcpServerName: 'Support' },
  ]);
  expect(Buffer.from(executed[0]?.fieldsJson['id'] ?? []).toString()).toBe('"a"');
  expect([executed[0]?.endUserId, executed[0]?.toolsetId]).toEqual([undefined, undefined]);
});

test('with identity user, the tools service chooses among the connections of the calling user', async () => {
  const connections = [{ connectionId: 7, identity: EntryIdentity.USER }];
  const { id } = await createServer({ connections });
  const user = testContext({ accountId: accountId(ctx), userId: 'u1' });
  await send(id, 'tools/call', { name: 'crm-tool-105' }, user);
  expect(executed).toMatchObject([{ applicationSlug: 'crm', endUserId: 'user:u1' }]);
  expect(executed[0]?.connectionId).toBeUndefined();
});

test('a server with a toolset lists what it permits, without the fixed inputs, and calls with it', async () => {
  const settings = { toolsetId: TOOLSET };
  const { id } = await createServer({ connections: [{ connectionId: 7 }, { connectionId: 8 }], settings });
  const { result } = await send(id, 'tools/list');
  expect(result?.['tools']).toMatchObject([{ name: 'crm-tool-100', inputSchema: { properties: {} } }]);
  await send(id, 'tools/call', { name: 'crm-tool-100' });
  expect(executed).toMatchObject([{ toolsetId: TOOLSET, connectionId: 7 }]);
  expect((await send(id, 'tools/call', { name: 'crm-tool-101' })).error?.code).toBe(-32_602);
});

test('a confined key sees and calls what its toolset permits, and no server with another toolset', async () => {
  const confined = confinedContext({ toolsetId: TOOLSET, keyId: 'key_1' }, accountId(ctx));
  const { id } = await createServer({ connections: [{ connectionId: 7 }] });
  expect(await listNames(id, confined)).toEqual(['crm-tool-100']);
  await send(id, 'tools/call', { name: 'crm-tool-100' }, confined);
  expect(executed).toMatchObject([{ toolsetId: TOOLSET }]);
  expect(await listNames(id)).toHaveLength(TOOL_COUNT);
});

test('a client without a credential reaches the server that admits it, and no other', async () => {
  const open = await createServer({ connections: [{ connectionId: 7 }], isAnonymousAllowed: true });
  const closed = await createServer({});
  const anonymous = (serverId: string) =>
    testContext({ caller: { kind: 'anonymousClient', accountId: accountId(ctx), serverId } });
  expect(await send(open.id, 'tools/call', { name: 'crm-tool-100' }, anonymous(open.id))).toMatchObject({
    status: 200,
  });
  expect(executed).toMatchObject([{ toolSlug: 'crm-tool-100', connectionId: 7 }]);
  for (const [id, as] of [
    [closed.id, anonymous(closed.id)],
    [open.id, anonymous(closed.id)],
  ] as const)
    await expect(send(id, 'tools/list', {}, as)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('changes of a server hold for the next request once they are announced', async () => {
  const { id, token } = await createServer({
    connections: [{ connectionId: 7, tools: { slugs: ['crm-tool-100'] } }],
  });
  const tokenHash = tokenHashOf(token);
  expect(await listNames(id)).toEqual(['crm-tool-100']);
  await servers().updateMcpServer(ctx, {
    tokenHash,
    connections: { items: [{ connectionId: 8 }] },
    name: 'New',
  });
  await expect.poll(() => listNames(id)).toHaveLength(TOOL_COUNT);
  expect((await send(id, 'initialize', { protocolVersion: '2025-11-25' })).result).toMatchObject({
    serverInfo: { name: 'New' },
  });
  await servers().updateMcpServer(ctx, { tokenHash, isActive: false });
  const refused = () => send(id, 'tools/list').catch((error: unknown) => error);
  await expect.poll(refused).toMatchObject({ code: 'NOT_FOUND' });
});

test('a tool that changed upstream is held and recorded until its change is accepted', async () => {
  const { id, token } = await createServer({
    connections: [{ connectionId: 9 }],
    settings: { holdChangedTools: true },
  });
  const tokenHash = tokenHashOf(token);
  const changed = async () => (await servers().getMcpServer(ctx, { tokenHash })).server?.changedTools;
  expect([await listNames(id), await changed()]).toEqual([['send'], []]);
  upstreamTool = { ...upstreamTool, description: 'Does something else.' };
  await expect.poll(changed).toMatchObject([{ tool: { applicationSlug: 'mcp-9', toolSlug: 'send' } }]);
  await expect.poll(() => listNames(id)).toEqual([]);
  const refused = await send(id, 'tools/call', { name: 'send' });
  expect(refused.result).toMatchObject({ isError: true });
  expect(refused.text).toContain('it has changed');
  expect(executed).toEqual([]);
  await expect(servers().acceptChanges(testContext(), { tokenHash })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  expect((await servers().acceptChanges(ctx, { tokenHash })).server?.changedTools).toEqual([]);
  await expect.poll(() => listNames(id)).toEqual(['send']);
  await send(id, 'tools/call', { name: 'send' });
  expect(executed).toMatchObject([{ toolSlug: 'send', connectionId: 9 }]);
  const data = mcp.client(AccountDataService);
  const exported = await exportAll(data, accountId(ctx));
  expect(exported['servedDefinitions']).toMatchObject([
    { serverId: id, applicationSlug: 'mcp-9', toolSlug: 'send', definition: { upstreamName: 'send' } },
  ]);
  await servers().deleteMcpServer(ctx, { tokenHash });
  expect((await exportAll(data, accountId(ctx)))['servedDefinitions']).toEqual([]);
});

test('refusals of the tools service are errors of the tool; a server of another account is not found', async () => {
  const { id } = await createServer({ connections: [{ connectionId: 7 }] });
  refusal = new ApiError('APPROVAL_REQUIRED', 'The call has to be approved.', { approvalId: 'ap-1' });
  const held = await send(id, 'tools/call', { name: 'crm-tool-100' });
  expect(held.result).toMatchObject({ isError: true });
  for (const part of ['APPROVAL_REQUIRED', 'ap-1']) expect(held.text).toContain(part);
  refusal = new ApiError('RATE_LIMIT_EXCEEDED', 'Too many.', { retryAfterSeconds: 3 });
  expect(await send(id, 'tools/call', { name: 'crm-tool-100' })).toMatchObject({ error: { code: -32_603 } });
  await expect(send(id, 'tools/list', {}, testContext())).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('headers reach the endpoint', async () => {
  const { id } = await createServer({});
  const answer = await send(id, 'tools/list', {}, ctx, { protocolVersion: '2025-01-01' });
  expect(answer).toMatchObject({ status: 400, error: { code: -32_000 } });
});

function accountId({ caller }: RequestContext): string {
  if (caller.kind !== 'user') throw new Error('no user');
  return caller.accountId;
}
