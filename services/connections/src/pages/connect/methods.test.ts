import { afterEach, describe, expect, test } from 'vitest';
import {
  closeAll,
  COOKIE,
  KEY_METHOD,
  OAUTH_METHOD,
  PATH,
  press,
  readable,
  setUp,
  show,
  textOf,
} from '../../testing/connect-pages.ts';

afterEach(closeAll);

const both = { methods: [OAUTH_METHOD, KEY_METHOD] };

describe('the methods', () => {
  test('the sign-in comes first; the form of the key is folded below it, and posts its own method', async () => {
    const { edge, calls } = await setUp(both);
    const text = textOf(await show(edge));
    const places = ['Sign in with Sandbox CRM</button>', '<details>', 'API key', 'name="field.apiToken"'].map(
      (shown) => text.indexOf(shown),
    );
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    await press(edge, { method: '1', 'field.apiToken': 's3cret' });
    expect(calls.at(-1)?.[1]).toMatchObject({ authenticationId: 1, fields: { apiToken: 's3cret' } });
  });

  test('a refused key is shown with its form open, and the sign-in beside it', async () => {
    const refusal = 'The key was not accepted.';
    const { edge } = await setUp({
      ...both,
      replaced: { connectApplication: () => Promise.resolve({ refusal }) },
    });
    const answer = await press(edge, { method: '1', 'field.apiToken': 's3cret' });
    expect([answer.status, readable(answer)]).toEqual([400, expect.stringContaining(refusal)]);
    expect(textOf(answer)).not.toContain('<details>');
    expect(textOf(answer)).toContain(
      `<a href="${PATH}?application=sandbox-crm&amp;method=0">Sign in with Sandbox CRM</a>`,
    );
  });
});

describe('help', () => {
  test('says where a key is found, with a link to the vendor’s page', async () => {
    const text = textOf(await show((await setUp(both)).edge));
    expect(text).toContain('Description of apiToken It is among the settings.');
    expect(text).toContain(
      '<a href="https://crm.example/settings?a=1&amp;b=2" target="_blank" rel="noopener noreferrer"',
    );
  });

  test('an address that is no web address is not linked', async () => {
    // A stored connector may be older than the current rules for manifests.
    const fields = KEY_METHOD.fields.map((field) => ({ ...field, helpUrl: 'javascript:alert(1)' }));
    const text = textOf(await show((await setUp({ methods: [{ ...KEY_METHOD, fields }] })).edge));
    expect(text).not.toContain('javascript:');
  });
});

describe('the texts of the connector', () => {
  test('are in the page’s language where the connector has them', async () => {
    const { edge } = await setUp({ ...both, session: { locale: 'de' } });
    const answer = await show(edge);
    const text = readable(answer);
    for (const shown of [
      'Kontakte ansehen',
      'API-Schlüssel',
      'API-Token',
      'Ein Token. Unter Einstellungen.',
      'Europa',
    ])
      expect(text).toContain(shown);
    for (const hidden of ['See contacts', 'Label of apiToken', 'API key']) expect(text).not.toContain(hidden);
    expect(textOf(answer)).not.toMatch(/lang="en">API-Token/);
  });

  test('are English otherwise, and marked as such', async () => {
    const { edge } = await setUp({ ...both, session: { locale: 'ja' } });
    const text = textOf(await show(edge));
    for (const marked of ['See contacts', 'API key', 'Label of apiToken'])
      expect(text).toMatch(new RegExp(`lang="en"\\s*>\\s*${marked}`));
  });

  test('name the choices that a sign-in found', async () => {
    const workspace = {
      label: 'Workspace',
      translations: { de: { label: 'Arbeitsbereich', description: 'Ihrer.', help: null } },
    };
    const [subdomain] = OAUTH_METHOD.fields;
    if (subdomain === undefined) throw new Error('The method has a field.');
    const method = { ...OAUTH_METHOD.method, fields: [{ ...subdomain, name: 'workspace', ...workspace }] };
    const { edge } = await setUp({
      methods: [{ ...OAUTH_METHOD, method }],
      session: { locale: 'de' },
      fieldOptions: { workspace: { w1: 'North', w2: 'South' } },
    });
    const cookie = `${COOKIE}; __Host-fairlead-choices-c1=0b7c9d1e-5f2a-4b3c-8d4e-6f708192a3b4`;
    const text = readable(await show(edge, '?choices=c1', { cookie }));
    for (const shown of ['Arbeitsbereich', 'Ihrer.', 'North']) expect(text).toContain(shown);
  });
});
