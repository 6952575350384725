import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { platformApplicationCollection } from './platform-application.collection.ts';
import { createPlatformApplicationRepository } from './platform-application.repository.ts';

let store: MongoStore & { drop(): Promise<void> };
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [platformApplicationCollection]);
});
afterAll(() => store.drop());

const monday = new Date('2026-01-05T00:00:00.000Z');
const tuesday = new Date('2026-01-06T00:00:00.000Z');
const wednesday = new Date('2026-01-07T00:00:00.000Z');

describe('times of platform applications', () => {
  it('are set when one is first seen, survive a restart, and change only with its content', async () => {
    const repository = createPlatformApplicationRepository(store);
    await repository.recordAll(
      new Map([
        ['crm', 'h1'],
        ['http', 'h1'],
      ]),
      monday,
    );
    const same = await repository.recordAll(new Map([['crm', 'h1']]), tuesday);
    expect(same).toEqual(new Map([['crm', { createdAt: monday, updatedAt: monday }]]));
    const changed = await repository.recordAll(
      new Map([
        ['crm', 'h2'],
        ['http', 'h1'],
      ]),
      wednesday,
    );
    expect(changed.get('crm')).toEqual({ createdAt: monday, updatedAt: wednesday });
    expect(changed.get('http')).toEqual({ createdAt: monday, updatedAt: monday });
  });

  it('are the same for replicas that start at once', async () => {
    const repositories = Array.from({ length: 8 }, () => createPlatformApplicationRepository(store));
    const times = await Promise.all(
      repositories.map((repository, index) =>
        repository.recordAll(new Map([['new', 'h']]), new Date(monday.getTime() + index)),
      ),
    );
    expect(new Set(times.map((found) => found.get('new')?.createdAt.getTime())).size).toBe(1);
  });

  it('need no document if there is no application', async () => {
    expect(await createPlatformApplicationRepository(store).recordAll(new Map(), monday)).toEqual(new Map());
  });
});
