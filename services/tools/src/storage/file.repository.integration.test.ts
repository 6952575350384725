import { createHash, randomBytes } from 'node:crypto';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { KEPT_MS, MAX_ACCOUNT_BYTES, MAX_FILES, UPLOAD_MS } from '../domain/file.ts';
import { chunkCollection, fileCollection, REMOVAL_PATH } from './file.collection.ts';
import type { FileDocument } from './file.collection.ts';
import { allOf } from '../testing/files.ts';
import { schema } from './schema.ts';
import { createFileRepository } from './file.repository.ts';
import type { FileRepository } from './file.repository.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const ctx = testContext();
const label = { name: 'a.bin', contentType: 'a/b' };
const MAX = 3 * 1024 * 1024;

let store: MongoStore & { drop(): Promise<void> };
let files: FileRepository;
let accounts = 0;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  files = createFileRepository(store);
});
afterAll(() => store.drop());

const account = (): string => `acc_${(accounts += 1)}`;
const open = (accountId: string, maxBytes = MAX) => files.open(ctx, accountId, { label, maxBytes, now: NOW });
const documentOf = (_id: string) => store.collection(fileCollection).findOne({ _id });
const chunksOf = async (document: FileDocument | null) =>
  store.collection(chunkCollection).countDocuments({ files_id: document?.contentId ?? [] });

async function* pieces(bytes: Buffer, end?: Error): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 60_000) {
    await Promise.resolve();
    yield bytes.subarray(at, at + 60_000);
  }
  if (end) throw end;
}

async function stored(accountId: string, bytes = Buffer.from('content')): Promise<string> {
  const fileId = await open(accountId);
  await files.write(ctx, accountId, fileId, pieces(bytes), MAX);
  await files.commit(ctx, accountId, fileId, NOW);
  return fileId;
}

test('a file is read as it was written, and is its account’s alone until its seven days have passed', async () => {
  const accountId = account();
  const bytes = randomBytes(2_000_000);
  const fileId = await open(accountId);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await files.write(ctx, accountId, fileId, pieces(bytes), MAX)).toEqual({
    sizeBytes: bytes.length,
    sha256,
  });
  expect(await files.find(ctx, accountId, fileId, NOW)).toBeUndefined();
  expect(await files.commit(ctx, account(), fileId, NOW)).toBeUndefined();
  const file = await files.commit(ctx, accountId, fileId, later(1));
  expect(file).toEqual({
    fileId,
    ...label,
    sizeBytes: bytes.length,
    sha256,
    createdAt: later(1),
    updatedAt: later(1),
    expiresAt: later(1 + KEPT_MS),
  });
  expect(await files.commit(ctx, accountId, fileId, later(1))).toBeUndefined();
  const read = await allOf(await files.read(ctx, accountId, fileId));
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  expect(await files.find(ctx, accountId, fileId, later(KEPT_MS))).toEqual(file);
  expect(await files.find(ctx, accountId, fileId, later(1 + KEPT_MS))).toBeUndefined();
  expect(await files.find(ctx, account(), fileId, NOW)).toBeUndefined();
  expect(await files.remove(ctx, account(), fileId, NOW)).toBe(false);
  expect(await files.remove(ctx, accountId, fileId, NOW)).toBe(true);
  expect(await files.find(ctx, accountId, fileId, NOW)).toBeUndefined();
  expect(await files.remove(ctx, accountId, fileId, NOW)).toBe(false);
});

test.each([
  ['that is too large', randomBytes(MAX + 1), undefined, { code: 'PAYLOAD_TOO_LARGE' }],
  ['whose sender leaves', randomBytes(1_000_000), new Error('gone'), { message: 'gone' }],
])('an upload %s leaves no content once it is abandoned', async (_what, bytes, end, error) => {
  const accountId = account();
  const fileId = await open(accountId);
  await expect(files.write(ctx, accountId, fileId, pieces(bytes, end), MAX)).rejects.toMatchObject(error);
  await files.abandon(accountId, fileId, NOW);
  const document = await documentOf(fileId);
  expect(document).toMatchObject({ state: 'removed' });
  expect(await chunksOf(document)).toBe(0);
  expect(await files.commit(ctx, accountId, fileId, NOW)).toBeUndefined();
});

