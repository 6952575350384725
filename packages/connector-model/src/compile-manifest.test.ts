import { describe, expect, it } from 'vitest';
import { compileManifest } from './compile-manifest.ts';
import { apiKeyMethod, compile, compiled, getThing, listThings } from './testing/manifest.ts';
import type { Members } from './testing/manifest.ts';

describe('a compiled manifest', () => {
  it('has every default filled in', () => {
    const connector = compiled({});
    expect(connector.logoUrl).toMatch(/^data:image\/svg/);
    expect(connector).toMatchObject({
      isMcpEnabled: true,
      maturity: 'verified',
      categories: [],
    });
    expect(connector.tools[0]).toMatchObject({
      version: '1.2.3',
      aliases: [],
      isDeprecated: false,
      isDestructive: false,
      filters: null,
      execution: {
        type: 'http',
        request: { method: 'GET', query: {}, headers: {}, body: null },
        response: { type: 'object', pointer: '' },
      },
    });
  });

  it("has the icon that it names, or that of its slug, in the brand's colour; otherwise a letter", () => {
    const icons = new Map([
      ['acme', { color: 'FFE01B', path: 'M1 2' }],
      ['other', { color: '181717', path: 'M3 4' }],
    ]);
    const logoOf = (members: Members): string => {
      const result = compile(members, { icons });
      if (!result.ok) return result.problems.map(({ path, message }) => `${path} ${message}`).join();
      return decodeURIComponent(result.connector.logoUrl ?? '');
    };
    // The icon is dark on a light tile, and white on a dark one.
    expect(logoOf({})).toMatch(/fill='#FFE01B'.*fill='#14181F' d='M1 2'/);
    expect(logoOf({ icon: 'other' })).toMatch(/fill='#181717'.*fill='#FFFFFF' d='M3 4'/);
    expect(logoOf({ icon: null, name: '"élan' })).toMatch(/>É<\/text>/);
    expect(logoOf({ icon: 'gone' })).toBe('icon is not the name of an icon');
    expect(logoOf({ logoUrl: 'data:image/png;base64,' })).toBe('data:image/png;base64,');
  });

  it('supports 5 conditions and 2 sort clauses by default', () => {
    const [tool] = compiled({ tools: [listThings] }).tools;
    expect([tool?.filters?.max, tool?.sorts?.max]).toEqual([5, 2]);
  });

  it("sends the connector's headers with every request; the request's own take precedence in any case", () => {
    const connector = compiled({
      headers: { 'x-a': 'all', 'X-B': 'all' },
      authenticationMethods: [{ ...apiKeyMethod, test: { type: 'http', request: { url: '/me' } } }],
      tools: [{ ...getThing, request: { ...getThing.request, headers: { 'x-b': 'own' } } }],
    });
    expect(connector.tools[0]?.execution).toMatchObject({
      request: { headers: { 'x-a': 'all', 'x-b': 'own' } },
    });
    expect(JSON.stringify(connector.tools[0]?.execution)).not.toContain('X-B');
    expect(connector.authenticationMethods[0]?.test).toMatchObject({
      request: { headers: { 'X-B': 'all' } },
    });
  });

  it('holds shared schemas in place of references; members beside the reference take precedence', () => {
    const connector = compiled({
      schemas: {
        id: { type: 'string', description: 'Any id.' },
        thing: { type: 'object', properties: { id: { $ref: '#/schemas/id', description: 'Its id.' } } },
      },
      tools: [{ ...getThing, outputSchema: { $ref: '#/schemas/thing' } }],
    });
    expect(connector.tools[0]?.outputSchema).toEqual({
      type: 'object',
      properties: { id: { type: 'string', description: 'Its id.' } },
    });
  });
});

describe('an invalid manifest', () => {
  it('is reported with file, line and path of every problem at once', () => {
    const text = [
      'slug: acme',
      'name: Acme',
      'description: Things.',
      'version: "1"',
      'authenticationMethods:',
      '  - authenticationId: 0',
      '    authenticationName: None',
      '    isDefault: true',
      '    scheme: { type: telepathy }',
    ].join('\n');
    const result = compileManifest(text, { directory: 'acme', file: 'acme/connector.yaml' });
    expect(result).toMatchObject({
      ok: false,
      problems: [
        { file: 'acme/connector.yaml', line: 4, path: 'version' },
        { file: 'acme/connector.yaml', line: 9, path: 'authenticationMethods[0].scheme.type' },
      ],
    });
  });

  it('that is not YAML is reported with its line', () => {
    const result = compileManifest('slug: acme\nname: [', { directory: 'acme', file: 'f' });
    expect(result).toMatchObject({ ok: false, problems: [{ file: 'f', line: 2, path: '' }] });
  });
});
