import { describe, expect, it } from 'vitest';
import { hasMalformedPlaceholder, placeholdersIn, templateParts } from './template.ts';

describe('templateParts', () => {
  it('splits texts and placeholders, in order', () => {
    expect(templateParts('/contacts/{{input.id}}?w={{ field.workspace }}')).toEqual([
      { text: '/contacts/' },
      { placeholder: { root: 'input', name: 'id' } },
      { text: '?w=' },
      { placeholder: { root: 'field', name: 'workspace' } },
    ]);
  });

  it('leaves braces that name no known root as text', () => {
    expect(templateParts('{{env.SECRET}} {{x}}')).toEqual([{ text: '{{env.SECRET}} {{x}}' }]);
  });

  it('returns no part for an empty string', () => {
    expect(templateParts('')).toEqual([]);
  });
});

describe('hasMalformedPlaceholder', () => {
  it.each(['{{input.}}', '{{inptu.id}}', 'a }} b', '{{input.id'])('finds %j', (text) => {
    expect(hasMalformedPlaceholder(text)).toBe(true);
  });

  it.each(['{{input.id}}', 'a{b}c', '{"a":{"b":1}}'.replace('}}', '} }')])('accepts %j', (text) => {
    expect(hasMalformedPlaceholder(text)).toBe(false);
  });
});

describe('placeholdersIn', () => {
  it('finds them at any depth, in values only', () => {
    expect(placeholdersIn({ '{{input.no}}': [{ a: '{{input.yes}}' }, 1, null, true] })).toEqual([
      { root: 'input', name: 'yes' },
    ]);
  });
});
