import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { KEPT_MS, MAX_ACCOUNT_BYTES, MAX_FILES, UPLOAD_MS } from '../domain/file.ts';
import type { FileKeeper } from '../domain/file.ts';
import { approval } from '../testing/approvals.ts';
import { approvalCollection } from './approval.collection.ts';
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
const DAY_MS = 24 * 60 * 60 * 1_000;
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

async function storeFile(accountId: string, bytes = Buffer.from('content')): Promise<string> {
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
  const deleted = await storeFile(accountId);
  await files.remove(ctx, accountId, deleted, NOW);
  const kept = await storeFile(accountId);
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

const keeperOf = (approvalId: string, endUserId: string | null = null) => ({
  approvalId,
  endUserId,
  until: later(DAY_MS),
});

/** Content stored for an approval. */
async function storeKept(
  accountId: string,
  keeper: FileKeeper,
  bytes = Buffer.from('content'),
): Promise<string> {
  const fileId = await open(accountId, bytes.length);
  await files.write(ctx, accountId, fileId, pieces(bytes), bytes.length);
  expect(await files.hold(ctx, accountId, fileId, keeper, NOW)).toBe(true);
  return fileId;
}

test('a content that is kept for an approval counts, and only its approval reads it', async () => {
  const accountId = account();
  const fileId = await storeKept(accountId, keeperOf('mine'));
  const isKept = async (of: { fileId: string; approvalId: string }, by = accountId) =>
    (await files.readHeld(ctx, by, of)) !== undefined;
  const read = await files.readHeld(ctx, accountId, { fileId, approvalId: 'mine' });
  expect(read?.label).toEqual(label);
  expect(Buffer.concat(await allOf(read?.content ?? pieces(Buffer.alloc(0)))).toString()).toBe('content');
  expect(await isKept({ fileId, approvalId: 'another' })).toBe(false);
  expect(await isKept({ fileId, approvalId: 'mine' }, account())).toBe(false);
  expect(await files.find(ctx, accountId, fileId, NOW)).toBeUndefined();
  expect(await files.remove(ctx, accountId, fileId, NOW)).toBe(false);
  expect(await files.commit(ctx, accountId, fileId, NOW)).toBeUndefined();
  await expect(files.read(ctx, accountId, fileId)).rejects.toThrow('no such file');
  expect(await files.hold(ctx, accountId, fileId, keeperOf('another'), NOW)).toBe(false);
  await expect(open(accountId, MAX_ACCOUNT_BYTES)).rejects.toMatchObject({ code: 'CONFLICT' });
  await files.dropHeld(accountId, { approvalId: 'another' }, NOW);
  expect(await isKept({ fileId, approvalId: 'mine' })).toBe(true);
  await files.dropHeld(accountId, { approvalId: 'mine' }, NOW);
  expect(await isKept({ fileId, approvalId: 'mine' })).toBe(false);
  await open(accountId, MAX_ACCOUNT_BYTES);
});

test('the contents of an end user’s approvals are dropped, and no others', async () => {
  const accountId = account();
  const theirs = await storeKept(accountId, keeperOf('theirs', 'customer-1'));
  const own = await storeKept(accountId, keeperOf('own'));
  await files.dropHeld(accountId, { endUserId: 'customer-1' }, NOW);
  const [gone, left] = [await documentOf(theirs), await documentOf(own)];
  expect([gone?.state, left?.state]).toEqual(['removed', 'held']);
});

test('a content that is kept becomes a file of the account for the calls of a run; the same again changes nothing', async () => {
  const accountId = account();
  const fileId = await storeKept(accountId, keeperOf('mine'));
  const of = { fileId, approvalId: 'mine' };
  expect(await files.publish(ctx, account(), of, NOW)).toBeUndefined();
  expect(await files.publish(ctx, accountId, { ...of, approvalId: 'another' }, NOW)).toBeUndefined();
  expect(await files.publish(ctx, accountId, of, later(1))).toMatchObject({ expiresAt: later(1 + KEPT_MS) });
  expect(await files.publish(ctx, accountId, of, later(1))).toMatchObject({ fileId, sizeBytes: 7 });
  expect(await files.find(ctx, accountId, fileId, later(DAY_MS))).toMatchObject({ fileId });
  await files.dropHeld(accountId, { approvalId: 'mine' }, NOW);
  expect(await files.find(ctx, accountId, fileId, NOW)).toMatchObject({ fileId });
});

test.each<
  [string, { status: 'pending' | 'approved' | 'rejected' | 'used'; updatedAt: Date } | null, boolean]
>([
  ['is pending', { status: 'pending', updatedAt: NOW }, true],
  ['is approved', { status: 'approved', updatedAt: NOW }, true],
  ['is being used', { status: 'used', updatedAt: later(UPLOAD_MS - 1) }, true],
  ['has been used', { status: 'used', updatedAt: NOW }, false],
  ['is rejected', { status: 'rejected', updatedAt: later(UPLOAD_MS) }, false],
  ['does not exist', null, false],
])('the sweep leaves a content whose approval %s, or removes it', async (_what, decided, stays) => {
  const accountId = account();
  const { approvalId, ...asked } = approval({ approvalId: randomUUID() });
  const document = { ...asked, fields: '{}', query: '{}', _id: approvalId, accountId, isOpen: false };
  if (decided !== null)
    await store
      .collection(approvalCollection)
      .insertOne({ ...document, fingerprint: approvalId, ...decided });
  const fileId = await storeKept(accountId, keeperOf(approvalId));
  const claims = createClaims(store, fileCollection, REMOVAL_PATH);
  const at = later(UPLOAD_MS);
  const claim = (now: Date) => claims.claim(accountId, { now, until: later(KEPT_MS), limit: 10 });
  expect(await claim(later(UPLOAD_MS - 1))).toEqual([]);
  const [found] = await claim(at);
  if (found === undefined) throw new Error('It is not due.');
  expect(await files.sweep(found.document, at)).toEqual(stays ? later(2 * UPLOAD_MS) : null);
  expect((await documentOf(fileId))?.state).toBe(stays ? 'held' : undefined);
  expect(await chunksOf(found.document)).toBe(stays ? 1 : 0);
  // The file expires together with its approval, in any state.
  expect(await files.sweep(found.document, later(DAY_MS))).toBeNull();
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

/** The number of successes among eight concurrent uploads. */
async function uploadAtOnce(accountId: string, maxBytes: number): Promise<number> {
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
  expect(await uploadAtOnce(bytes, MAX_ACCOUNT_BYTES / 3)).toBe(3);
  const one = await documentOf(await open(many, 1));
  const copies = Array.from({ length: MAX_FILES - 3 }, (_, index) => ({ ...one, _id: `copy_${index}` }));
  // Copies of stored files.
  await store.collection(fileCollection).insertMany(copies as FileDocument[]);
  expect(await uploadAtOnce(many, 1)).toBe(2);
});

test('reading fails at the end if a part of the content is gone', async () => {
  const accountId = account();
  const bytes = randomBytes(MAX);
  const fileId = await storeFile(accountId, bytes);
  const read = await files.read(ctx, accountId, fileId);
  const contentId = (await documentOf(fileId))?.contentId ?? [];
  await store.collection(chunkCollection).deleteOne({ files_id: contentId, n: 5 });
  await expect(allOf(read)).rejects.toThrow('incomplete');
});

test('erasing an account removes the content of its files and of no others', async () => {
  const [mine, other] = [account(), account()];
  const [a, b] = [await documentOf(await storeFile(mine)), await documentOf(await storeFile(other))];
  await files.eraseContents(ctx, mine);
  expect([await chunksOf(a), await chunksOf(b)]).toEqual([0, 1]);
});

test('no query scans a collection', async () => {
  const accountId = account();
  await storeFile(accountId);
  await store.db.command({ profile: 2 });
  const fileId = await storeFile(accountId);
  await allOf(await files.read(ctx, accountId, fileId));
  await files.find(ctx, accountId, fileId, NOW);
  await files.remove(ctx, accountId, fileId, NOW);
  await files.abandon(accountId, await open(accountId), NOW);
  const of = { fileId: await storeKept(accountId, keeperOf('mine')), approvalId: 'mine' };
  await files.readHeld(ctx, accountId, of);
  await files.publish(ctx, accountId, of, NOW);
  await storeKept(accountId, keeperOf('mine', 'customer-1'));
  await files.dropHeld(accountId, { approvalId: 'mine' }, NOW);
  await files.dropHeld(accountId, { endUserId: 'customer-1' }, NOW);
  await files.eraseContents(ctx, accountId);
  await store.db.command({ profile: 0 });
  const plans = await store.db
    .collection<{ planSummary?: string; ns: string }>('system.profile')
    .find({ planSummary: /COLLSCAN/ })
    .toArray();
  expect(plans.map(({ ns, planSummary }) => `${ns} ${planSummary}`)).toEqual([]);
});

test('clients without a credential leave half of the room of an account', async () => {
  const accountId = account();
  const caller = { kind: 'anonymousClient', accountId, serverId: randomUUID() } as const;
  const openAnonymously = (maxBytes: number) =>
    files.open({ ...ctx, caller }, accountId, { label, maxBytes, now: NOW });
  await openAnonymously(MAX_ACCOUNT_BYTES / 2);
  await expect(openAnonymously(1)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('clients without a credential may fill half') as string,
  });
  await open(accountId, MAX_ACCOUNT_BYTES / 2);
});
