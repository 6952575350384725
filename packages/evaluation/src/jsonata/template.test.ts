import type { Json } from '@fairlead/connector-model/json';
import { expect, test } from 'vitest';
import { expressionsOf } from './expressions.ts';
import { compileTemplate, syntaxIssues } from './template.ts';

const context: Json = {
  input: { name: 'Ada', tags: ['a', 'b'] },
  steps: { find: { isSuccess: true, output: { items: [{ id: 1 }, { id: 2 }] } } },
};

const evaluate = (template: Json): Promise<Json> => compileTemplate(template)(context);

test('strings that begin with = are expressions, at any depth; everything else is itself', async () => {
  expect(
    await evaluate({
      name: '=input.name',
      text: 'input.name',
      list: ['=steps.find.output.items.id', { deep: "='Hello ' & input.name" }, 7],
    }),
  ).toEqual({ value: { name: 'Ada', text: 'input.name', list: [[1, 2], { deep: 'Hello Ada' }, 7] } });
});

test('a member whose expression selects nothing is left out, such an item is null, such a template has no value', async () => {
  expect(await evaluate({ a: '=input.nothing', b: ['=input.nothing'] })).toEqual({ value: { b: [null] } });
  expect(await evaluate('=input.nothing')).toEqual({});
});

test.each([
  ['an endless recursion', '=($f := function($n) { $f($n + 1) }; $f(1))'],
  ['a recursion that is no tail call', '=($f := function($n) { 1 + $f($n + 1) }; $f(1))'],
  ['a value that is too large', "=$pad('', 2000000)"],
  ['a list that is too long', '=$count([1..9000000])'],
  ['a type error', "=1 + 'a'"],
])('%s is an error with its path', async (_name, text) => {
  expect(await evaluate({ a: { b: [text] } })).toEqual({
    error: { path: '.a.b[0]', message: expect.any(String) as string },
  });
});

test('a function has no value, and an expression reaches no prototype', async () => {
  const template = {
    f: '=function($x) { $x }',
    g: '=[$sum]',
    p: '=input.constructor',
    q: '=input.__proto__',
  };
  expect(await evaluate(template)).toEqual({ value: { g: [null] } });
});

test('the expressions of a template are listed with their paths', () => {
  expect(expressionsOf({ a: '=x', b: [{ c: '=y' }, 'z'] })).toEqual([
    { path: '.a', text: 'x' },
    { path: '.b[0].c', text: 'y' },
  ]);
});

test('texts that are not JSONata are named by their index', () => {
  expect(syntaxIssues(['input.name', 'input.', 'a b'])).toEqual([
    { index: 1, issue: expect.any(String) as string },
    { index: 2, issue: expect.any(String) as string },
  ]);
});
