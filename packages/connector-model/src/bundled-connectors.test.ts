import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createConnectorDecoder, encodeConnectorHead } from './codec.ts';
import { compileConnectors, formatProblem } from './compile.ts';
import { manifestJsonSchema } from './manifest.ts';
import type { Connector } from './model.ts';
import { requiresOAuthSignIn } from './model.ts';
import { TRANSLATION_LANGUAGES } from './schema/translations.ts';

const directory = fileURLToPath(new URL('../../../connectors/', import.meta.url));

const compilation = compileConnectors(directory);

async function readBundled(slug: string): Promise<Connector> {
  const result = await compilation;
  if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
  const connector = result.connectors.find((candidate) => candidate.slug === slug);
  if (connector === undefined) throw new Error(`no connector ${slug}`);
  return connector;
}

describe('the published JSON Schema of manifests', () => {
  it('is current: node packages/connector-model/src/cli.ts --schema connectors/connector.schema.json', async () => {
    const published: unknown = JSON.parse(await readFile(`${directory}connector.schema.json`, 'utf8'));
    expect(published).toEqual(JSON.parse(JSON.stringify(manifestJsonSchema())));
  });
});

it('services read a connector whose settings name a vendor on this machine', async () => {
  const crm = JSON.stringify(await readBundled('sandbox-crm'));
  const filled = JSON.parse(crm.replaceAll('{{setting.baseUrl}}', 'http://127.0.0.1:4000')) as Connector;
  const { authenticationMethods } = createConnectorDecoder().head(encodeConnectorHead(filled));
  const [apiToken] =
    authenticationMethods.find(({ authenticationId }) => authenticationId === 1)?.fields ?? [];
  expect(apiToken?.helpUrl).toBe('http://127.0.0.1:4000/settings/api-token');
});

describe('the texts for people', () => {
  /** Every object with translated texts, by its path, and the English texts that it has. */
  async function texts(): Promise<readonly (readonly [string, object, Readonly<Record<string, object>>])[]> {
    const result = await compilation;
    if (!result.ok) throw new Error(result.problems.map(formatProblem).join('\n'));
    return result.connectors.flatMap(({ slug, authenticationMethods }) =>
      authenticationMethods.flatMap((method) => {
        const at = `${slug}, method ${method.authenticationId}`;
        const { authenticationName, scheme } = method;
        const described = scheme.type === 'oauth2' ? Object.entries(scheme.scopeDescriptions) : [];
        return [
          [at, { authenticationName }, method.translations] as const,
          ...method.fields.map(({ name, label, description, help, translations }) => {
            const english = { label, description, help };
            return [`${at}, ${name}`, english, translations] as const;
          }),
          ...method.fields.flatMap(({ name, options }) =>
            options.map(
              ({ value, label, translations }) =>
                [`${at}, ${name}=${value}`, { label }, translations] as const,
            ),
          ),
          ...described.map(
            ([scope, { description, translations }]) =>
              [`${at}, ${scope}`, { description }, translations] as const,
          ),
        ];
      }),
    );
  }

  it('are in all five languages, whichever of them there are in English', async () => {
    const all = await texts();
    expect(all.length).toBeGreaterThan(40);
    const presence = (of: object) => Object.entries(of).map(([name, text]) => [name, text !== null]);
    const incomplete = all.filter(([, english, translations]) =>
      TRANSLATION_LANGUAGES.some(
        (language) =>
          JSON.stringify(presence(translations[language] ?? {})) !== JSON.stringify(presence(english)),
      ),
    );
    expect(incomplete.map(([path]) => path)).toEqual([]);
  });

  it('say of every secret where it is found, and of every scope what it allows', async () => {
    const result = await compilation;
    const methods = result.ok ? result.connectors.flatMap((each) => each.authenticationMethods) : [];
    const secrets = methods.flatMap(({ fields }) => fields.filter(({ isPassword }) => isPassword));
    expect(secrets.length).toBeGreaterThan(8);
    expect(secrets.filter(({ help }) => help === null)).toEqual([]);
    const undescribed = methods.flatMap(({ scheme }) =>
      scheme.type === 'oauth2' ? scheme.scopes.filter((scope) => !(scope in scheme.scopeDescriptions)) : [],
    );
    expect(undescribed).toEqual([]);
  });
});

