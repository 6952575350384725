import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { asOther, del, expectError, expectList, get, patch, post, stack } from './support/api.ts';
import { awaited } from './support/approvals.ts';
import { createConnection } from './support/connections.ts';
import { importForEndUser } from './support/end-users.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { HOUR_MS, withinOne } from './support/windows.ts';

const SEND = 'http-send-request';
const TOKEN = `token-of-the-connection-${randomUUID()}`;
const MIB = 1024 * 1024;

/** All requests to the vendor: downloads of its file, and uploads with their content. */
const received: string[] = [];
/** The content at the vendor's file address; undefined: none. */
let served: string | undefined;
const vendor = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const isFile = request.url === '/text/note.txt';
    received.push(`${request.method} ${request.url}${isFile ? '' : ` ${shown(Buffer.concat(pieces))}`}`);
    response.writeHead(isFile && served === undefined ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(isFile ? served : 'taken');
  });
});
/** The text of a body, or only its length if it is long. */
const shown = (body: Buffer): string => (body.length > 100 ? `${body.length} bytes` : body.toString());

let base: string;
let address: string;
let account: TestAccount;
let connectionId: number;
let mongo: MongoClient;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
  await once(vendor.listen(0, '127.0.0.1'), 'listening');
  base = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  address = `${base}/text/note.txt`;
  account = await createAccount();
  const authentication = { authenticationId: 3, fields: { baseUrl: base, token: TOKEN } };
  const body = { applicationSlug: 'http', connectionName: 'Files', ...authentication };
  connectionId = (await createConnection(body, account.apiKey)).id;
});
afterAll(async () => {
  vendor.close();
  await mongo.close();
  await removeAccount(account);
});
beforeEach(() => {
  received.length = 0;
  served = 'as approved';
});

async function toolset(more: object = {}): Promise<string> {
  const policy = { requireApproval: [SEND] };
  const body = { name: 'Files', connections: [{ connectionId }], policy, ...more };
  return expectStatus(await post('/v1/toolsets', body, account), 201).body.id;
}

const FILE = { type: 'object', format: 'file' };

/** A workflow with a file input. */
async function workflow(
  steps: object[],
  inputSchema: object = { type: 'object', properties: { file: FILE } },
): Promise<{ slug: string; workflowToken: string }> {
  const body = { name: 'Flow', slug: `flow-${randomUUID()}`, inputSchema, steps };
  return expectStatus(await post('/v1/workflows', body, account), 201).body;
}

/** Uploads a file to the vendor. */
function send(toolsetId: string, file: object, query: Readonly<Record<string, string>> = {}, tool = SEND) {
  const search = new URLSearchParams({ toolsetId, ...query });
  const fields = tool === SEND ? { method: 'POST', url: `${base}/upload`, file } : { file };
  return post(`/v1/tools/${tool}/execute?${search.toString()}`, { fields }, account);
}

const inline = (content: string | Uint8Array, name = 'note.txt') => ({
  base64: Buffer.from(content).toString('base64'),
  name,
});
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const decide = async (approvalId: string, decision: 'approve' | 'reject' = 'approve') =>
  expectStatus(await post(`/v1/approvals/${approvalId}/${decision}`, undefined, account), 200).body;
const newest = async (): Promise<any> => expectList(await get('/v1/approvals?top=1', account)).items[0];
const rows = async (): Promise<number> => expectList(await get('/v1/executions?top=1', account)).totalCount;

async function upload(content: string, name: string): Promise<string> {
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  };
  const raw = Buffer.from(content);
  return expectStatus(await post('/v1/files', undefined, { ...account, raw, headers }), 201).body.fileId;
}

/** Number of contents stored for approvals of the account, from the database, because no route returns it. */
const kept = async () => {
  const files = mongo.db('fairlead_tools').collection<{ state: string; accountId: string }>('files');
  return files.countDocuments({ accountId: account.accountId, state: 'held' });
};

