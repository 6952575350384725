import { expect, it } from 'vitest';
import { listThings, problemsOf } from '../testing/manifest.ts';

const problems = (filters: Record<string, unknown>): readonly string[] =>
  problemsOf({ tools: [{ ...listThings, filters }] }).map(({ message }) => message);

it('parameters of conditions are those of the declared fields, and replace the query', () => {
  const [field] = listThings.filters.fields;
  const byField = { [field ?? '']: { eq: 'q' } };
  expect(problems({ fields: [field], byField })).toEqual([]);
  expect(problems({ fields: [field], byField: { other: { eq: 'q' } } })).toHaveLength(2);
  expect(problems({ fields: [field], byField, query: { name: 'f', value: 'x' } })).toEqual([
    'stands in place of `query`',
  ]);
  expect(problems({ fields: [field], byField: { [field ?? '']: { like: 'q' } } })).not.toEqual([]);
});
