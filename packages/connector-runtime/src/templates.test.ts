import { describe, expect, it } from 'vitest';
import type { Json } from '@fairlead/connector-model/json';
import { renderText, renderValue } from './templates.ts';

const values = {
  input: { name: 'Ada', age: 36, tags: ['x', 'y'], nothing: null, nested: { a: 1 }, 'first-name': 'A' },
  field: { token: 't' },
};

describe('renderValue', () => {
  it.each<[string, Json, Json | undefined]>([
    ['a whole placeholder keeps its type', '{{input.age}}', 36],
    ['null is a value', '{{input.nothing}}', null],
    ['objects and lists too', { a: '{{input.nested}}', b: '{{input.tags}}' }, { a: { a: 1 }, b: ['x', 'y'] }],
    ['text around it makes text', 'is {{input.age}}', 'is 36'],
    ['spaces in the braces do not count', '{{ input.name }}', 'Ada'],
    ['names may have other characters', '{{input.first-name}}', 'A'],
    ['undefined drops a member', { a: '{{input.none}}', b: 1 }, { b: 1 }],
    ['undefined drops an element', ['{{input.none}}', 1], [1]],
    ['and an object of undefined members', { a: { b: { c: '{{input.none}}' } }, d: {} }, { d: {} }],
    [
      'and elements and lists of them',
      { a: [{ b: '{{input.none}}' }], c: [{ d: '{{input.none}}' }, 1] },
      { c: [1] },
    ],
    ['undefined drops a text whole', { a: 'Dear {{input.none}}' }, {}],
    ['undefined alone is undefined', '{{input.none}}', undefined],
    ['an unknown scope is undefined', '{{secret.token}}', undefined],
    ['other values stay', [1, true, null, 'text'], [1, true, null, 'text']],
  ])('%s', (_name, template, expected) => {
    expect(renderValue(template, values)).toEqual(expected);
  });

  it('reads own members only', () => {
    for (const path of ['input.constructor', 'input.__proto__', 'constructor.name', 'input.toString']) {
      expect(renderValue(`{{${path}}}`, values)).toBeUndefined();
    }
  });

  it('keeps a member named __proto__ as data', () => {
    const rendered = renderValue(JSON.parse('{"__proto__":{"isAdmin":"{{input.name}}"}}') as Json, values);
    expect(Object.hasOwn(rendered as object, '__proto__')).toBe(true);
    expect((rendered as { isAdmin?: unknown }).isAdmin).toBeUndefined();
  });

  it('does not render placeholders inside values', () => {
    expect(renderValue('{{input.a}}', { input: { a: '{{field.token}}' }, field: { token: 't' } })).toBe(
      '{{field.token}}',
    );
    expect(renderText('x{{input.a}}', { input: { a: '{{field.token}}' }, field: { token: 't' } })).toBe(
      'x{{field.token}}',
    );
  });
});

describe('renderText', () => {
  it('writes scalars as they are, lists of them with commas, other structures as JSON', () => {
    expect(renderText('{{input.tags}} {{input.nested}} {{input.age}}', values)).toBe('x,y {"a":1} 36');
  });
});
