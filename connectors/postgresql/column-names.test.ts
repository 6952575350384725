import { expect, it } from 'vitest';
import { uniqueNames } from './column-names.ts';
import { cpuMs } from '@fairlead/connector-runtime/testing/cpu';

it('numbers repeated names, past names that are taken', () => {
  expect(uniqueNames(['a', 'a', 'b', 'a_2', 'a', 'a_2', 'a'])).toEqual([
    'a',
    'a_2',
    'b',
    'a_2_2',
    'a_3',
    'a_2_3',
    'a_4',
  ]);
});

it('is linear in the number of columns with the same name', async () => {
  const repeated = Array.from({ length: 30_000 }, () => '?column?');
  const distinct = repeated.map((name, index) => `${name}_${index}`);
  const baseline = await cpuMs(() => uniqueNames(distinct));
  expect(await cpuMs(() => uniqueNames(repeated))).toBeLessThan(10 * baseline + 20);
});
