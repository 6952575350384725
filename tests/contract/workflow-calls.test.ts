import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, get, patch, post, stack } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

const LIST = 'sandbox-crm-list-contacts';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
  // An account's first expression starts its worker, which a busy machine may not do in time (429).
  const create = async () => expectStatus(await post('/v1/workflows', workflow(newSlug()), account), 201);
  await vi.waitFor(create, { timeout: 90_000 });
});
afterAll(() => removeAccount(account));

type Members = Readonly<Record<string, unknown>>;

const newSlug = (): string => `flow-${randomUUID()}`;
const workflow = (slug: string, more: Members = {}): Members => {
  const steps = [{ id: 'who', toolSlug: 'sandbox-crm-whoami' }];
  return { name: 'Flow', slug, steps, output: '=input', ...more };
};

interface WorkflowInToolset {
  readonly slug: string;
  readonly workflowToken: string;
  readonly toolsetId: string;
}

/** A new workflow that returns its inputs, in its own toolset. */
async function holdRun({
  slug = newSlug(),
  policy,
  ...more
}: { slug?: string } & Members = {}): Promise<WorkflowInToolset> {
  const made = await post('/v1/workflows', workflow(slug, more), account);
  const workflowToken = String(expectStatus(made, 201).body.workflowToken);
  const toolset = {
    name: 'Holder',
    connections: [{ connectionId }],
    workflows: [{ workflowToken }],
    ...(policy !== undefined && { policy }),
  };
  const { body } = expectStatus(await post('/v1/toolsets', toolset, account), 201);
  return { slug, workflowToken, toolsetId: String(body.id) };
}

function execute(
  { slug, toolsetId }: WorkflowInToolset,
  fields: Members,
  query: Record<string, string> = {},
) {
  const search = new URLSearchParams({ toolsetId, ...query });
  return post(`/v1/tools/${slug}/execute?${search.toString()}`, { fields }, account);
}

const outputOf = ({ body, text }: Answer): unknown => {
  expect(body, text).toMatchObject({ isSuccess: true });
  return body.output;
};

describe('A call of a workflow', () => {
  row(
    'completion.toolsets-and-workflows.34',
    'finds it in its toolset, whose id may be in either case',
    async () => {
      const { slug, workflowToken, toolsetId } = await holdRun();
      const upper = { slug, workflowToken, toolsetId: toolsetId.toUpperCase() };
      expect(outputOf(await execute(upper, { a: 1 }))).toEqual({ a: 1 });
      const detail = await get(`/v1/tools/${slug}?toolsetId=${upper.toolsetId}`, account);
      expect(expectStatus(detail, 200).body.toolSlug).toBe(slug);
    },
  );

  row(
    'completion.applications-and-tools.63',
    'reads the fields that a model made in the dialect of `schemaProfile`',
    async () => {
      const properties = { a: { type: 'string' }, b: { type: 'string' } };
      const inputSchema = { type: 'object', properties, required: ['a'], additionalProperties: false };
      const flow = await holdRun({ inputSchema });
      const detail = `/v1/tools/${flow.slug}?toolsetId=${flow.toolsetId}&schemaProfile=openai-strict`;
      expect((await get(detail, account)).body.inputSchema.required).toEqual(['a', 'b']);
      const sent = { a: 'x', b: null };
      const ran = await execute(flow, sent, { schemaProfile: 'openai-strict' });
      expect(outputOf(ran)).toEqual({ a: 'x' });
      expectError(await execute(flow, sent), 400, 'VALIDATION_ERROR', ['fields.b']);
    },
  );

  row(
    [
      'completion.toolsets-and-workflows.6',
      'completion.toolsets-and-workflows.13',
      'completion.toolsets-and-workflows.14',
      'completion.toolsets-and-workflows.26',
    ],
    'is held to the policy that names it by a slug that it had when the policy was written',
    async () => {
      const [slug, renamed] = [newSlug(), newSlug()];
      const inputSchema = { type: 'object', properties: { a: {}, b: {} } };
      const policy = { requireApproval: [slug], fixedFields: { [slug]: { a: 'fixed' } } };
      const flow = await holdRun({ slug, policy, inputSchema });
      const rename = { slug: renamed };
      expectStatus(await patch(`/v1/workflows/${flow.workflowToken}`, rename, account), 200);
      const called = { ...flow, slug: renamed };
      expectError(await execute(flow, {}), 404, 'NOT_FOUND');
      const refused = await execute(called, { a: 'mine', b: 1 });
      const { approvalId, ...envelope } = refused.body;
      expectError({ ...refused, body: envelope }, 409, 'APPROVAL_REQUIRED');
      const approved = await post(`/v1/approvals/${approvalId}/approve`, undefined, account);
      expect(approved.body).toMatchObject({ toolSlug: renamed, fields: { a: 'fixed', b: 1 } });
      expect(outputOf(await execute(called, { a: 'mine', b: 1 }, { approvalId }))).toEqual({
        a: 'fixed',
        b: 1,
      });
      const at = `/v1/toolsets/${flow.toolsetId}`;
      const tool = (await get(`${at}/tools`, account)).body.items.find(
        (it: Members) => it['toolSlug'] === renamed,
      );
      expect(tool.inputSchema.properties).toEqual({ b: {} });
      // A record can be written as it was read.
      expectStatus(await patch(at, { policy: (await get(at, account)).body.policy }, account), 200);
    },
  );

  row(
    ['completion.toolsets-and-workflows.37', 'completion.toolsets-and-workflows.13'],
    'is never held to what a policy says of another one: nobody takes a slug that a workflow has had, while it exists',
    async () => {
      const flow = await holdRun();
      const other = await holdRun();
      const rename = ({ workflowToken }: WorkflowInToolset, slug: string) =>
        patch(`/v1/workflows/${workflowToken}`, { slug }, account);
      const renamed = newSlug();
      expectStatus(await rename(flow, renamed), 200);
      for (const slug of [flow.slug, renamed]) {
        expectError(await rename(other, slug), 409, 'CONFLICT');
        expectError(await post('/v1/workflows', workflow(slug), account), 409, 'CONFLICT');
      }
      expect(outputOf(await execute(other, { a: 1 }))).toEqual({ a: 1 });
      expectStatus(await rename(flow, flow.slug), 200);
      expectStatus(await del(`/v1/workflows/${flow.workflowToken}?force=true`, account), 204);
      expectStatus(await rename(other, renamed), 200);
    },
  );
});