test('the sweep removes what is deleted, expired or was never committed, with its content, and nothing else', async () => {
  const accountId = account();
  const claims = createClaims(store, fileCollection, REMOVAL_PATH);
  const uploading = await open(accountId);
  await files.write(ctx, accountId, uploading, pieces(randomBytes(1_000_000)), MAX);
  const deleted = await stored(accountId);
  await files.remove(ctx, accountId, deleted, NOW);
  const kept = await stored(accountId);
  const claimed = async (at: Date): Promise<string[]> => {
    const found = await claims.claim(accountId, { now: at, until: later(KEPT_MS * 2), limit: 10 });
    for (const { document } of found) expect(await files.sweep(document, at)).toBeNull();
    return found.map(({ document }) => document._id);
  };
  expect(await claimed(NOW)).toEqual([deleted]);
  const half = await documentOf(uploading);
  expect(await chunksOf(half)).toBeGreaterThan(1);
  expect(await claimed(later(UPLOAD_MS))).toEqual([uploading]);
  expect(await chunksOf(half)).toBe(0);
  expect(await documentOf(uploading)).toBeNull();
  const file = await documentOf(kept);
  if (file === null) throw new Error('not kept');
  expect(await files.sweep(file, NOW)).toEqual(later(KEPT_MS));
  expect(await claimed(later(KEPT_MS))).toEqual([kept]);
  expect(await chunksOf(file)).toBe(0);
});

test('an account has room for so many files and bytes; uploads in progress count, removed files do not', async () => {
  const accountId = account();
  const GIB = 1024 ** 3;
  const first = await open(accountId, GIB / 2);
  await open(accountId, GIB / 2);
  await expect(open(accountId, 1)).rejects.toMatchObject({ code: 'CONFLICT' });
  await files.abandon(accountId, first, NOW);
  await open(accountId, 1);
  await open(account(), 1);
});

/** How many of eight uploads that begin at once may. */
async function beginAtOnce(accountId: string, maxBytes: number): Promise<number> {
  const opened = Array.from({ length: 8 }, () => open(accountId, maxBytes));
  const results = await Promise.allSettled(opened);
  const reasons = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  );
  for (const reason of reasons) expect(reason).toMatchObject({ code: 'CONFLICT' });
  return results.filter(({ status }) => status === 'fulfilled').length;
}

test('uploads that begin at once have the room that there is, neither more nor less', async () => {
  const [bytes, many] = [account(), account()];
  expect(await beginAtOnce(bytes, MAX_ACCOUNT_BYTES / 3)).toBe(3);
  const one = await documentOf(await open(many, 1));
  const copies = Array.from({ length: MAX_FILES - 3 }, (_, index) => ({ ...one, _id: `copy_${index}` }));
  // Copies of what was stored.
  await store.collection(fileCollection).insertMany(copies as FileDocument[]);
  expect(await beginAtOnce(many, 1)).toBe(2);
});

test('reading fails at the end if a part of the content is gone', async () => {
  const accountId = account();
  const bytes = randomBytes(MAX);
  const fileId = await stored(accountId, bytes);
  const read = await files.read(ctx, accountId, fileId);
  const contentId = (await documentOf(fileId))?.contentId ?? [];
  await store.collection(chunkCollection).deleteOne({ files_id: contentId, n: 5 });
  await expect(allOf(read)).rejects.toThrow('incomplete');
});

test('erasing an account removes the content of its files and of no others', async () => {
  const [mine, other] = [account(), account()];
  const [a, b] = [await documentOf(await stored(mine)), await documentOf(await stored(other))];
  await files.eraseContents(ctx, mine);
  expect([await chunksOf(a), await chunksOf(b)]).toEqual([0, 1]);
});

test('no query scans a collection', async () => {
  const accountId = account();
  await stored(accountId);
  await store.db.command({ profile: 2 });
  const fileId = await stored(accountId);
  await allOf(await files.read(ctx, accountId, fileId));
  await files.find(ctx, accountId, fileId, NOW);
  await files.remove(ctx, accountId, fileId, NOW);
  await files.abandon(accountId, await open(accountId), NOW);
  await files.eraseContents(ctx, accountId);
  await store.db.command({ profile: 0 });
  const plans = await store.db
    .collection<{ planSummary?: string; ns: string }>('system.profile')
    .find({ planSummary: /COLLSCAN/ })
    .toArray();
  expect(plans.map(({ ns, planSummary }) => `${ns} ${planSummary}`)).toEqual([]);
});
