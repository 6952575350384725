import type { JsonObject } from '@fairlead/connector-model/json';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { MAX_INPUT_FILE_BYTES, withContents, withoutContents } from '../../domain/file-input.ts';
import type { Approval } from '../../domain/approval.ts';
import { sha256Of } from '../../domain/file.ts';
import type { FetchedFile, FileFetcher } from '../../ports/files.ts';
import { approval } from '../../testing/approvals.ts';
import { storedFile } from '../../testing/files.ts';
import { readFileInputs } from './read-file-inputs.ts';

const ctx = testContext({ accountId: 'acc_1' });
const inputSchema: JsonObject = {
  type: 'object',
  properties: {
    file: { type: 'object', format: 'file' },
    second: { type: 'object', format: 'file' },
    third: { type: 'object', format: 'file' },
    other: { type: 'object' },
  },
};

async function* content(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from('stored'));
}

async function resolve(
  fields: JsonObject,
  o: { sizeBytes?: number; fetched?: FetchedFile; approval?: Approval; fetch?: FileFetcher['fetch'] } = {},
) {
  let leftMs = 10_000;
  const deps = {
    clock: new ManualClock(new Date(0)),
    fileFetcher: {
      fetch: o.fetch ?? (() => Promise.resolve(o.fetched ?? { kind: 'failed' as const, reason: 'no' })),
    },
    files: {
      find: (_ctx: unknown, accountId: string, fileId: string) =>
        Promise.resolve(
          accountId === 'acc_1' && fileId === 'file_1'
            ? storedFile({ sizeBytes: o.sizeBytes ?? 6 })
            : undefined,
        ),
      read: () => Promise.resolve(content()),
      readHeld: (_ctx: unknown, accountId: string, { fileId, approvalId }: Record<string, string>) => {
        const isKept = accountId === 'acc_1' && fileId === 'file_9' && approvalId === approval().approvalId;
        const label = { name: 'then.txt', contentType: 'text/plain' };
        return Promise.resolve(isKept ? { label, content: content() } : undefined);
      },
    },
  };
  const options = { leftMs: () => (leftMs -= 1_000), approval: o.approval };
  return withContents(fields, await readFileInputs(deps, ctx, { inputSchema }, fields, options));
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('a file input is its content, however it is named; other inputs stay', async () => {
  const other = { fileId: 'x' };
  expect(await resolve({ file: { fileId: 'file_1' }, other })).toEqual({
    file: { name: 'a.txt', contentType: 'text/plain', base64: base64('stored') },
    other,
  });
  const inline = { base64: base64('inline'), name: 'b.txt' };
  expect(await resolve({ file: inline })).toMatchObject({ file: inline });
  const fetched = {
    kind: 'fetched',
    content: Buffer.from('far'),
    name: '/x/c.png',
    contentType: 'image/png',
  } as const;
  expect(await resolve({ file: { url: 'https://x.test/x/c.png' } }, { fetched })).toEqual({
    file: { name: 'c.png', contentType: 'image/png', base64: base64('far') },
  });
  expect(await resolve({ other })).toEqual({ other });
});

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['two names', { fileId: 'file_1', url: 'https://x.test' }],
  ['base64 without a name', { base64: 'eA==' }],
  ['what is no base64', { base64: '?', name: 'a' }],
  ['an address of another scheme', { url: 'file:///etc/passwd' }],
])('%s is VALIDATION_ERROR naming the input', async (_what, file) => {
  await expect(resolve({ file })).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.file' }],
  });
});

test('a file that is unknown, too large or cannot be fetched is refused', async () => {
  await expect(resolve({ file: { fileId: 'file_2' } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(resolve({ file: { fileId: '2' } })).rejects.toMatchObject({
    details: [{ field: 'fields.file.fileId', issue: 'must be the id of a file' }],
  });
  const large = { sizeBytes: MAX_INPUT_FILE_BYTES + 1 };
  await expect(resolve({ file: { fileId: 'file_1' } }, large)).rejects.toMatchObject({
    details: [{ field: 'fields.file', issue: 'must be at most 10 MiB' }],
  });
  await expect(resolve({ file: { url: 'https://x.test' } })).rejects.toMatchObject({
    details: [{ field: 'fields.file.url', issue: 'could not be fetched: no' }],
  });
});

test('the files of a call are at most 20 MiB together', async () => {
  const content = Buffer.alloc(MAX_INPUT_FILE_BYTES);
  const fetched = { kind: 'fetched', content, name: 'a', contentType: 'text/plain' } as const;
  const file = { url: 'https://x.test/a' };
  expect(Object.keys(await resolve({ file, second: file }, { fetched }))).toEqual(['file', 'second']);
  const small = { base64: base64('a'), name: 'b.txt' };
  await expect(resolve({ file, second: file, third: small }, { fetched })).rejects.toMatchObject({
    details: [
      {
        field: 'fields.third',
        issue: 'is too large with the other files of the call, which are at most 20 MiB together',
      },
    ],
  });
});

test('the files of a call have one time together: each is fetched in what is left of it', async () => {
  const given: number[] = [];
  const fetch: FileFetcher['fetch'] = (_ctx, _url, { timeoutMs }) => {
    given.push(timeoutMs);
    return Promise.resolve({ kind: 'fetched', content: Buffer.from('a'), name: 'a', contentType: 'a/b' });
  };
  const file = { url: 'https://x.test/a' };
  await resolve({ file, second: file, third: file }, { fetch });
  expect(given).toEqual([9_000, 8_000, 7_000]);
});

test('an approved call has what was fetched for its approval, and nothing else', async () => {
  const fetched = {
    kind: 'fetched',
    content: Buffer.from('swapped'),
    name: 'x',
    contentType: 'a/b',
  } as const;
  const kept = {
    field: 'file',
    name: 'masked',
    contentType: 'masked',
    sizeBytes: 6,
    sha256: sha256Of(Buffer.from('stored')),
    text: null,
    heldFileId: 'file_9',
  };
  const file = { url: 'https://x.test/a' };
  const read = (...files: Approval['files']) => resolve({ file }, { fetched, approval: approval({ files }) });
  expect(await read(kept)).toEqual({
    file: { name: 'then.txt', contentType: 'text/plain', base64: base64('stored') },
  });
  const refused = {
    code: 'VALIDATION_ERROR',
    details: [{ field: 'fields.file.url', issue: expect.stringMatching('no longer stored') as unknown }],
  };
  await expect(read()).rejects.toMatchObject(refused);
  await expect(read({ ...kept, field: 'second' })).rejects.toMatchObject(refused);
  await expect(read({ ...kept, heldFileId: 'file_8' })).rejects.toMatchObject(refused);
  await expect(read({ ...kept, heldFileId: null })).rejects.toMatchObject(refused);
  await expect(read({ ...kept, sha256: 'another' })).rejects.toMatchObject(refused);
});

test('the history has no content of a file', () => {
  const fields = { file: { base64: base64('inline'), name: 'b.txt' }, other: 1 };
  expect(withoutContents(inputSchema, fields)).toEqual({ file: { name: 'b.txt', sizeBytes: 6 }, other: 1 });
  const reference = { file: { fileId: 'file_1' } };
  expect(withoutContents(inputSchema, reference)).toBe(reference);
});
