import { expect, test } from 'vitest';
import { headerArgumentsOf } from './header-arguments.ts';

test('arguments at any depth that name a header are repeated there', () => {
  const place = { type: 'object', properties: { zone: { type: 'integer', 'x-mcp-header': 'Zone' } } };
  const properties = {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    place,
    other: { type: 'string' },
  };
  expect(headerArgumentsOf({ type: 'object', properties })).toEqual([
    { header: 'region', path: ['region'] },
    { header: 'zone', path: ['place', 'zone'] },
  ]);
  expect(headerArgumentsOf({ type: 'object' })).toEqual([]);
});

test.each([
  ['an empty name', { a: { type: 'string', 'x-mcp-header': '' } }],
  ['a name that is no token', { a: { type: 'string', 'x-mcp-header': 'My Region' } }],
  ['a name that is no text', { a: { type: 'string', 'x-mcp-header': 1 } }],
  ['an object', { a: { type: 'object', 'x-mcp-header': 'A' } }],
  [
    'the same name twice',
    {
      a: { type: 'string', 'x-mcp-header': 'A' },
      b: { type: 'string', 'x-mcp-header': 'a' },
    },
  ],
])('a schema with %s has none', (_what, properties) => {
  expect(headerArgumentsOf({ type: 'object', properties })).toEqual([]);
});
