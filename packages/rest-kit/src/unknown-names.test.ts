import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from './issues.ts';
import { readQuery } from './parameters.ts';
import { refusesUnknown, unknownName } from './unknown-names.ts';

const known = ['readOnly', 'fixedFields', 'callsPerHour'];

test.each([
  ['readonly', 'is not known here: did you mean readOnly?'],
  ['read_only', 'is not known here: did you mean readOnly?'],
  ['callsperhours', 'is not known here: did you mean callsPerHour?'],
  ['budget', 'is not known here: known are readOnly, fixedFields, callsPerHour'],
  ['readOnly'.repeat(100), 'is not known here: known are readOnly, fixedFields, callsPerHour'],
])('an unknown name %s gets the nearest known one, or all of them', (name, issue) => {
  expect(unknownName(`policy.${name}`, { name, known })).toEqual({
    field: `policy.${name}`,
    issue,
    isEnum: false,
  });
});

it('names each unknown member of an object that refuses them, wherever it stands, and ignores them elsewhere', () => {
  const schema = z.object({
    policy: z
      .strictObject({ readOnly: z.boolean().default(false) })
      .nullable()
      .transform((given) => given),
  });
  const sent = { other: 1, policy: { readonly: true, budget: 1 } };
  expect(parseInput(schema, sent).findings.map(({ field, issue }) => [field, issue])).toEqual([
    ['policy.readonly', 'is not known here: did you mean readOnly?'],
    ['policy.budget', 'is not known here: known are readOnly'],
  ]);
  expect(parseInput(schema, { other: 1, policy: {} }).findings).toEqual([]);
});

it('names unknown parameters of a query that refuses them, each once', () => {
  const types = new Map([['dryRun', 'boolean' as const]]);
  const search = new URLSearchParams('dryrun=true&dryrun=true&dryRun=true');
  expect(readQuery(search, types, { refusesUnknown: false })).toEqual({
    values: { dryRun: true },
    findings: [],
  });
  expect(readQuery(search, types, { refusesUnknown: true }).findings).toEqual([
    { field: 'dryrun', issue: 'is not known here: did you mean dryRun?', isEnum: false },
  ]);
});

it('knows which schemas refuse unknown names', () => {
  expect(refusesUnknown(z.strictObject({}))).toBe(true);
  expect(refusesUnknown(z.object({}))).toBe(false);
  expect(refusesUnknown(z.looseObject({}))).toBe(false);
});
