import { expect, it } from 'vitest';
import type { Json } from '@fairlead/connector-model/json';
import type { ValueStyle } from '@fairlead/connector-model/model';
import { parametersOf } from './parameters.ts';

const query = (value: Json, style: ValueStyle): string =>
  [...parametersOf('a', value, style)].map(([name, text]) => `${name}=${text}`).join('&');

it.each([
  ['repeat', [1, 'b'], 'a=1&a=b'],
  ['repeat', [], ''],
  ['repeat', { k: 1 }, 'a={"k":1}'],
  ['comma', [1, 'b'], 'a=1,b'],
  ['comma', { k: 1, l: 2 }, 'a=k,1,l,2'],
  ['comma', [], ''],
  ['comma', 'x', 'a=x'],
  ['space', [1, 2], 'a=1 2'],
  ['pipe', [1, 2], 'a=1|2'],
  ['json', [1, { k: 2 }], 'a=[1,{"k":2}]'],
  ['json', 'x', 'a=x'],
  ['members', { k: 1, l: ['x', 'y'] }, 'k=1&l=x&l=y'],
  ['members', 'x', 'a=x'],
  ['brackets', [1, 2], 'a[]=1&a[]=2'],
  ['brackets', { k: { l: true }, m: [1] }, 'a[k][l]=true&a[m][]=1'],
  ['indices', [{ k: 1 }, { k: 2 }], 'a[0][k]=1&a[1][k]=2'],
  ['indices', null, 'a='],
] as const)('writes parameters in the style %s: %j', (style, value, expected) => {
  expect(query(value, style)).toBe(expected);
});