describe('An approval', () => {
  row(
    ['completion.toolsets-and-workflows.8', 'completion.toolsets-and-workflows.10'],
    'is of a workflow for one end user, with the connections that the toolset had',
    async () => {
      const slug = newSlug();
      const flow = await holdRun({ slug, policy: { requireApproval: [slug] } });
      const [own, other, later] = await Promise.all(
        ['customer-1', 'customer-2', 'customer-1'].map((endUserId) => importForEndUser(endUserId, account)),
      );
      const connect = async (...ids: (number | undefined)[]) => {
        const connections = ids.map((id) => ({ connectionId: id }));
        expectStatus(await patch(`/v1/toolsets/${flow.toolsetId}`, { connections }, account), 200);
      };
      await connect(own?.id, other?.id);
      const awaited = async (query: Record<string, string>): Promise<string> => {
        const refused = await execute(flow, { a: 1 }, query);
        const { approvalId, ...envelope } = refused.body;
        expectError({ ...refused, body: envelope }, 409, 'APPROVAL_REQUIRED');
        return String(approvalId);
      };
      const endUserId = 'customer-1';
      const approvalId = await awaited({ endUserId });
      const approved = await post(`/v1/approvals/${approvalId}/approve`, undefined, account);
      expect(approved.body).toMatchObject({
        status: 'approved',
        toolSlug: slug,
        connectionId: null,
        endUserId,
      });

      const ofOther = await awaited({ endUserId: 'customer-2', approvalId });
      expect(new Set([approvalId, ofOther, await awaited({ approvalId })]).size).toBe(3);
      await connect(later?.id, other?.id);
      expect(await awaited({ endUserId, approvalId })).not.toBe(approvalId);

      // The order of the connections does not matter.
      await connect(other?.id, own?.id);
      const query = { endUserId, approvalId };
      const ran = await Promise.all([1, 2, 3].map(() => execute(flow, { a: 1 }, query)));
      expect(ran.filter(({ status }) => status === 200).map(outputOf)).toEqual([{ a: 1 }]);
      expect(ran.filter(({ status }) => status === 409)).toHaveLength(2);
    },
  );

  row(
    ['completion.toolsets-and-workflows.9', 'completion.applications-and-tools.57'],
    'is not requested for a call with a secret of a connection that it may use: nobody would see what it sends',
    async () => {
      const { apiKey } = stack.sandboxCrm;
      const slug = newSlug();
      const flow = await holdRun({ slug, policy: { requireApproval: [slug, LIST] } });
      const { totalCount } = (await get('/v1/approvals?top=1', account)).body;
      const refused = await execute(flow, { key: apiKey, list: [`Bearer ${apiKey}`], a: 'b' });
      expectError(refused, 400, 'VALIDATION_ERROR', ['fields']);
      const filters = [{ field: 'name', operator: 'eq', value: apiKey }];
      const path = `/v1/tools/${LIST}/execute?toolsetId=${flow.toolsetId}`;
      expectError(await post(path, { filters }, account), 400, 'VALIDATION_ERROR', ['fields']);
      expect((await get('/v1/approvals?top=1', account)).body.totalCount).toBe(totalCount);
    },
  );
});
