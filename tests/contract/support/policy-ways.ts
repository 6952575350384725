import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { startVendor } from '../../faults/support/vendor.ts';
import type { RecordingVendor } from '../../faults/support/vendor.ts';
import { createApiKey, expectStatus } from './accounts.ts';
import { expectList, get, patch, post } from './api.ts';
import type { Answer } from './api.ts';
import { createConnection } from './connections.ts';
import { importForEndUser } from './end-users.ts';
import type { TestAccount } from './own-accounts.ts';
import { startToolServer } from './tool-server.ts';
import { waitingCalls } from './waiting-calls.ts';

/** Default of CONNECTION_CONCURRENCY, in effect with one replica of tools. */
const PER_CONNECTION = 20;

/** A policy for one tool. Each access path inserts its own slug and value. */
export type PolicyOf = (slug: string, fixed: Readonly<Record<string, string>>) => object;

/** A toolset with a policy, and calls that reach one of its tools by one access path. */
interface HeldTool {
  /** Makes the call; equal calls are equal in everything. */
  call(query?: Readonly<Record<string, string>>): Promise<Answer>;
  /** How often the tool has taken effect at its vendor. */
  effects(): Promise<number>;
  /** How often it did so with the policy's fixed value. */
  fixedEffects(): Promise<number>;
}

/** An access path to a tool. */
export interface Way {
  readonly name: string;
  /** Whether the tool is called by a workflow's step, which fails where another call is refused. */
  readonly isStep?: boolean;
  hold(policyOf: PolicyOf): Promise<HeldTool>;
}

const NOTE = 'key-crm-save-note';
const FIXED = { tag: 'fixed' } as const;
const HELD = 'The tool that the policy holds.';

