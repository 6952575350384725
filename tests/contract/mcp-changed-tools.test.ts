import type { JsonObject } from '@fairlead/connector-model/json';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { get, patch, post } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { startToolServer } from './support/tool-server.ts';
import type { ToolServer } from './support/tool-server.ts';

const TEXT = { type: 'string' };

/** A tool of an MCP server, with input `id`. */
const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: `About ${name}.`,
  inputSchema: { type: 'object', properties: { id: TEXT } },
  ...more,
});

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const upstreams: ToolServer[] = [];
afterAll(() => Promise.all(upstreams.map((server) => server.close())));

/** Our MCP server for a connection to an MCP server with these tools. */
async function serve(...tools: readonly JsonObject[]) {
  const upstream = await startToolServer(account, tools);
  upstreams.push(upstream);
  const { connectionId, applicationSlug } = upstream;
  const made = await post(
    '/admin/v1/mcpservers',
    { name: 'Held', connections: [{ connectionId }], holdChangedTools: true },
    account,
  );
  const { mcpServerToken, url } = expectStatus(made, 201).body;
  const path = `/v1/mcpservers/${mcpServerToken}`;
  const send = async (method: string, params: JsonObject = {}): Promise<any> => {
    const message = { jsonrpc: '2.0', id: 1, method, params };
    return expectStatus(await post(url, message, account), 200).body;
  };
  return {
    upstream,
    listed: async (): Promise<readonly string[]> =>
      (await send('tools/list')).result.tools.map((it: { readonly name: string }) => it.name),
    execute: (name: string) => send('tools/call', { name, arguments: { id: '1' } }),
    /** The record's held tools; each belongs to the connection's application, and has a time. */
    changed: async (): Promise<readonly string[]> => {
      const { changedTools } = expectStatus(await get(path, account), 200).body;
      return changedTools.map((it: any) => {
        expect(it).toEqual({ toolSlug: it.toolSlug, applicationSlug, changedAt: expect.any(String) });
        expect(Date.parse(it.changedAt)).toBeGreaterThan(0);
        return it.toolSlug;
      });
    },
    accept: async () =>
      expectStatus(
        await post(`/admin/v1/mcpservers/${mcpServerToken}/accept-changes`, undefined, account),
        200,
      ).body,
    change: async (members: object) => expectStatus(await patch(path, members, account), 200).body,
    read: async () => expectStatus(await get(path, account), 200).body,
  };
}

/** The tool `send` after a change of the given member, under its new name if that changed. */
const CHANGES: readonly (readonly [string, string, JsonObject])[] = [
  ['description', 'send', { description: 'Sends everything.' }],
  ['schema', 'send', { inputSchema: { type: 'object', properties: { id: TEXT, copyTo: TEXT } } }],
  ['name', 'Send', { description: 'About send.' }],
];

describe('holdChangedTools of an MCP server', () => {
  row(
    ['completion.mcp-servers.26', 'completion.mcp-servers.27'],
    'a tool whose name, description or schema has changed is neither listed nor called until the change is accepted',
    async () => {
      for (const [what, name, members] of CHANGES) {
        const server = await serve(tool('send'), tool('list'));
        expect(await server.listed(), what).toEqual(['list', 'send']);
        expect(await server.changed()).toEqual([]);
        await server.upstream.setTools([tool(name, members), tool('list')]);
        await expect.poll(server.listed, { message: what }).toEqual(['list']);
        const refused = await server.execute(name);
        expect(refused.result.isError).toBe(true);
        expect(refused.result.content[0].text).toMatch(/^FORBIDDEN: .*it has changed/);
        expect(server.upstream.calls).toEqual([]);
        expect((await server.execute('list')).result.isError).toBeUndefined();
        const before = await server.read();
        expect(await server.changed()).toEqual(['send']);
        expect((await server.read()).changedTools).toEqual(before.changedTools);
        expect(await server.accept()).toEqual({ ...before, changedTools: [] });
        await expect.poll(server.listed).toEqual([name, 'list'].toSorted());
        expect((await server.execute(name)).result.isError).toBeUndefined();
        expect(await server.changed()).toEqual([]);
        expect(server.upstream.calls.map((it) => it.name)).toEqual(['list', name]);
      }
    },
  );

  row(
    'completion.mcp-servers.26',
    'the record shows a change that no client has seen; tools that are new or as they were are served',
    async () => {
      const server = await serve(tool('send'));
      expect(await server.listed()).toEqual(['send']);
      await server.upstream.setTools([tool('send', { description: 'Other.' }), tool('new')]);
      expect(await server.changed()).toEqual(['send']);
      await expect.poll(server.listed).toEqual(['new']);
      await server.upstream.setTools([tool('send'), tool('new')]);
      await expect.poll(server.listed).toEqual(['new', 'send']);
      expect(await server.changed()).toEqual([]);
      // Removing and re-adding a tool does not circumvent the check.
      await server.upstream.setTools([tool('new')]);
      await expect.poll(server.listed).toEqual(['new']);
      await server.upstream.setTools([tool('send', { description: 'Other.' }), tool('new')]);
      await expect.poll(server.changed).toEqual(['send']);
      await expect.poll(server.listed).toEqual(['new']);
    },
  );

  row(
    'completion.mcp-servers.26',
    'without the setting tools are served as they change; with it again, the next list counts',
    async () => {
      const server = await serve(tool('send'));
      await server.listed();
      await server.upstream.setTools([tool('send', { description: 'Other.' })]);
      await expect.poll(server.listed).toEqual([]);
      expect(await server.change({ holdChangedTools: false })).toMatchObject({
        holdChangedTools: false,
        changedTools: [],
      });
      await expect.poll(server.listed).toEqual(['send']);
      expect(await server.change({ holdChangedTools: true })).toMatchObject({ holdChangedTools: true });
      expect(await server.listed()).toEqual(['send']);
      expect(await server.changed()).toEqual([]);
    },
  );
});
