import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openVectorFile } from './vector-store.ts';
import type { VectorStore } from './vector-store.ts';
import { toVector, vectorKey } from './vectors.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-vectors-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function open(name: string): Promise<VectorStore> {
  const store = openVectorFile(join(folder, name), captureLog().log);
  await store.ready();
  return store;
}

const [a, b] = [vectorKey('a'), vectorKey('b')];

describe('the file of vectors', () => {
  it('has in the next run what was found in this one', async () => {
    const first = await open('kept');
    first.set(a, toVector([3, 4]));
    await first.save();
    const second = await open('kept');
    expect(second.get(a)).toEqual(toVector([3, 4]));
    expect(second.get(b)).toBeUndefined();
  });

  it('loses what nobody uses any longer, and has the same bytes whatever the order', async () => {
    for (const [name, keys] of [
      ['one', [a, b]],
      ['two', [b, a]],
    ] as const) {
      const store = await open(name);
      for (const key of keys) store.set(key, toVector([1]));
      await store.save();
    }
    expect(await readFile(join(folder, 'one'))).toEqual(await readFile(join(folder, 'two')));
    const next = await open('one');
    next.get(a);
    await next.save();
    expect((await open('one')).get(b)).toBeUndefined();
  });

  it('is ignored if it is of another model', async () => {
    await writeFile(join(folder, 'other'), 'fairlead vectors 1 another\n');
    expect((await open('other')).get(a)).toBeUndefined();
  });

  it('that cannot be written is no failure', async () => {
    const store = await open('missing/folder');
    store.set(a, toVector([1]));
    await store.save();
    expect(store.get(a)).toEqual(toVector([1]));
  });
});
