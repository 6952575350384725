import type { ToolDefinition } from '@fairlead/connector-model/model';
import { expect, test } from 'vitest';
import { toolDefinition } from '../testing/fixtures.ts';
import { isRepeatable, mayHaveEffects, onlyDefault, refuseUnlicensed, toolOfConnection } from './target.ts';
import type { Candidate, Connection } from './target.ts';

const definition: ToolDefinition = toolDefinition();
const candidate = (applicationSlug: string): Candidate => ({
  applicationSlug,
  isPlatform: true,
  definition,
});
const connection = (applicationSlug: string, isLicensed = true): Connection => ({
  id: 7,
  applicationSlug,
  authenticationId: 1,
  isLicensed,
  isDefault: false,
  endUserId: null,
});

test('the tool is that of the connection’s application', () => {
  expect(toolOfConnection([candidate('a'), candidate('b')], connection('b')).applicationSlug).toBe('b');
});

test('a connection of another application is WRONG_APPLICATION', () => {
  expect(() => toolOfConnection([candidate('a')], connection('b'))).toThrow(
    expect.objectContaining({ code: 'WRONG_APPLICATION' }),
  );
});

test('the only default among the candidates decides', () => {
  const target = onlyDefault([candidate('a'), candidate('b')], [connection('b')]);
  expect(target).toMatchObject({
    tool: { applicationSlug: 'b' },
    connection: { id: 7 },
  });
});

test.each([
  ['none', []],
  ['two', [connection('a'), connection('b')]],
])(
  'with %s of the candidates having a default the tool is ambiguous, and the candidates are named',
  (_name, defaults) => {
    expect(() => onlyDefault([candidate('a'), candidate('b')], defaults)).toThrow(
      expect.objectContaining({ code: 'AMBIGUOUS_TOOL', candidates: ['a', 'b'] }),
    );
  },
);

test('a connection without a licence is CONNECTION_BLOCKED', () => {
  const refused = () => refuseUnlicensed(connection('a', false));
  expect(refused).toThrow(expect.objectContaining({ code: 'CONNECTION_BLOCKED' }));
  expect(refused).toThrow(/Its application was not called\.$/);
  expect(() => refuseUnlicensed(connection('a'))).not.toThrow();
});

test('only a tool that the platform’s catalogue calls read-only is known to have no effects', () => {
  const of = (o: Partial<Candidate>): boolean => mayHaveEffects({ ...candidate('crm'), ...o });
  expect(of({})).toBe(false);
  expect(of({ isPlatform: false })).toBe(true);
  for (const retryClass of ['idempotent', 'unsafe'] as const)
    expect(of({ definition: { ...definition, retryClass } })).toBe(true);
  expect(of({ definition: { ...definition, execution: { type: 'passthrough' } } })).toBe(true);
});

test('only a tool that the platform’s catalogue calls read-only or idempotent may be called twice', () => {
  for (const [retryClass, expected] of [
    ['readOnly', true],
    ['idempotent', true],
    ['unsafe', false],
  ] as const) {
    const of = { ...candidate('crm'), definition: { ...definition, retryClass } };
    expect(isRepeatable(of)).toBe(expected);
    expect(isRepeatable({ ...of, isPlatform: false })).toBe(false);
  }
});