describe('sandbox-crm', () => {
  it('has the methods OAuth 2.0, API key (default) and client credentials', async () => {
    const { authenticationMethods } = await readBundled('sandbox-crm');
    expect(
      authenticationMethods.map((method) => [
        method.authenticationId,
        method.authenticationName,
        method.isDefault,
        requiresOAuthSignIn(method),
      ]),
    ).toEqual([
      [0, 'OAuth 2.0', false, true],
      [1, 'API key', true, false],
      [2, 'OAuth client credentials', false, false],
    ]);
  });

  it('takes client id and secret from Key1 and Key2 of a provider, and asks the vendor for the workspaces', async () => {
    const [oauth] = (await readBundled('sandbox-crm')).authenticationMethods;
    expect(
      oauth?.fields.map(({ name, providerSlot, isPassword }) => [name, providerSlot, isPassword]),
    ).toEqual([
      ['clientId', 'Key1', false],
      ['clientSecret', 'Key2', true],
      ['loginHint', null, false],
      ['workspace', null, false],
    ]);
    expect(oauth?.fields[3]?.dynamicOptions).toMatchObject({ itemsPointer: '/items', valuePointer: '/id' });
    expect(oauth?.scheme).toMatchObject({ usesPkce: true, allowsAuthProvider: true });
  });

  it('has exactly the tools of its specification', async () => {
    const { tools } = await readBundled('sandbox-crm');
    expect(tools.map(({ toolSlug }) => toolSlug.replace('sandbox-crm-', '')).toSorted()).toEqual([
      'create-contact',
      'create-deal',
      'create-invoice',
      'delete-contact',
      'get-contact',
      'get-deal',
      'get-invoice',
      'list-contacts',
      'list-deals',
      'list-invoices',
      'simulate-failure',
      'update-contact',
      'update-deal',
      'whoami',
    ]);
  });

  it('supports 5 filters, 2 sorts and paging on its list tools, and on no other', async () => {
    for (const tool of (await readBundled('sandbox-crm')).tools) {
      const isList = tool.toolSlug.includes('-list-');
      expect([tool.filters?.max, tool.sorts?.max, tool.paging?.type], tool.toolSlug).toEqual(
        isList ? [5, 2, 'offset'] : [undefined, undefined, undefined],
      );
    }
  });

  it('has a poll of at least 10 seconds for new contacts, and a signed webhook for changed deals', async () => {
    const { triggerTypes } = await readBundled('sandbox-crm');
    expect(triggerTypes).toMatchObject([
      {
        slug: 'sandbox-crm-contact-created',
        kind: 'poll',
        configSchema: { properties: { everySeconds: { minimum: 10 } } },
        // The connector's headers apply to trigger requests, too.
        poll: { request: { headers: { 'x-workspace': '{{field.workspace}}' } } },
      },
      {
        slug: 'sandbox-crm-deal-updated',
        kind: 'webhook',
        webhook: { register: { request: { headers: { 'x-workspace': '{{field.workspace}}' } } } },
      },
    ]);
    expect(triggerTypes.every(({ requiresConnection }) => requiresConnection)).toBe(true);
  });

  it('never retries a simulated failure by itself', async () => {
    const { tools } = await readBundled('sandbox-crm');
    expect(tools.find(({ toolSlug }) => toolSlug === 'sandbox-crm-simulate-failure')?.retryClass).toBe(
      'unsafe',
    );
  });
});

describe('mcp', () => {
  it('is an MCP client with the methods none (default), bearer and OAuth, and no tools of its own', async () => {
    const { kind, authenticationMethods, tools } = await readBundled('mcp');
    expect(kind).toBe('MCPClient');
    expect(authenticationMethods.map(({ scheme, isDefault }) => [scheme.type, isDefault])).toEqual([
      ['none', true],
      ['bearer', false],
      ['oauth2', false],
    ]);
    expect(tools).toEqual([]);
  });
});

describe('http', () => {
  it('ties every credential to a base URL', async () => {
    const { authenticationMethods } = await readBundled('http');
    const credentialed = authenticationMethods.filter(({ scheme }) => scheme.type !== 'none');
    expect(credentialed.map(({ scheme }) => scheme.type)).toEqual([
      'apiKey',
      'basic',
      'bearer',
      'oauth2',
      'oauth2',
    ]);
    for (const { fields } of credentialed) {
      expect(fields.find(({ name }) => name === 'baseUrl')).toMatchObject({ isRequired: true });
    }
  });
});

describe('postgresql', () => {
  it('marks its password, and filters rows by any column', async () => {
    const { authenticationMethods, tools } = await readBundled('postgresql');
    const secrets = authenticationMethods[0]?.fields.filter(({ isPassword }) => isPassword);
    expect(secrets?.map(({ name }) => name)).toEqual(['password']);
    const listRows = tools.find(({ toolSlug }) => toolSlug === 'postgresql-list-rows');
    expect([listRows?.filters?.fields, listRows?.sorts?.fields]).toEqual([['*'], ['*']]);
  });

  it('is destructive only where it may change something', async () => {
    const { tools } = await readBundled('postgresql');
    expect(tools.filter(({ isDestructive }) => isDestructive).map(({ toolSlug }) => toolSlug)).toEqual([
      'postgresql-execute-statement',
    ]);
  });
});

describe('the applications of the platform itself', () => {
  it.each([
    ['schedule', [['schedule', 'schedule']]],
    ['http-webhook', [['http_webhook', 'webhook']]],
    [
      'fairlead',
      [
        ['connection_needs_reauthentication', 'system'],
        ['connection_created', 'system'],
        ['connection_recovered', 'system'],
        ['connection_deleted', 'system'],
      ],
    ],
  ])('%s needs no credential, and its trigger types need no connection', async (slug, types) => {
    const { authenticationMethods, triggerTypes } = await readBundled(slug);
    expect(authenticationMethods.map(({ scheme }) => scheme.type)).toEqual(['none']);
    expect(triggerTypes.map((type) => [type.slug, type.kind])).toEqual(types);
    expect(triggerTypes.every(({ requiresConnection }) => !requiresConnection)).toBe(true);
  });
});
