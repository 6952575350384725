import { describe, expect, it } from 'vitest';
import { renderUrl } from './url-template.ts';

const BASE = 'https://api.example.com/v1/';
const url = (template: string, input: Record<string, string | number>, base?: string): string =>
  renderUrl(template, { input, field: input }, base).href;

describe('renderUrl', () => {
  it('puts a path under the base, whatever slashes either has', () => {
    expect(url('/a/b', {}, BASE)).toBe('https://api.example.com/v1/a/b');
    expect(url('a/b', {}, 'https://api.example.com/v1')).toBe('https://api.example.com/v1/a/b');
    expect(url('?q=1', {}, BASE)).toBe('https://api.example.com/v1?q=1');
  });

  it('takes a whole URL, with placeholders in host, path and query', () => {
    expect(
      url('https://{{field.host}}/x/{{input.id}}?q={{input.q}}', {
        host: 'eu.example.com:8443',
        id: 7,
        q: 'a&b',
      }),
    ).toBe('https://eu.example.com:8443/x/7?q=a%26b');
    expect(url('{{field.url}}/x', { url: 'https://example.com/base/' })).toBe('https://example.com/base/x');
  });

  it('percent-encodes values in the path, so that one value stays one segment', () => {
    expect(url('/a/{{input.id}}/c', { id: 'x/../y?z#é ;' }, BASE)).toBe(
      'https://api.example.com/v1/a/x%2F..%2Fy%3Fz%23%C3%A9%20%3B/c',
    );
    expect(url('/a/{{input.id}}', { id: '\ud800' }, BASE)).toBe('https://api.example.com/v1/a/%EF%BF%BD');
  });

  it.each(['.', '..'])('refuses a value that makes the segment %s', (id) => {
    expect(() => url('/a/{{input.id}}', { id }, BASE)).toThrow('must not be');
  });

  it('refuses dot segments that are assembled or encoded by the template', () => {
    expect(() => url('/a/{{input.a}}{{input.b}}', { a: '.', b: '.' }, BASE)).toThrow('must not be');
    expect(() => url('/a/%2E{{input.b}}', { b: '.' }, BASE)).toThrow('must not be');
  });

  it('names an empty or missing value in the path when refusing it', () => {
    expect(() => url('/a/{{input.id}}', { id: '' }, BASE)).toThrow('id must not be empty');
    expect(() => url('/a/{{input.id}}', {}, BASE)).toThrow('a value for id');
  });

  it.each(['a.example/x', 'user@evil.example', 'evil.example?', 'evil.example#', 'a b', 'evil\\x', ''])(
    'refuses %j as a host',
    (host) => {
      expect(() => url('https://{{field.host}}.example.com/', { host })).toThrow('host name');
    },
  );

  it.each([
    'ftp://example.com',
    'https://u:p@example.com',
    'https://example.com?x',
    'https://example.com/#x',
    'x',
  ])('refuses %j as a base address', (base) => {
    expect(() => url('/a', {}, base)).toThrow('base address');
    expect(() => url('{{field.base}}/a', { base })).toThrow('base address');
  });

  it('needs a base for a path', () => {
    expect(() => url('/a', {})).toThrow('no base address');
  });
});
