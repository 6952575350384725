import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { expectError, get, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createCrmConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';

let account: TestAccount;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  connectionId = (await createCrmConnection('CRM', account.apiKey)).id;
});
afterAll(() => removeAccount(account));

type Members = Readonly<Record<string, unknown>>;

interface Held {
  readonly slug: string;
  readonly workflowToken: string;
  readonly toolsetId: string;
}

/** A new workflow that answers with its inputs, in a toolset of its own. */
async function held({ policy, ...more }: Members = {}): Promise<Held> {
  const slug = `flow-${randomUUID()}`;
  const steps = [{ id: 'who', toolSlug: 'sandbox-crm-whoami' }];
  const made = await post('/v1/workflows', { name: 'Flow', slug, steps, output: '=input', ...more }, account);
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

function execute({ slug, toolsetId }: Held, fields: Members, query: Record<string, string> = {}) {
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
      const { slug, workflowToken, toolsetId } = await held();
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
      const flow = await held({ inputSchema });
      const detail = `/v1/tools/${flow.slug}?toolsetId=${flow.toolsetId}&schemaProfile=openai-strict`;
      expect((await get(detail, account)).body.inputSchema.required).toEqual(['a', 'b']);
      const sent = { a: 'x', b: null };
      const ran = await execute(flow, sent, { schemaProfile: 'openai-strict' });
      expect(outputOf(ran)).toEqual({ a: 'x' });
      expectError(await execute(flow, sent), 400, 'VALIDATION_ERROR', ['fields.b']);
    },
  );
});