row(
  'completion.toolsets-and-workflows.55',
  'a call with another content than the approved one waits for another approval',
  async () => {
    const id = await toolset();
    const approvalId = awaited(await send(id, inline('as approved')));
    const query = { approvalId };
    const text = 'as approved';
    const file = { field: 'file', name: 'note.txt', contentType: 'application/octet-stream' };
    const sizes = { sizeBytes: text.length, sha256: sha256(text) };
    const approved = await decide(approvalId);
    expect(approved.files).toEqual([{ ...file, ...sizes, text }]);
    expect(approved.fields).toEqual({
      method: 'POST',
      url: `${base}/upload`,
      file: { name: 'note.txt', sizeBytes: text.length },
    });
    expect(await newest()).toEqual(approved);
    const before = await rows();
    for (const other of [inline('as Approved'), inline(text, 'note.exe'), { url: address }])
      expect(awaited(await send(id, other, query))).not.toBe(approvalId);
    expect(await rows()).toBe(before);
    expect(received).toEqual(['GET /text/note.txt']);
    const ran = await send(id, inline(text), query);
    expect(ran.body).toMatchObject({ isSuccess: true, output: { status: 200 } });
    expect(received.at(-1)).toBe('POST /upload as approved');
    await decide((await newest()).approvalId, 'reject');
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'an approved call sends what was at the address when it was requested',
  async () => {
    const id = await toolset();
    const file = { url: address };
    const approvalId = awaited(await send(id, file));
    const query = { approvalId };
    served = 'swapped';
    expect(awaited(await send(id, file))).toBe(approvalId);
    expect(awaited(await send(id, file, query))).toBe(approvalId);
    const approved = await decide(approvalId);
    expect(approved.files).toEqual([
      {
        field: 'file',
        name: 'note.txt',
        contentType: 'text/plain',
        sizeBytes: 11,
        sha256: sha256('as approved'),
        text: 'as approved',
      },
    ]);
    expect(awaited(await send(id, file))).toBe(approvalId);
    expect(await kept()).toBe(1);
    expect((await send(id, file, query)).body).toMatchObject({ isSuccess: true });
    expect(received).toEqual(['GET /text/note.txt', 'POST /upload as approved']);
    // Used: nothing is stored any more, and the next call fetches the current content.
    expect(await kept()).toBe(0);
    const next = awaited(await send(id, file, query));
    expect(next).not.toBe(approvalId);
    expect((await newest()).files).toMatchObject([{ text: 'swapped' }]);
    await decide(next, 'reject');
    expect(await kept()).toBe(0);
    expectError(await send(id, file, { approvalId: next }), 403, 'FORBIDDEN');
    expect(received.filter((line) => line.startsWith('GET'))).toHaveLength(2);
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'a stored file is bound by its content, and executes nothing once it is gone',
  async () => {
    const id = await toolset();
    const fileId = await upload('as approved', 'note.txt');
    const approvalId = awaited(await send(id, { fileId }));
    const query = { approvalId };
    const { files } = await decide(approvalId);
    expect(files).toMatchObject([
      { field: 'file', name: 'note.txt', sizeBytes: 11, sha256: sha256('as approved'), text: 'as approved' },
    ]);
    expectStatus(await del(`/v1/files/${fileId}`, account), 204);
    expectError(await send(id, { fileId }, query), 404, 'NOT_FOUND');
    const other = await upload('swapped', 'note.txt');
    expect(awaited(await send(id, { fileId: other }, query))).not.toBe(approvalId);
    expect(received).toEqual([]);
    const again = await upload('as approved', 'note.txt');
    expect((await send(id, { fileId: again }, query)).body).toMatchObject({ isSuccess: true });
    expect(received).toEqual(['POST /upload as approved']);
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'the approver reads text of up to 64 KiB, and is told of everything else',
  async () => {
    const id = await toolset();
    const large = Buffer.alloc(64 * 1024 + 1, 'x');
    const binary = Buffer.alloc(MIB, 0xff);
    const contents: readonly [string | Uint8Array, string | null][] = [
      [large.subarray(1), large.toString().slice(1)],
      [large, null],
      // Above the limit for other inputs of calls that need an approval.
      [binary, null],
    ];
    for (const [content, text] of contents) {
      const approvalId = awaited(await send(id, inline(content)));
      const [file] = (await newest()).files;
      expect(file).toMatchObject({ sizeBytes: content.length, sha256: sha256(content) });
      expect(file.text === text, `text of ${content.length} bytes`).toBe(true);
      await decide(approvalId);
      expect((await send(id, inline(content), { approvalId })).body).toMatchObject({ isSuccess: true });
    }
    expect(received.at(-1)).toBe(`POST /upload ${MIB} bytes`);
    // Masking would hide a secret that is sent.
    expectError(await send(id, inline(`Use ${TOKEN}.`)), 400, 'VALIDATION_ERROR', ['fields.file']);
    const listed = expectList(await get('/v1/approvals', asOther)).items;
    expect(listed.filter(({ toolsetId }) => toolsetId === id)).toEqual([]);
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'what is kept counts as a file of the account, and ends with an end user',
  async () => {
    const endUserId = `customer-${randomUUID()}`;
    const theirs = await importForEndUser(endUserId, account);
    const { slug, workflowToken } = await workflow([{ id: 'read', toolSlug: 'sandbox-crm-whoami' }]);
    const id = await toolset({
      connections: [{ connectionId: theirs.id }],
      policy: { requireApproval: [slug] },
      workflows: [{ workflowToken }],
    });
    awaited(await send(id, { url: address }, { endUserId }, slug));
    expect(await kept()).toBe(1);
    expectStatus(await del(`/v1/end-users/${endUserId}`, account), 204);
    expect(await kept()).toBe(0);

    const own = await toolset();
    const approvalId = awaited(await send(own, { url: address }));
    const files = mongo.db('fairlead_tools').collection<{ _id: string }>('files');
    const [one] = await files.find({ accountId: account.accountId, state: 'held' }).toArray();
    const sizeBytes = 1024 * MIB - 11;
    const filler = { ...one, _id: `file_${randomUUID().replaceAll('-', '')}`, state: 'ready', sizeBytes };
    await files.insertOne(filler);
    const before = expectList(await get('/v1/approvals?top=1', account)).totalCount;
    const full = await send(own, { url: `${address}?another` });
    expectError(full, 409, 'CONFLICT');
    expect(expectList(await get('/v1/approvals?top=1', account)).totalCount).toBe(before);
    expect(await kept()).toBe(1);
    await decide(approvalId, 'reject');
    expect(await kept()).toBe(0);
    await files.deleteOne({ _id: filler._id });
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'a workflow that is approved runs with the contents of its file inputs',
  async () => {
    const fields = { method: 'POST', url: `${base}/upload`, file: '=input.file' };
    const { slug, workflowToken } = await workflow([{ id: 'send', toolSlug: SEND, fields, connectionId }]);
    const id = await toolset({ policy: { requireApproval: [slug] }, workflows: [{ workflowToken }] });
    const approvalId = awaited(await send(id, { url: address }, {}, slug));
    served = 'swapped';
    const { files } = await decide(approvalId);
    expect(files).toMatchObject([{ field: 'file', text: 'as approved' }]);
    const ran = await send(id, { url: address }, { approvalId }, slug);
    expect(ran.body, ran.text).toMatchObject({ isSuccess: true });
    expect(received).toEqual(['GET /text/note.txt', 'POST /upload as approved']);
    expect(await kept()).toBe(0);
    const other = awaited(await send(id, inline('as Approved'), { approvalId }, slug));
    expect((await newest()).fields).toEqual({ file: { name: 'note.txt', sizeBytes: 11 } });
    expect(other).not.toBe(approvalId);
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'an input of a workflow is a file however its schema says so, and is nowhere else in it',
  async () => {
    const fields = { method: 'POST', url: `${base}/upload`, file: '=input.file' };
    const steps = [{ id: 'send', toolSlug: SEND, fields, connectionId }];
    const properties = { file: { $ref: '#/$defs/file' } };
    for (const schema of [
      { properties, $defs: { file: FILE } },
      { allOf: [{ properties }], $defs: { file: { anyOf: [FILE, { type: 'null' }] } } },
    ]) {
      served = 'as approved';
      received.length = 0;
      const { slug, workflowToken } = await workflow(steps, schema);
      const id = await toolset({ policy: { requireApproval: [slug] }, workflows: [{ workflowToken }] });
      const approvalId = awaited(await send(id, { url: address }, {}, slug));
      served = 'swapped';
      expect((await decide(approvalId)).files).toMatchObject([{ field: 'file', text: 'as approved' }]);
      expect((await send(id, { url: address }, { approvalId }, slug)).body).toMatchObject({
        isSuccess: true,
      });
      expect(received).toEqual(['GET /text/note.txt', 'POST /upload as approved']);
    }
    for (const nested of [{ items: FILE }, { properties: { file: FILE } }]) {
      const inputSchema = { properties: { file: nested } };
      const body = { name: 'Flow', slug: `flow-${randomUUID()}`, inputSchema, steps };
      expectError(await post('/v1/workflows', body, account), 400, 'VALIDATION_ERROR', ['inputSchema']);
    }
  },
);

row(
  'completion.toolsets-and-workflows.55',
  'a file that a workflow is called with has no more for its steps than the approver saw',
  async () => {
    const body = '={"name": input.file.name, "amount": input.file.amount, "raw": input.file.base64}';
    const fields = { method: 'POST', url: `${base}/upload`, body };
    const { slug, workflowToken } = await workflow([{ id: 'send', toolSlug: SEND, fields, connectionId }]);
    const id = await toolset({ policy: { requireApproval: [slug] }, workflows: [{ workflowToken }] });
    const approvalId = awaited(await send(id, { base64: 'YQ==', name: 'a.txt', amount: '1' }, {}, slug));
    await decide(approvalId);
    // The same bytes under the same name, with further members.
    const swapped = { base64: 'YR', name: 'https://evil.example/a.txt', amount: '1000000' };
    expect((await send(id, swapped, { approvalId }, slug)).body).toMatchObject({ isSuccess: true });
    expect(received).toEqual(['POST /upload {"name":"a.txt","raw":"YQ=="}']);
  },
);

row(
  [
    'completion.toolsets-and-workflows.55',
    'completion.toolsets-and-workflows.5',
    'completion.toolsets-and-workflows.6',
    'completion.toolsets-and-workflows.8',
    'completion.applications-and-tools.71',
  ],
  'an address is fetched once, for the approval; a call that is refused otherwise, and a dry run, fetch nothing',
  async () => {
    await withinOne(HOUR_MS, async () => {
      const id = await toolset({ policy: { requireApproval: [SEND], callsPerHour: 1 } });
      const file = { url: address };
      served = undefined;
      // If a file cannot be fetched, no approval is requested.
      expectError(await send(id, file), 400, 'VALIDATION_ERROR', ['fields.file.url']);
      served = 'as approved';
      const approvalId = awaited(await send(id, file));
      const query = { approvalId };
      await decide(approvalId);
      expectStatus(await send(id, file, { ...query, dryRun: 'true' }), 200);
      expect(received).toEqual(['GET /text/note.txt', 'GET /text/note.txt']);
      const ran = await send(id, file, query);
      expect(ran.body).toMatchObject({ isSuccess: true, output: { status: 200 } });
      expect(received.slice(2)).toEqual(['POST /upload as approved']);
      await patch(`/v1/toolsets/${id}`, { policy: { callsPerHour: 1 } }, account);
      expectError(await send(id, file), 429, 'RATE_LIMIT_EXCEEDED');
      await patch(`/v1/toolsets/${id}`, { policy: { readOnly: true, requireApproval: [SEND] } }, account);
      expectError(await send(id, file), 403, 'TOOL_NOT_IN_TOOLSET');
      expect(received).toHaveLength(3);
      expect(await kept()).toBe(0);
    });
  },
);
