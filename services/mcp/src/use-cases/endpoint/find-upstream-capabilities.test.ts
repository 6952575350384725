import { expect, test } from 'vitest';
import { DOCS, passing } from '../../testing/passing.ts';
import { offering } from '../../testing/upstreams.ts';

test('capabilities are those of the upstreams; one that is not known yet may have all', async () => {
  const onlyPrompts = offering(9, { prompts: [], hasCompletions: false });
  const { capabilities, wishes } = passing([onlyPrompts]);
  expect(await capabilities()).toEqual({ logging: {}, prompts: { listChanged: true } });
  expect(wishes).toEqual(['atOnce']);
  expect(await passing([onlyPrompts, DOCS], {}, [7]).capabilities()).toEqual({
    logging: {},
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    completions: {},
  });
  expect(await passing([DOCS]).capabilities()).toMatchObject({ resources: { listChanged: true } });
  expect(await passing([]).capabilities()).toEqual({});
});