/** The access paths of an account to a tool, with vendors that record effects. */
export async function openWays(
  account: TestAccount,
): Promise<{ readonly ways: Readonly<Record<string, Way>>; close(): Promise<void> }> {
  const vendor = await startVendor();
  const closers: (() => Promise<void> | void)[] = [() => vendor.close()];
  const connect = (address = vendor.url) =>
    createConnection(
      { applicationSlug: 'key-crm', connectionName: 'Notes', fields: { address, apiToken: randomUUID() } },
      account.apiKey,
    );
  const toolset = async (connectionIds: readonly number[], more: object): Promise<string> => {
    const connections = connectionIds.map((connectionId) => ({ connectionId }));
    const body = { name: 'Held', connections, ...more };
    return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
  };
  const execute = (slug: string, query: object, fields: object, caller: { apiKey: string } = account) => {
    const search = new URLSearchParams({ ...query }).toString();
    return post(`/v1/tools/${slug}/execute?${search}`, { fields }, caller);
  };

  /** Notes with this text at the vendor; the text belongs to a single tool. */
  const notes = (text: string, of: RecordingVendor = vendor) => ({
    effects: async () => of.calls.filter((call) => call.includes(`text=${text}`)).length,
    fixedEffects: async () =>
      of.calls.filter((call) => call.includes(`text=${text}`) && call.includes('tag=fixed')).length,
  });

  /** Saves a note with a toolset that has one connection. */
  const byNote = async (
    policyOf: PolicyOf,
    o: {
      readonly query?: (connectionId: number) => Readonly<Record<string, string>>;
      readonly slug?: string;
      readonly policySlug?: string;
      readonly caller?: (toolsetId: string) => Promise<{ apiKey: string }>;
      readonly namesToolset?: boolean;
    } = {},
  ): Promise<HeldTool> => {
    const { query, slug = NOTE, policySlug = NOTE, caller, namesToolset = true } = o;
    const { id } = await connect();
    const toolsetId = await toolset([id], { policy: policyOf(policySlug, FIXED) });
    const text = randomUUID();
    const by = caller === undefined ? account : await caller(toolsetId);
    return {
      ...notes(text),
      call: (more = {}) =>
        execute(
          slug,
          { ...(namesToolset && { toolsetId }), ...query?.(id), ...more },
          { text, tag: 'mine' },
          by,
        ),
    };
  };

  const workflow = async (steps: readonly object[]): Promise<{ slug: string; workflowToken: string }> => {
    const slug = `flow-${randomUUID()}`;
    const { body } = expectStatus(await post('/v1/workflows', { name: 'Flow', slug, steps }, account), 201);
    return { slug, workflowToken: body.workflowToken };
  };

  const byServer = async (policyOf: PolicyOf, isRenamed: boolean): Promise<HeldTool> => {
    const properties = { id: { type: 'string' }, tag: { type: 'string' } };
    const inputSchema = { type: 'object', properties };
    // The server's own claim does not count.
    const annotations = { readOnlyHint: true, idempotentHint: true };
    const held = { name: 'DeleteItem', description: HELD, inputSchema, annotations };
    const server = await startToolServer(account, [held]);
    closers.push(() => server.close());
    const { applicationSlug } = server;
    const slugOfHeld = async (): Promise<string> => {
      const path = `/v1/tools?applicationSlug=${applicationSlug}`;
      const found = expectList(await get(path, account)).items.find((it) => it.description === HELD);
      return found.toolSlug;
    };
    const before = await slugOfHeld();
    const toolsetId = await toolset([server.connectionId], { policy: policyOf(before, FIXED) });
    if (isRenamed) await server.setTools([{ name: before, description: 'Another.', inputSchema }, held]);
    const slug = await slugOfHeld();
    expect(slug === before).toBe(!isRenamed);
    const text = randomUUID();
    const mine = () => server.calls.filter((call) => call.name === 'DeleteItem');
    return {
      call: (query = {}) => execute(slug, { toolsetId, ...query }, { id: text, tag: 'mine' }),
      effects: async () => mine().length,
      fixedEffects: async () => mine().filter((call) => call.arguments['tag'] === 'fixed').length,
    };
  };

  const ways: Readonly<Record<string, Way>> = {
    explicit: {
      name: 'a call that names its connection',
      hold: (policyOf) => byNote(policyOf, { query: (id) => ({ connectionId: String(id) }) }),
    },
    toolset: {
      name: 'a call by the toolset alone',
      hold: (policyOf) => byNote(policyOf),
    },
    endUser: {
      name: 'a call for an end user',
      hold: async (policyOf) => {
        const slug = 'sandbox-crm-create-contact';
        const endUserId = randomUUID();
        const { id } = await importForEndUser(endUserId, account);
        const toolsetId = await toolset([id], { policy: policyOf(slug, { company: 'fixed' }) });
        const email = `${randomUUID()}@example.com`;
        const rows = async () =>
          expectList(await get(`/v1/executions?toolSlug=${slug}&connectionId=${id}`, account)).items;
        return {
          call: (query = {}) =>
            execute(slug, { toolsetId, endUserId, ...query }, { name: 'Ada', email, company: 'Mine' }),
          effects: async () => (await rows()).length,
          fixedEffects: async () => (await rows()).filter((it) => it.output.company === 'fixed').length,
        };
      },
    },
    workflow: {
      name: 'a step of a workflow',
      isStep: true,
      hold: async (policyOf) => {
        const { id } = await connect();
        const text = randomUUID();
        const { slug, workflowToken } = await workflow([
          { id: 'save', toolSlug: NOTE, fields: { text, tag: 'mine' } },
        ]);
        const more = { workflows: [{ workflowToken }], policy: policyOf(NOTE, FIXED) };
        const toolsetId = await toolset([id], more);
        return { ...notes(text), call: (query = {}) => execute(slug, { toolsetId, ...query }, {}) };
      },
    },
    server: {
      name: 'a tool of an MCP server that calls it read-only',
      hold: (policyOf) => byServer(policyOf, false),
    },
    renamed: {
      name: 'a tool whose MCP server moved its slug to another one',
      hold: (policyOf) => byServer(policyOf, true),
    },
    alias: {
      name: 'a call by an alias',
      hold: (policyOf) => byNote(policyOf, { slug: 'key-crm-write-note' }),
    },
    policyAlias: {
      name: 'a policy that names the tool by an alias',
      hold: (policyOf) => byNote(policyOf, { policySlug: 'key-crm-write-note' }),
    },
    restrictedKey: {
      name: 'a key that is restricted to the toolset',
      hold: (policyOf) =>
        byNote(policyOf, {
          namesToolset: false,
          caller: (toolsetId) => createApiKey(account, { toolsetId }),
        }),
    },
    waited: {
      name: 'a call that waited for a slot while the policy came',
      hold: async (policyOf) => {
        const busy = await startVendor();
        closers.push(() => busy.close());
        const { id } = await connect(busy.url);
        const toolsetId = await toolset([id], {});
        const text = randomUUID();
        let hasWaited = false;
        return {
          ...notes(text, busy),
          call: async (query = {}) => {
            const note = () => execute(NOTE, { toolsetId, ...query }, { text, tag: 'mine' });
            if (hasWaited) return await note();
            hasWaited = true;
            const atVendor = busy.hold('GET /api/whoami');
            const slow = Array.from({ length: PER_CONNECTION }, () =>
              execute('key-crm-whoami', { connectionId: String(id) }, {}),
            );
            await atVendor;
            await expect.poll(() => busy.calls.length).toBe(PER_CONNECTION);
            const answer = note();
            await expect.poll(() => waitingCalls()).toBeGreaterThan(0);
            const policy = policyOf(NOTE, FIXED);
            expectStatus(await patch(`/v1/toolsets/${toolsetId}`, { policy }, account), 200);
            busy.release();
            await Promise.all(slow);
            return await answer;
          },
        };
      },
    },
  };
  return {
    ways,
    close: async () => {
      for (const close of closers.reverse()) await close();
    },
  };
}
