import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { neighbours, SCHEDULE_TYPE, triggerType } from '../testing/triggers.ts';
import { findConnection } from './find-connection.ts';

const ctx = testContext();

describe('findConnection', () => {
  it('takes the named connection of the application, and refuses others', async () => {
    const deps = neighbours(triggerType(), [
      { id: 7, applicationSlug: 'sandbox-crm' },
      { id: 8, applicationSlug: 'postgresql' },
    ]);
    const find = (id: number | undefined) => findConnection(deps, ctx, triggerType(), id);
    expect(await find(7)).toBe(7);
    await expect(find(8)).rejects.toMatchObject({ code: 'WRONG_APPLICATION' });
    await expect(find(9)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(find(undefined)).rejects.toMatchObject({ code: 'EMPTY_QUERY' });
    expect(deps.created).toEqual([]);
  });

  it('supplies one of the account, or creates it, if the type needs none', async () => {
    const without = neighbours(SCHEDULE_TYPE);
    expect(await findConnection(without, ctx, SCHEDULE_TYPE, undefined)).toBe(99);
    expect(without.created).toEqual(['schedule Schedule']);
    const having = neighbours(SCHEDULE_TYPE, [{ id: 3, applicationSlug: 'schedule' }]);
    expect(await findConnection(having, ctx, SCHEDULE_TYPE, undefined)).toBe(3);
    expect(having.created).toEqual([]);
  });
});
