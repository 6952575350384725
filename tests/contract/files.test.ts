import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { asOperator, createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { asOther, call, del, expectError, get, post, stack } from './support/api.ts';
import type { Answer, CallOptions } from './support/api.ts';
import { row } from './support/row.ts';

const MIB = 1024 * 1024;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Uploads a raw body. */
function upload(bytes: Uint8Array, o: { type?: string; query?: string } & CallOptions = {}): Promise<Answer> {
  const { type = 'application/octet-stream', query = '', headers, ...rest } = o;
  return post(`/v1/files${query}`, undefined, {
    ...rest,
    raw: bytes,
    headers: { ...headers, ...(type !== '' && { 'content-type': type }) },
  });
}

/** Uploads a multipart form. */
async function uploadForm(form: FormData): Promise<Answer> {
  const request = new Request('http://form.test', { method: 'POST', body: form });
  const type = request.headers.get('content-type') ?? '';
  return upload(new Uint8Array(await request.arrayBuffer()), { type });
}

/** Downloads without any credential. */
const download = (url: string, method = 'GET'): Promise<Response> => fetch(url, { method });

let mongo: MongoClient;
beforeAll(async () => {
  mongo = await MongoClient.connect(stack.mongodbUri);
});
afterAll(() => mongo.close());
const toolsDatabase = () => mongo.db('fairlead_tools');
const documents = (accountId: string) =>
  toolsDatabase().collection<{ _id: string }>('files').find({ accountId }).toArray();

describe('uploading', () => {
  row(
    ['completion.applications-and-tools.65', 'completion.applications-and-tools.69'],
    'a raw body becomes a file, kept for seven days',
    async () => {
      const bytes = randomBytes(700_000);
      const headers = {
        'content-disposition': 'attachment; filename="a/b.bin"; filename*=UTF-8\'\'na%C3%AFve.bin',
      };
      const { status, body, text } = await upload(bytes, { type: 'image/x-test', headers });
      expect(status, text).toBe(201);
      expect(body).toEqual({
        fileId: expect.stringMatching(/^file_[0-9A-Za-z]{22}$/),
        url: expect.stringContaining(`${stack.baseUrl}/v1/files/`),
        name: 'naïve.bin',
        contentType: 'image/x-test',
        sizeBytes: bytes.length,
        sha256: sha256(bytes),
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
        expiresAt: expect.any(String),
      });
      const keptMs = new Date(body.expiresAt).getTime() - new Date(body.createdAt).getTime();
      expect(keptMs).toBe(7 * 24 * 60 * 60 * 1_000);
      const named = await upload(bytes, { query: '?name=..%2F%2Fetc%2Fpasswd' });
      expect(named.body.name).toBe('passwd');
      const answer = await download(body.url);
      expect(sha256(new Uint8Array(await answer.arrayBuffer()))).toBe(body.sha256);
    },
  );

  row(
    'completion.applications-and-tools.65',
    'the part file of a multipart form becomes a file; other parts are ignored',
    async () => {
      const form = new FormData();
      form.set('note', 'hello');
      form.set('file', new File(['Zürich'], 'stadt.txt', { type: 'text/plain' }));
      const { status, body, text } = await uploadForm(form);
      expect(status, text).toBe(201);
      const content = Buffer.from('Zürich');
      expect(body).toMatchObject({
        name: 'stadt.txt',
        contentType: 'text/plain',
        sizeBytes: content.length,
        sha256: sha256(content),
      });
      expect(await (await download(body.url)).text()).toBe('Zürich');
    },
  );

  row(
    ['completion.applications-and-tools.65', 'completion.everywhere.20'],
    'a body without a file, or that is none, is refused with the reason',
    async () => {
      const empty = new FormData();
      empty.set('note', 'hello');
      expectError(await uploadForm(empty), 400, 'VALIDATION_ERROR', ['file']);
      const two = new FormData();
      two.append('file', new File(['a'], 'a'));
      two.append('file', new File(['b'], 'b'));
      expectError(await uploadForm(two), 400, 'VALIDATION_ERROR', ['file']);
      expectError(await upload(new Uint8Array(), { type: 'text/plain' }), 400, 'MALFORMED_BODY');
      const cut = Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc');
      expectError(await upload(cut, { type: 'multipart/form-data; boundary=x' }), 400, 'MALFORMED_BODY');
      expectError(await upload(cut, { type: 'multipart/form-data' }), 400, 'MALFORMED_BODY');
      const encoded = { 'content-encoding': 'gzip' };
      expectError(await upload(cut, { headers: encoded }), 415, 'UNSUPPORTED_MEDIA_TYPE');
      expectError(await upload(cut, { type: '' }), 415, 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  row(
    'completion.applications-and-tools.66',
    'a file of 50 MiB is taken, a larger one is 413 and leaves nothing behind',
    async () => {
      const account = await createAccount();
      try {
        const most = Buffer.alloc(50 * MIB, 7);
        const taken = await upload(most, account);
        expect(taken.body).toMatchObject({ sizeBytes: most.length, sha256: sha256(most) });
        const content = await (await download(taken.body.url)).arrayBuffer();
        expect(sha256(new Uint8Array(content))).toBe(taken.body.sha256);
        expectStatus(await del(`/v1/files/${taken.body.fileId}`, account), 204);
        await vi.waitFor(async () => expect(await documents(account.accountId)).toEqual([]), 90_000);
        const over = Buffer.alloc(50 * MIB + 1, 7);
        expectError(await upload(over, account), 413, 'PAYLOAD_TOO_LARGE');
        const form = new FormData();
        form.set('file', new File([over], 'over'));
        const request = new Request('http://form.test', { method: 'POST', body: form });
        const type = request.headers.get('content-type') ?? '';
        const bytes = new Uint8Array(await request.arrayBuffer());
        expectError(await upload(bytes, { ...account, type }), 413, 'PAYLOAD_TOO_LARGE');
        const left = (await documents(account.accountId)).filter(
          (it) => Reflect.get(it, 'state') !== 'removed',
        );
        expect(left).toEqual([]);
      } finally {
        await removeAccount(account);
      }
    },
  );

  row(
    'completion.everywhere.42',
    'the same Idempotency-Key with the same file answers the same; with another it is a conflict',
    async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const form = (text: string): FormData => {
        const made = new FormData();
        made.set('file', new File([text], 'once.txt', { type: 'text/plain' }));
        return made;
      };
      const send = async (text: string): Promise<Answer> => {
        // Every multipart form has its own boundary.
        const request = new Request('http://form.test', { method: 'POST', body: form(text) });
        const type = request.headers.get('content-type') ?? '';
        return upload(new Uint8Array(await request.arrayBuffer()), { type, headers });
      };
      const first = await send('once');
      expect(first.status, first.text).toBe(201);
      const again = await send('once');
      expect(again.text).toBe(first.text);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expectError(await send('twice'), 409, 'IDEMPOTENCY_CONFLICT');
    },
  );
});

describe('a file', () => {
  row(
    'completion.applications-and-tools.67',
    'its address works without a credential and is always an attachment; nothing else opens it',
    async () => {
      const { body } = await upload(Buffer.from('<script>alert(1)</script>'), {
        type: 'text/html',
        query: '?name=p"a;ge.html',
      });
      const answer = await download(body.url);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html',
        'content-disposition': `attachment; filename="p_a;ge.html"; filename*=UTF-8''p%22a%3Bge.html`,
        'x-content-type-options': 'nosniff',
        'content-security-policy': "sandbox; default-src 'none'",
        'content-length': '25',
      });
      expect(await answer.text()).toBe('<script>alert(1)</script>');
      const head = await download(body.url, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '25']);
      const url = new URL(body.url);
      const token = url.searchParams.get('token') ?? '';
      const other = await upload(Buffer.from('other'));
      const forged = [
        '',
        'x',
        `${token}x`,
        token.slice(0, -2),
        token.replace(/^[^.]+/, 'v9'),
        token.split('.').with(1, Buffer.from('["acc_x",99999999999999]').toString('base64url')).join('.'),
        new URL(other.body.url).searchParams.get('token') ?? '',
      ];
      for (const wrong of forged) {
        url.searchParams.set('token', wrong);
        expectError(
          await call('GET', `${url.pathname}${url.search}`, { apiKey: null }),
          wrong === '' ? 400 : 404,
          wrong === '' ? 'VALIDATION_ERROR' : 'NOT_FOUND',
        );
      }
    },
  );

  row(
    'completion.applications-and-tools.68',
    'GET answers its record with a new address, DELETE removes it; another account has no such file',
    async () => {
      const { body } = await upload(Buffer.from('mine'));
      const path = `/v1/files/${body.fileId}`;
      const { url: _url, ...record } = body;
      const again = await get(path);
      expect(again.body).toMatchObject(record);
      expect(await (await download(again.body.url)).text()).toBe('mine');
      for (const refused of [await get(path, asOther), await del(path, asOther)])
        expectError(refused, 404, 'NOT_FOUND');
      expectError(await get('/v1/files/file_0000000000000000000000'), 404, 'NOT_FOUND');
      expectStatus(await del(path), 204);
      for (const gone of [await get(path), await del(path), await call('GET', body.url, { apiKey: null })])
        expectError(gone, 404, 'NOT_FOUND');
      await vi.waitFor(async () => {
        const ids = (await documents(stack.account.accountId)).map(({ _id }) => _id);
        expect(ids).not.toContain(body.fileId);
      }, 60_000);
    },
  );

  row(
    'completion.applications-and-tools.69',
    'a file whose seven days have passed cannot be seen, whether or not it has been removed',
    async () => {
      const { body } = await upload(Buffer.from('old'));
      await toolsDatabase()
        .collection<{ _id: string }>('files')
        .updateOne({ _id: body.fileId }, { $set: { expiresAt: new Date() } });
      expectError(await get(`/v1/files/${body.fileId}`), 404, 'NOT_FOUND');
      expect((await download(body.url)).status).toBe(404);
    },
  );

  row('completion.applications-and-tools.70', 'files need a credential', async () => {
    expectError(await upload(Buffer.from('x'), { apiKey: null }), 401, 'UNAUTHORIZED');
    expectError(await get('/v1/files/file_0000000000000000000000', { apiKey: null }), 401, 'UNAUTHORIZED');
  });

  row(
    ['completion.administration.33', 'completion.applications-and-tools.65'],
    'an account’s export lists its files, and its erasure removes them with their content',
    async () => {
      const account: TestAccount = await createAccount();
      const { body } = await upload(Buffer.from('of the account'), account);
      const exported = await asOperator('GET', `/operator/v1/accounts/${account.accountId}/export`);
      expect(exported.text).toContain(body.fileId);
      const [document] = await documents(account.accountId);
      const contentId: unknown = document && Reflect.get(document, 'contentId');
      const chunks = toolsDatabase().collection('fileContents.chunks');
      expect(await chunks.countDocuments({ files_id: contentId })).toBe(1);
      await removeAccount(account);
      await vi.waitFor(async () => expect(await documents(account.accountId)).toEqual([]), 90_000);
      expect(await chunks.countDocuments({ files_id: contentId })).toBe(0);
      expect((await download(body.url)).status).toBe(404);
    },
  );
});
