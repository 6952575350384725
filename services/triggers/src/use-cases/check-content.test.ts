import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, it } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { neighbours, SCHEDULE_TYPE } from '../testing/triggers.ts';
import { checkContent } from './check-content.ts';

const check = (content: Parameters<typeof checkContent>[3]) =>
  checkContent(neighbours(SCHEDULE_TYPE), testContext(), SCHEDULE_TYPE, content);

describe('checkContent', () => {
  it('refuses a destination that does not exist, before anything else', async () => {
    const unknown = check({ destinationIds: ['dst_1', 'dst_9'], filter: '((' });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(check({ destinationIds: ['dst_1', 'dst_2'] })).resolves.toBeUndefined();
  });

  it('names what does not fit the schema, or the rules of schedules, and a filter that is not JSONata', async () => {
    await expect(
      check({ configuration: LazyJson.of({ everySeconds: 9 }), filter: '((' }),
    ).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [
        { field: 'configuration.everySeconds' },
        { field: 'filter', issue: 'is not JSONata: no end' },
      ],
    });
    await expect(check({ configuration: LazyJson.of({}) })).rejects.toMatchObject({
      details: [{ field: 'configuration.cron' }],
    });
    await expect(
      check({ configuration: LazyJson.of({ everySeconds: 10 }), filter: 'a = 1' }),
    ).resolves.toBeUndefined();
  });
});
