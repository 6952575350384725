import type { JsonObject } from '@fairlead/connector-model/json';
import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, test } from 'vitest';
import { projectOutcome, readOutputFields } from './output-fields.ts';

const output = {
  id: 1,
  items: [
    { name: 'Ada', address: { city: 'London', zip: 'N1' } },
    { name: 'Bob', address: null },
    5,
    [{ name: 'Eve' }],
  ],
  owner: { name: 'Root', roles: ['a', 'b'] },
};

function projected(paths: string[], of: JsonObject = output) {
  return projectOutcome({ isSuccess: true, output: of }, readOutputFields(paths));
}

describe('an output', () => {
  test('is whole without paths', () => {
    expect(projected([])).toEqual({ isSuccess: true, output });
  });

  test.each<[string[], unknown]>([
    [['id'], { id: 1 }],
    [['owner.name', 'id'], { id: 1, owner: { name: 'Root' } }],
    [['owner.roles'], { owner: { roles: ['a', 'b'] } }],
    [['owner', 'owner.name'], { owner: output.owner }],
    [['owner.name', 'owner'], { owner: output.owner }],
    [['nothing', 'owner.nothing'], { owner: {} }],
    [['id.below'], {}],
    [['items.name'], { items: [{ name: 'Ada' }, { name: 'Bob' }, [{ name: 'Eve' }]] }],
    [['items.address.city'], { items: [{ address: { city: 'London' } }, {}, [{}]] }],
  ])('has of %j what is there', (paths, expected) => {
    expect(projected(paths)).toEqual({ isSuccess: true, output: expected });
  });

  test('keeps members with the names of built-in ones as data', () => {
    const hostile = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}') as JsonObject;
    expect(JSON.stringify(projected(['__proto__.a', 'constructor.c', 'toString'], hostile))).toBe(
      '{"isSuccess":true,"output":{"__proto__":{"a":1},"constructor":{}}}',
    );
  });

  test('is none of a failure', () => {
    const failure = { isSuccess: false, errorMessage: 'No.' } as const;
    expect(projectOutcome(failure, readOutputFields(['id']))).toBe(failure);
  });
});

describe('paths', () => {
  const issuesOf = (paths: string[]): unknown => {
    try {
      return readOutputFields(paths);
    } catch (error) {
      return error instanceof ApiError ? error.details.map(({ field }) => field) : error;
    }
  };

  test.each(['', '.', 'a.', '.a', 'a..b', 'x'.repeat(201)])('%j is malformed', (path) => {
    expect(issuesOf(['id', path])).toEqual(['outputFields[1]']);
  });

  test('are at most 100', () => {
    expect(issuesOf(Array.from({ length: 101 }, () => 'id'))).toEqual(['outputFields']);
  });
});
