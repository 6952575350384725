import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVendor } from '../faults/support/vendor.ts';
import type { RecordingVendor } from '../faults/support/vendor.ts';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, patch, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import { createConnection } from './support/connections.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { waitingCalls } from './support/waiting-calls.ts';

const SEND = 'http-send-request';
/** Default of CONNECTION_CONCURRENCY, in effect with one replica of tools. */
const PER_CONNECTION = 20;

let account: TestAccount;
let vendor: RecordingVendor;
let connectionId: number;
beforeAll(async () => {
  account = await createAccount();
  vendor = await startVendor();
  const body = { applicationSlug: 'http', connectionName: 'Busy', authenticationId: 0 };
  connectionId = (await createConnection(body, account.apiKey)).id;
});
afterAll(async () => {
  vendor.close();
  await removeAccount(account);
});

async function toolset(more: object = {}): Promise<string> {
  const body = { name: 'Held', connections: [{ connectionId }], ...more };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

function send(fields: object, query: Readonly<Record<string, string>>, slug = SEND): Promise<Answer> {
  const search = new URLSearchParams(query).toString();
  return post(`/v1/tools/${slug}/execute?${search}`, { fields }, account);
}

const change = async (id: string, body: object): Promise<void> => {
  expectStatus(await patch(`/v1/toolsets/${id}`, body, account), 200);
};
const refused =
  (status: number, code: string) =>
  ({ body: { approvalId: _id, ...body }, ...answer }: Answer): void =>
    expectError({ ...answer, body }, status, code);

/** How a toolset changes while a call waits, and how the call ends. */
const CHANGES: readonly {
  readonly name: string;
  readonly change: (toolsetId: string) => Promise<void>;
  readonly expect: (answer: Answer) => void;
}[] = [
  {
    name: 'readOnly',
    change: (id) => change(id, { policy: { readOnly: true } }),
    expect: refused(403, 'TOOL_NOT_IN_TOOLSET'),
  },
  {
    name: 'requireApproval',
    change: (id) => change(id, { policy: { requireApproval: [SEND] } }),
    expect: refused(409, 'APPROVAL_REQUIRED'),
  },
  {
    name: 'tools',
    change: (id) => change(id, { tools: [] }),
    expect: refused(403, 'TOOL_NOT_IN_TOOLSET'),
  },
  {
    name: 'connections',
    change: (id) => change(id, { connections: [] }),
    expect: refused(403, 'CONNECTION_NOT_IN_TOOLSET'),
  },
  {
    name: 'deleted',
    change: async (id) => void expectStatus(await del(`/v1/toolsets/${id}`, account), 204),
    expect: refused(404, 'NOT_FOUND'),
  },
  {
    name: 'fixedFields',
    change: (id) => change(id, { policy: { fixedFields: { [SEND]: { url: `${vendor.url}/fixed` } } } }),
    expect: ({ body }) => expect(body).toMatchObject({ isSuccess: true }),
  },
  {
    name: 'unchanged',
    change: (id) => change(id, { name: 'Another' }),
    expect: ({ body }) => expect(body).toMatchObject({ isSuccess: true }),
  },
];

row(
  'completion.toolsets-and-workflows.53',
  'A call that waits for a slot runs under the toolset as it is then: whatever was changed holds',
  async () => {
    const atVendor = vendor.hold('GET /slow');
    const slow = Array.from({ length: PER_CONNECTION }, () =>
      send({ method: 'GET', url: `${vendor.url}/slow` }, { connectionId: String(connectionId) }),
    );
    await atVendor;
    await expect.poll(() => vendor.calls.length).toBe(PER_CONNECTION);
    const waiting: { toolsetId: string; answer: Promise<Answer> }[] = [];
    for (const { name } of CHANGES) {
      const toolsetId = await toolset();
      const fields = { method: 'POST', url: `${vendor.url}/${name}` };
      const answer = send(fields, { toolsetId, connectionId: String(connectionId) });
      waiting.push({ toolsetId, answer });
    }
    const slug = `flow-${randomUUID()}`;
    const fields = { method: 'POST', url: `${vendor.url}/step` };
    const steps = [{ id: 'send', toolSlug: SEND, connectionId, fields }];
    const made = await post('/v1/workflows', { name: 'Flow', slug, steps }, account);
    const { workflowToken } = expectStatus(made, 201).body;
    const ofRun = await toolset({ workflows: [{ workflowToken }] });
    const run = send({}, { toolsetId: ofRun }, slug);
    await expect.poll(() => waitingCalls()).toBe(waiting.length + 1);

    for (const [index, { toolsetId }] of waiting.entries()) await CHANGES[index]?.change(toolsetId);
    await change(ofRun, { policy: { readOnly: true } });
    vendor.release();
    await Promise.all(slow);
    for (const [index, { answer }] of waiting.entries()) CHANGES[index]?.expect(await answer);
    expect((await run).body).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('TOOL_NOT_IN_TOOLSET') as string,
    });
    expect(vendor.calls.filter((call) => call.startsWith('POST')).toSorted()).toEqual([
      'POST /fixed',
      'POST /unchanged',
    ]);
  },
);

test.each(CHANGES)(
  '[completion.toolsets-and-workflows.53] A call that waits for its file runs under the toolset as it is then ($name)',
  async ({ name, ...of }) => {
    const file = `/file/${name}`;
    const atVendor = vendor.hold(`GET ${file}`);
    const toolsetId = await toolset();
    const fields = {
      method: 'POST',
      url: `${vendor.url}/with-file/${name}`,
      file: { url: vendor.url + file },
    };
    const answer = send(fields, { toolsetId, connectionId: String(connectionId) });
    await atVendor;
    await of.change(toolsetId);
    vendor.release();
    of.expect(await answer);
    const isSent = vendor.calls.includes(`POST /with-file/${name}`);
    expect(isSent).toBe(name === 'unchanged');
  },
);
